"""Flags made of declared settings."""

from typing import Any

import click

from planbatch.experiments.common.schema import Declared


def option(setting: Declared, **changes: Any) -> Any:
    """Return the flag of a setting, as click's decorator; ``changes`` are further arguments of ``click.option``."""
    arguments: dict[str, Any] = {"help": setting.setting.about, "default": setting.default}
    if setting.type is bool:
        arguments["is_flag"] = True
    else:
        arguments["metavar"] = setting.setting.unit or None
        arguments["multiple"] = setting.several
        arguments["type"] = setting.type if setting.type in (int, float) else str
        arguments["show_default"] = not setting.several and bool(setting.default)
    return click.option(setting.flag, setting.name, **arguments | changes)
