"""The grammar of names: ``name``, ``name:TEXT``, ``name:key=value,key=value``, and a user's own ``FILE.py:name``."""

import re
from collections.abc import Container
from dataclasses import dataclass, field

_USER_REFERENCE = re.compile(r"(?P<source>[^:]+\.py|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_]\w*)")
_KEY = re.compile(r"([A-Za-z_][\w-]*)=")
_OPEN, _CLOSED = "([", ")]"


@dataclass(frozen=True)
class Reference:
    """A name as it is written, taken apart."""

    text: str  #: as written
    source: str  #: the file or module of a user's object; empty for a registered name
    name: str  #: the name, there or in the registry
    short: str | None = None  # the text after the colon that names no key, such as ``12h`` in ``aged-wait:12h``
    settings: dict[str, str] = field(default_factory=dict)  # the values by key; hyphens of keys are underscores

    @property
    def display_name(self) -> str:
        """The reference without the place: what tables show."""
        parts = [] if self.short is None else [without_sources(self.short)]
        parts += [f"{key}={without_sources(value)}" for key, value in self.settings.items()]
        name = self.name.replace("_", "-") if self.source else self.name
        return ":".join([name, *([",".join(parts)] if parts else [])])


def parse(text: str, names: Container[str]) -> Reference:
    """Take a name apart, such as ``annealing:cooling=0.8,moves=20``, ``easy:smallest-area``, ``my.py:slow:power=2``.

    Known ``names`` need no place, and come before files and modules.
    """
    name, colon, rest = text.partition(":")
    if name in names:
        source = ""
    elif match := _USER_REFERENCE.match(text):
        source, name = match["source"], match["name"]
        colon, rest = text[match.end() : match.end() + 1], text[match.end() + 1 :]
    else:
        source = ""
    short, settings = _settings_in(rest) if colon else (None, {})
    return Reference(text, source, name, short, settings)


def _settings_in(text: str) -> tuple[str | None, dict[str, str]]:
    """Split what follows the colon: a part without a key belongs to the part before it."""
    short: list[str] = []
    settings: dict[str, list[str]] = {}
    into = short
    for part in split(text):
        match = _KEY.match(part)
        if match:
            into = settings.setdefault(match[1].replace("-", "_"), [])
            into.clear()
        into.append(part[match.end() :] if match else part)
    joined = {key: without_brackets(",".join(parts)) for key, parts in settings.items()}
    return (without_brackets(",".join(short)) if short else None), joined


def split(text: str) -> list[str]:
    """Split at commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in _OPEN) - (letter in _CLOSED)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def without_brackets(text: str) -> str:
    """Remove brackets around the whole text: they hold commas together."""
    if text[:1] != "(" or text[-1:] != ")":
        return text
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter in _OPEN) - (letter in _CLOSED)
        if depth == 0 and i < len(text) - 1:  # (a)/(b)
            return text
    return text[1:-1]


def is_one(text: str, names: Container[str]) -> bool:
    """Tell whether a text is a whole reference to a registered name or a user's object."""
    match = _USER_REFERENCE.match(text)
    return text.partition(":")[0] in names or bool(match and text[match.end() :][:1] in ("", ":"))


def without_sources(text: str) -> str:
    """Leave out the files and modules of a user's own names."""
    match = _USER_REFERENCE.match(text)
    if not match or "." not in match["source"]:
        return text
    return match["name"].replace("_", "-") + text[match.end() :]
