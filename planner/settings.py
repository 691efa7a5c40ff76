"""Settings: what a parameter says about itself where it is declared, for flags, files and manuals."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """The annotation of a parameter: ``evaluations: Annotated[int, Setting("Plans per round.", "N")] = 100``."""

    about: str  # what it is, in a sentence or two
    unit: str = ""  # what a value is called in help texts: ``N`` a number, ``S`` seconds, ``NAME``
    flag: str | None = None  # the flag of the command, if it is another than the name; empty for none
    in_files: object = None  # the type in TOML files, if it is another
