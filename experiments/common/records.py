"""Records: dataclasses as rows for JSON, and rows as dataclasses, whose types pydantic checks."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Row = dict[str, Any]
Record = TypeVar("Record")


def _adapter_of(kind: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # help needs none

    return TypeAdapter(kind)


_adapter: "Callable[[Any], TypeAdapter[Any]]" = cache(_adapter_of)


def row_of(record: object) -> Row:
    """Return the fields of a dataclass that differ from their defaults, for JSON."""
    row: Row = _adapter(type(record)).dump_python(record, exclude_defaults=True)
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in row.items()}


def record_of(kind: type[Record], row: Mapping[str, Any]) -> Record:
    """Return the dataclass of a row; fields of other versions are left out.

    A ``ValueError`` of one sentence if a field is missing, or has another type.
    """
    from pydantic import ValidationError

    try:
        record: Record = _adapter(kind).validate_python(row)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return record
