"""Verbs: what all of them have in common, help under headings, and groups that import a verb when it is used."""

import errno
import importlib
import io
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, TypeGuard

import click
from click.shell_completion import CompletionItem

from planbatch.experiments.cli.parameters import OUTPUT, Option, as_callback

#: Where the context of a run has standard error, if it is quiet; and whether it is verbose.
LOUD, VERBOSE = "planbatch.stderr", "planbatch.verbose"
#: How help is laid out, for rich-click.
_LAYOUT = {
    "theme": "slim",
    "default_string": "\\[default: {}]",
    "append_metavars_help_string": "{}",
    "options_panel_title": OUTPUT,
    "options_table_help_sections": ["help", "required", "default", "envvar"],
}


class Verb(click.Command):
    """A verb: it is quiet and verbose on demand, and lists its flags under headings."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [
            Option(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_be_quiet,
                 help="Print results and errors only: no notes, no progress."),
            Option(["-v", "--verbose"], is_flag=True, expose_value=False, callback=_be_verbose,
                 help="Print the traceback of an error, too."),
        ]  # fmt: skip

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; the error for ``-policy`` suggests ``--policy``, and no word may be empty."""
        flags = {name for param in self.params for name in param.opts if name.startswith("--")}
        for word in args:
            name = f"-{word.partition('=')[0]}"
            if word.startswith("-") and name in flags:
                ctx.fail(f"there is no {word.partition('=')[0]}; did you mean {name}?")
        for before, word in pairwise(["", *args]):
            if not word:
                what = before if before.startswith("-") else "an argument"
                ctx.fail(f"{what}: it is empty; is a variable of the shell not set?")
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "extra argument" in error.message and "--policy" in flags:
                ctx.fail(f"{error.message}; policies are named with --policy NAME")
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; if it is verbose, print the traceback of an error."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if _is_full(error) and _output_works():
                error.filename = ctx.params.get("out")
            if ctx.meta[VERBOSE]:
                traceback.print_exc(file=ctx.meta.get(LOUD, sys.stderr))
            raise

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, with flags under headings."""
        return _rich_help(self, ctx)


def _is_full(error: Exception) -> TypeGuard[OSError]:
    """Return whether an error is that of a full disk, and names no file."""
    return isinstance(error, OSError) and error.errno == errno.ENOSPC and bool(error.strerror) and not error.filename


def _output_works() -> bool:
    """Return whether standard output takes a line; what it did not take before is gone."""
    try:
        print(flush=True)
    except OSError:
        return False
    return True


def _be_quiet(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Print nothing on standard error until the verb has ended; errors are printed by other means."""
    if value:
        ctx.meta[LOUD] = sys.stderr
        ctx.with_resource(redirect_stderr(io.StringIO()))


def _be_verbose(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.meta[VERBOSE] = value


def _rich_help(command: click.Command, ctx: click.Context, verbs: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Return the help of a command as rich-click prints it, which is imported only for that."""
    from rich_click import RichCommand, RichContext, RichGroup
    from rich_click.rich_panel import RichCommandPanel

    arguments: dict[str, Any] = {"name": command.name, "params": command.get_params(ctx), "help": command.help,
                                 "epilog": command.epilog, "add_help_option": False}  # fmt: skip
    layout: dict[str, Any] = dict(_LAYOUT)
    rich: RichCommand
    if verbs is None:
        rich = RichCommand(**arguments)
    else:
        panels: list[Any] = [RichCommandPanel(heading, list(group)) for heading, group in verbs.items()]
        commands: dict[str, click.Command] = {
            name: RichCommand(name=name, help=about) for group in verbs.values() for name, about in group.items()
        }
        rich = RichGroup(commands=commands, panels=panels, subcommand_metavar="VERB …", **arguments)
        layout |= {"options_panel_title": "Options", "commands_before_options": True}
    context = RichContext(
        rich, parent=ctx.parent, info_name=ctx.info_name, terminal_width=ctx.terminal_width, rich_help_config=layout
    )
    lines = rich.get_help(context).splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip()


def verb(function: Callable[..., Any], **attributes: Any) -> Verb:
    """Make a verb of a function; see :func:`as_callback`. ``attributes`` are those of :class:`click.Command`."""
    callback, parameters = as_callback(function)
    return click.command(cls=Verb, params=parameters, **attributes)(callback)


class VerbGroup(click.Group):
    """A verb that has verbs of its own."""

    def verb(self, function: Callable[..., Any]) -> Verb:
        """Make a function one of the verbs, named without the ending ``_command``."""
        command = verb(function, name=function.__name__.removesuffix("_command"))
        self.add_command(command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without any, print the help."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or suggest the nearest one."""
        verbs = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in verbs:
            near = get_close_matches(args[0], verbs, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The verbs are {', '.join(verbs)}."
            ctx.fail(f"there is no verb {args[0]!r}. {hint}")
        return super().resolve_command(ctx, args)

    def list_verbs(self, _ctx: click.Context) -> Mapping[str, Mapping[str, str]]:
        """Return the verbs by heading, each with a line of help."""
        verbs = sorted(self.commands.items())
        return {"Verbs": {name: command.get_short_help_str(100) for name, command in verbs}}

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, with verbs under headings."""
        return _rich_help(self, ctx, self.list_verbs(ctx))


class LazyGroup(VerbGroup):
    """A group whose verbs are imported when they are used.

    ``verbs`` has the headings, in the order in which a newcomer needs them, with their verbs and one-line helps; in
    ``package``, each verb has a module of its own, with a command named ``command``.
    """

    def __init__(self, *args: Any, verbs: Mapping[str, Mapping[str, str]], package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.verbs, self.package = verbs, package

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return all verbs, in the order in which a newcomer needs them."""
        return [name for group in self.verbs.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{self.package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def list_verbs(self, _ctx: click.Context) -> Mapping[str, Mapping[str, str]]:
        """Return the verbs by heading, without importing them."""
        return self.verbs

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the verbs that begin with a text, without importing them, and the flags."""
        verbs = [
            CompletionItem(name, help=about)
            for group in self.verbs.values()
            for name, about in group.items()
            if name.startswith(incomplete)
        ]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]
