"""Settings: what a parameter says about itself where it is declared, for flags, files and manuals."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """The annotation of a parameter: ``evaluations: Annotated[int | None, Setting("Plans per round.", "N")] = None``.

    Attributes
    ----------
    about : str
        What it is, in a sentence or two.
    unit : str
        What a value is called in help texts: ``N`` a number, ``S`` seconds, ``NAME``.
    flag : str, optional
        The flag of the command, if it is another than the name; empty for none.
    in_files : object, optional
        The type in TOML files, if it is another.
    """

    about: str
    unit: str = ""
    flag: str | None = None
    in_files: object = None
