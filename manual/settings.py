"""The page of all settings: keys of TOML files and flags, made of their declarations."""

from collections.abc import Mapping

from planbatch.experiments.common.schema import SettingSpec
from planbatch.experiments.studies import experiment_file, tune_file

INTRODUCTION = """\
# Settings

Every setting of [experiments](../experiments.md) and [tuning](../tuning.md), from its declaration: the key in TOML
files, the flag of the [verbs](verbs.md) that take it, what it is, and its default. Python has underscores.
"""
TABLES: Mapping[str, Mapping[str, SettingSpec]] = {
    "An experiment's file": experiment_file.TOP_KEYS,
    "[[workload]]": experiment_file.WORKLOAD_KEYS,
    "[[policy]]": experiment_file.POLICY_KEYS,
    "[spans]": experiment_file.SPANS_KEYS,
    "A tuning's file": tune_file.KEYS,
}


def row(setting: SettingSpec) -> str:
    """Return the line of a setting."""
    default = setting.default
    text = "" if default in (None, "", (), setting.empty) else f"`{default}`"
    flag = f"`{setting.flag} {setting.setting.unit}`" if setting.setting.unit else ""
    about = setting.setting.about.replace("|", "\\|").replace("[", "\\[")
    return f"| `{setting.key}` | {flag} | {about} | {setting.expected} | {text} |"


def page() -> str:
    """Return the page."""
    lines = [INTRODUCTION]
    for title, settings in TABLES.items():
        lines += [f"## {title}", "", "| key | flag | what it is | value | default |", "|---|---|---|---|---|"]
        lines += [*map(row, settings.values()), ""]
    return "\n".join(lines)
