"""The numba types of the data that kernels take, and of the compiled functions passed to them."""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from planbatch.planner.kernels.decode import JobClasses
from planbatch.planner.kernels.futures import Futures
from planbatch.planner.ledger import empty_ledger
from planbatch.planner.model import IntArray, JobTable
from planbatch.planner.resources import no_windows
from planbatch.planner.round import NO_CAPACITIES, RoundArrays, RunningTable

_column = np.zeros(1, dtype=np.int64)
_table = np.zeros((1, 0), dtype=np.int64)  # of any number of columns
_numbers = np.zeros((1, 0))  # of any number of columns
_jobs = JobTable._make([*[_column] * (len(JobTable._fields) - 2), _table, _numbers])
_running = RunningTable(_column, _column, _table)

INT64_ARRAY = typeof(_column)
FLOAT64_ARRAY = typeof(np.zeros(1))
JOB_TABLE = typeof(_jobs)
GENERATOR = typeof(np.random.default_rng(0))

#: ``cost(start, jobs, now) -> float``: a compiled objective.
COST = types.FunctionType(types.float64(INT64_ARRAY, JOB_TABLE, types.int64))
#: ``keys(jobs, now) -> float64 array``: a compiled order.
ORDER_KEYS = types.FunctionType(FLOAT64_ARRAY(JOB_TABLE, types.int64))
#: ``follow(news, memory, jobs, now)``: a compiled history; see :mod:`history`.
FOLLOW = types.FunctionType(
    types.void(typeof(_table), typeof(_numbers), JOB_TABLE, types.int64),
)


class Report(IntEnum):
    """Positions in ``report``, of what a policy that searches reports about a round."""

    EVALUATIONS = 0  #: plans evaluated after the first ones
    SEED_COST = 1  #: cost of the best first plan
    COST = 2  #: cost of the plan


class RoundTypes(NamedTuple):
    """The types of what depends on whether processors are the only resource.

    Attributes
    ----------
    arrays, classes
        :class:`RoundArrays` and :class:`JobClasses`.
    decide
        ``decide(round, order, cost, params, rng, start, report)``: a compiled policy. It writes its plan into
        ``start`` and, if it searches, fills ``report`` (see :class:`Report`).
    guard
        ``guard(asked, plan, guaranteed)``: what mends plans that could break promises; see :mod:`guarantees`.
    """

    arrays: Any
    classes: Any
    decide: Any
    guard: Any


def _round_types(capacities: IntArray, amounts: IntArray) -> RoundTypes:
    columns = (_column, False, _column, _column)
    known = (capacities, no_windows(0), empty_ledger())
    arrays = typeof(RoundArrays(0, 1, _running, _jobs, *columns, *known))
    profiles = np.zeros((1, *amounts.shape), dtype=np.int64)
    futures = Futures(
        _table,
        _table,
        _table,
        _table,
        _column,
        profiles,
        _column,
        _column,
        _column,
        amounts,
        np.zeros(1),
        0.0,
    )
    classes = JobClasses._make([*[_column] * 5, amounts, amounts, futures])
    given = (ORDER_KEYS, COST, FLOAT64_ARRAY, GENERATOR, INT64_ARRAY, FLOAT64_ARRAY)
    return RoundTypes(
        arrays,
        typeof(classes),
        types.FunctionType(types.void(arrays, *given)),
        types.FunctionType(types.void(arrays, INT64_ARRAY, INT64_ARRAY)),
    )


_PROCESSORS_ALONE = _round_types(NO_CAPACITIES, _column)
_SEVERAL_RESOURCES = _round_types(_column, _table)


def round_types(several: bool) -> RoundTypes:
    """Return the types for machines with several resources, or for those with processors alone."""
    return _SEVERAL_RESOURCES if several else _PROCESSORS_ALONE
