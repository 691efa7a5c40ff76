"""Flags made of declared settings."""

from typing import Any

from planbatch.experiments.cli.verb import flag
from planbatch.experiments.common.schema import Declared


def option(setting: Declared, panel: str, **changes: Any) -> Any:
    """Return the flag of a setting, as click's decorator.

    Parameters
    ----------
    setting : Declared
        The setting.
    panel : str
        The heading in help texts.
    **changes
        Further arguments of ``click.option``.
    """
    arguments: dict[str, Any] = {"help": setting.setting.about, "default": setting.default}
    if setting.type is bool:
        arguments["is_flag"] = True
    else:
        arguments["metavar"] = setting.setting.unit or None
        arguments["multiple"] = setting.several
        arguments["type"] = setting.type if setting.type in (int, float) else str
        arguments["show_default"] = not setting.several and bool(setting.default)
    return flag(setting.flag, setting.name, panel=panel, **arguments | changes)
