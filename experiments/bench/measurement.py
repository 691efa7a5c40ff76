"""One line of the benchmark."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """One line of the benchmark.

    Attributes
    ----------
    name : str
        What was measured.
    value : float
        The figure.
    unit : str
        Its unit.
    ratio : float
        How many times as fast as the reference, NaN if there is none.
    reference : str
        What the ratio refers to.
    """

    name: str
    value: float
    unit: str
    ratio: float = float("nan")
    reference: str = ""
