"""Verbs: what all of them have in common, help under headings, and groups that import a verb when it is used."""

import importlib
import io
import sys
import traceback
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem

from planbatch.planner.names import did_you_mean

#: Headings of flags; those without one are under the last.
POLICIES, SEARCH, LOG, MACHINE, CLUSTER, RUN, OUTPUT = (
    "Policies", "Search", "Log", "Machine", "Cluster", "Run", "Output"
)  # fmt: skip
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


class Flag(click.Option):
    """A flag that help lists under a heading, ``panel``; everything else is :class:`click.Option`'s."""

    def __init__(self, *names: Any, panel: str = OUTPUT, **arguments: Any) -> None:
        super().__init__(*names, **arguments)
        self.panel = panel


def flag(*names: str, panel: str = OUTPUT, **arguments: Any) -> Any:
    """Return click's decorator of a flag under a heading."""
    return click.option(*names, cls=Flag, panel=panel, **arguments)


class Name(click.ParamType):  # type: ignore[type-arg]
    """A name of something that ``planbatch list`` lists, which shells complete."""

    name = "name"

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    def names(self) -> Iterable[str]:
        """Return all names."""
        from planbatch.experiments.cli.registries import registry_of

        return registry_of(self.kind).names()

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with a text."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class ArchiveName(Name):
    """The name of a log of the Parallel Workloads Archive, which shells complete."""

    def names(self) -> Iterable[str]:
        """Return all names."""
        from planbatch.experiments.workloads.archive import CATALOGUE

        return CATALOGUE


class Log(Name):
    """A log: a file, or the name of one that was fetched; shells complete both."""

    name = "log"

    def names(self) -> Iterable[str]:
        """Return the names of fetched logs."""
        from planbatch.experiments.workloads.archive import CATALOGUE, cached_path

        return [log.name for log in CATALOGUE.values() if cached_path(log).is_file()]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with a text, and have the shell complete files."""
        file = CompletionItem(incomplete, type="file")
        return [file, *super().shell_complete(ctx, param, incomplete)]


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of a few words; another one is answered with the nearest."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the word, if there is such a one."""
        if value in self.choices:
            return value
        what = param.name.replace("_", "-") if param is not None else self.name
        raise ValueError(f"{what}: there is no {value!r}; {did_you_mean(str(value), self.choices)}")

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return what follows the sentence that an argument is missing."""
        return f"Choose one of {', '.join(self.choices)}."


class Verb(click.Command):
    """A verb: it is quiet and verbose on demand, and lists its flags under headings."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += [
            Flag(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_be_quiet,
                 help="Print results and errors only: no notes, no progress."),
            Flag(["-v", "--verbose"], is_flag=True, expose_value=False, callback=_be_verbose,
                 help="Print the traceback of an error, too."),
        ]  # fmt: skip

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; ``-policy`` is answered with the flag that is meant."""
        known = {name for param in self.params for name in param.opts if name.startswith("--")}
        for word in args:
            name = f"-{word.partition('=')[0]}"
            if word.startswith("-") and name in known:
                ctx.fail(f"there is no {word.partition('=')[0]}; did you mean {name}?")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; if it is verbose, print the traceback of an error."""
        try:
            return super().invoke(ctx)
        except Exception:
            if ctx.meta[VERBOSE]:
                traceback.print_exc(file=ctx.meta.get(LOUD, sys.stderr))
            raise

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, with flags under headings."""
        return _rich_help(self, ctx)


def _be_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print nothing on standard error until the verb has ended; errors are printed by other means."""
    if value:
        ctx.meta[LOUD] = sys.stderr
        ctx.with_resource(redirect_stderr(io.StringIO()))


def _be_verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[VERBOSE] = value


def _rich_help(
    command: click.Command, ctx: click.Context, verbs: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Return the help of a command as rich-click prints it, which is imported only for that."""
    from rich_click import RichCommand, RichContext, RichGroup
    from rich_click.rich_panel import RichCommandPanel

    name = command.name or "planbatch"
    own: dict[str, Any] = {"params": command.get_params(ctx), "help": command.help, "epilog": command.epilog,
                           "add_help_option": False}  # fmt: skip
    layout: dict[str, Any] = dict(_LAYOUT)
    shown: RichCommand
    if verbs is None:
        shown = RichCommand(name=name, **own)
    else:
        every = {one: about for group in verbs.values() for one, about in group.items()}
        panels: list[Any] = [
            RichCommandPanel(heading, list(group)) for heading, group in verbs.items()
        ]
        listed: Any = {one: RichCommand(name=one, help=about) for one, about in every.items()}
        shown = RichGroup(
            name=name, commands=listed, panels=panels, subcommand_metavar="VERB …", **own
        )
        layout |= {"options_panel_title": "Options", "commands_before_options": True}
    context = RichContext(
        shown, parent=ctx.parent, info_name=ctx.info_name, terminal_width=ctx.terminal_width, rich_help_config=layout
    )  # fmt: skip
    lines = shown.get_help(context).splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip()


class VerbGroup(click.Group):
    """A verb that has verbs of its own."""

    command_class = Verb

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; without any, print the help."""
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

    def listed(self, ctx: click.Context) -> Mapping[str, Mapping[str, str]]:
        """Return the verbs by heading, each with a line of help."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {
            "Verbs": {name: verb.get_short_help_str(100) for name, verb in found.items() if verb}
        }

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, with verbs under headings."""
        return _rich_help(self, ctx, self.listed(ctx))


class LazyGroup(VerbGroup):
    """A group whose verbs are imported when they are used.

    Parameters
    ----------
    verbs : mapping of str to mapping of str to str
        Heading → verb → one-line help, in the order in which a newcomer needs them.
    package : str
        Where each verb has a module of its own, with a command named ``command``.
    """

    def __init__(
        self, *args: Any, verbs: Mapping[str, Mapping[str, str]], package: str, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.verbs, self.package = verbs, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all verbs, in the order in which a newcomer needs them."""
        return [name for group in self.verbs.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{self.package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def listed(self, ctx: click.Context) -> Mapping[str, Mapping[str, str]]:
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


def verb(function: Any) -> Verb:
    """Make a verb of a function, whose docstring is its help."""
    return click.command(cls=Verb)(function)
