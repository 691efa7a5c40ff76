"""Tables that kernels are lent by their address.

numba hands a named tuple over entry by entry: one of dozens of arrays makes hundreds of arguments of each call, which
take longer to compile than what the kernels do. Here a kernel is handed the address of the table that its caller has,
whether that is Python or another kernel. So the argument of a kernel is a :class:`Lent` table. What a kernel makes, and
what it returns, is a named tuple of numba's, whose entries it owns; a lent table in a place where such a one is
needed, such as inside another, is read from its address.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.datamodel.registry import register_default
from numba.core.imputils import impl_ret_borrowed, lower_cast, lower_getattr_generic
from numba.core.typeconv import Conversion
from numba.core.types.abstract import Type
from numba.core.types.containers import BaseTuple, NamedTuple, NamedUniTuple
from numba.core.types.functions import Function
from numba.core.typing.collections import NamedTupleClassAttribute
from numba.core.typing.templates import (
    AttributeTemplate,
    infer_getattr,
    make_callable_template,
)
from numba.core.typing.typeof import _typeof_tuple, typeof_impl
from numba.core.utils import pysignature
from numba.extending import NativeValue, unbox

#: numba's types of named tuples.
NAMED = (NamedTuple, NamedUniTuple)


class Lent(Type):  # type: ignore[misc]
    """The type of a table that a kernel is lent.

    Parameters
    ----------
    made : type
        The class of the named tuple.
    kinds : tuple of numba types
        Those of its entries; tables among them are lent, too.
    """

    def __init__(self, made: type, kinds: tuple[Any, ...]) -> None:
        self.made, self.kinds = made, kinds
        super().__init__(f"Lent({made.__name__}: {', '.join(map(str, kinds))})")

    @property
    def key(self) -> Any:
        """What tells types apart."""
        return self.made, self.kinds

    @property
    def owned(self) -> Any:
        """The type of a named tuple with the same entries."""
        return BaseTuple.from_types([owned(kind) for kind in self.kinds], self.made)

    @property
    def mangling_args(self) -> Any:
        """How it is told in the names of functions: shortly, since tables of tables have long descriptions."""
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:16]
        return f"{self.made.__name__}.{digest}", ()

    def place(self, name: str) -> int:
        """Return the position of an entry; -1 if there is none of this name."""
        names: tuple[str, ...] = self.made._fields  # type: ignore[attr-defined]
        return names.index(name) if name in names else -1

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """Return whether a named tuple can be lent as this one."""
        return Conversion.safe if isinstance(other, NAMED) and lent(other) == self else None

    def can_convert_to(self, context: Any, other: Any) -> Any:
        """Return whether this can be read as a named tuple."""
        return Conversion.safe if other == self.owned else None

    def unify(self, context: Any, other: Any) -> Any:
        """Return the type of what is either this or a named tuple."""
        return self.owned if other == self.owned else None


def lent(kind: Any) -> Any:
    """Return the type as which kernels are handed a table of this project; of anything else, its own."""
    if isinstance(kind, NAMED) and is_ours(kind.instance_class):
        return Lent(kind.instance_class, tuple(map(lent, kind)))
    return kind


def entry_type(kind: Any, name: str) -> Any:
    """Return the type of an entry of a table, lent or not."""
    return lent(kind).kinds[lent(kind).place(name)]


def owned(kind: Any) -> Any:
    """Return the type of the named tuple with the entries of a lent table; of anything else, its own."""
    return kind.owned if isinstance(kind, Lent) else kind


def is_ours(made: type) -> bool:
    """Return whether a named tuple is one of this project."""
    return made.__module__.partition(".")[0] == "planbatch"


@typeof_impl.register(tuple)
def _type_from_python(value: Any, context: Any) -> Any:
    """Return the type of a tuple that Python hands over."""
    found = _typeof_tuple(value, context)
    return lent(_owning(found))


def _owning(kind: Any) -> Any:
    """Return the type of a named tuple in which no table is lent yet."""
    if isinstance(kind, NAMED):
        return BaseTuple.from_types([owned(entry) for entry in kind], kind.instance_class)
    return kind


@register_default(Lent)
class _Address(PrimitiveModel):  # type: ignore[misc]
    """An address; the tables inside a table are parts of it."""

    def __init__(self, models: Any, kind: Lent) -> None:
        super().__init__(models, kind, _layout(models, kind).as_pointer())

    def get_return_type(self) -> Any:
        """Refuse: the table may be gone when the kernel has returned."""
        raise NotImplementedError(
            f"a kernel cannot return a table that it was lent: {self._fe_type}"
        )


def _layout(models: Any, kind: Lent) -> Any:
    return ir.LiteralStructType(
        [
            _layout(models, entry) if isinstance(entry, Lent) else models[entry].get_value_type()
            for entry in kind.kinds
        ]
    )


@infer_getattr
class _Entries(AttributeTemplate):  # type: ignore[misc]
    key = Lent

    def generic_resolve(self, table: Lent, name: str) -> Any:
        """Return the type of an entry."""
        at = table.place(name)
        return table.kinds[at] if at >= 0 else None


@lower_getattr_generic(Lent)
def _entry(context: Any, builder: Any, table: Lent, address: Any, name: str) -> Any:
    """Read an entry; of a table inside the table, find the address."""
    at = table.place(name)
    kind = table.kinds[at]
    where = cgutils.gep_inbounds(builder, address, 0, at)
    if isinstance(kind, Lent):
        return where
    return impl_ret_borrowed(context, builder, kind, builder.load(where))


def _takes_lent_tables(self: Any, kind: Any) -> Any:
    """Return the type of the constructor of a named tuple: it reads the tables that are put inside."""
    made = kind.instance_class
    taken = pysignature(made)

    def typer(*args: Any, **kws: Any) -> Any:
        given = taken.bind(*args, **kws).args
        return BaseTuple.from_types(list(map(owned, given)), made)

    typer.pysig = taken  # type: ignore[attr-defined]
    return Function(make_callable_template(self.key, typer))


NamedTupleClassAttribute.resolve___call__ = _takes_lent_tables


@lower_cast(Lent, NamedTuple)
@lower_cast(Lent, NamedUniTuple)
def _read(context: Any, builder: Any, table: Lent, kind: Any, address: Any) -> Any:
    """Read a lent table."""
    entries = []
    for at, (lent_entry, entry) in enumerate(zip(table.kinds, kind, strict=True)):
        where = cgutils.gep_inbounds(builder, address, 0, at)
        inside = isinstance(lent_entry, Lent)
        entries.append(
            _read(context, builder, lent_entry, entry, where) if inside else builder.load(where)
        )
    return context.make_tuple(builder, kind, entries)


@lower_cast(NamedTuple, Lent)
@lower_cast(NamedUniTuple, Lent)
def _lend(context: Any, builder: Any, kind: Any, table: Lent, value: Any) -> Any:
    """Lend a named tuple: put it where its address is known, for the time of a call."""
    address = cgutils.alloca_once(builder, _layout(context.data_model_manager, table))
    _put(builder, table, value, address)
    return address


def _put(builder: Any, table: Lent, value: Any, address: Any) -> None:
    for at, entry in enumerate(table.kinds):
        part = builder.extract_value(value, at)
        where = cgutils.gep_inbounds(builder, address, 0, at)
        if isinstance(entry, Lent):
            _put(builder, entry, part, where)
        else:
            builder.store(part, where)


@unbox(Lent)
def _lend_from_python(kind: Lent, table: Any, c: Any) -> NativeValue:
    """Lend a named tuple of Python."""
    address = cgutils.alloca_once(c.builder, _layout(c.context.data_model_manager, kind))
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    cleanups: list[Callable[[], None]] = []
    _fill(kind, table, address, failed, cleanups, c)

    def cleanup() -> None:
        for undo in reversed(cleanups):
            undo()

    return NativeValue(address, is_error=c.builder.load(failed), cleanup=cleanup)


def _fill(
    kind: Lent, table: Any, address: Any, failed: Any, cleanups: list[Callable[[], None]], c: Any
) -> None:
    for at, entry in enumerate(kind.kinds):
        item = c.pyapi.tuple_getitem(table, at)
        where = cgutils.gep_inbounds(c.builder, address, 0, at)
        if isinstance(entry, Lent):
            _fill(entry, item, where, failed, cleanups, c)
            continue
        native = c.unbox(entry, item)
        c.builder.store(native.value, where)
        with c.builder.if_then(native.is_error, likely=False):
            c.builder.store(cgutils.true_bit, failed)
        cleanups.append(partial(_give_back, entry, native, c))


def _give_back(kind: Any, native: NativeValue, c: Any) -> None:
    """Undo what lending an entry took, references among it; numba does so for what it knows to hold some."""
    if native.cleanup is not None:
        native.cleanup()
    if c.context.enable_nrt:
        c.context.nrt.decref(c.builder, kind, native.value)
