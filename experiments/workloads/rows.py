"""Rows of numbers and texts without a header, read by pandas."""

from typing import IO, Any

import pandas as pd

#: Exact decimals are an option of pandas before 3.1; from then on they are the default and the option is deprecated.
_EXACT: dict[str, Any] = {}
if [int(part) for part in pd.__version__.split(".")[:2]] < [3, 1]:
    _EXACT["float_precision"] = "round_trip"


def read_rows(text: IO[Any], **options: Any) -> pd.DataFrame:
    """Read a text whose first column is no index; ``options`` are those of :func:`pandas.read_csv`.

    Raises ``ValueError``, ``ParserError`` or ``OverflowError`` if pandas cannot read it.
    """
    return pd.read_csv(text, header=None, index_col=False, **_EXACT, **options)
