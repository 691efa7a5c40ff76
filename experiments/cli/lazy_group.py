"""Groups of verbs whose modules are imported when they are used, so that ``--help`` answers at once."""

import importlib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose verbs are imported when they are used.

    Parameters
    ----------
    verbs : mapping of str to str
        Verb → one-line help, in the order in which a newcomer needs them.
    package : str
        Where each verb has a module of its own, with a command named ``command``.
    """

    def __init__(self, *args: Any, verbs: Mapping[str, str], package: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.verbs, self.package = verbs, package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all verbs, in the order in which a newcomer needs them."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        if cmd_name not in self.verbs:
            return None
        module = importlib.import_module(f"{self.package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or suggest the nearest one."""
        if args and not args[0].startswith("-") and args[0] not in self.verbs:
            near = get_close_matches(args[0], self.verbs, n=1)
            hint = (
                f" Did you mean {near[0]}?" if near else f" The verbs are {', '.join(self.verbs)}."
            )
            ctx.fail(f"there is no verb {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(self.verbs.items()))
