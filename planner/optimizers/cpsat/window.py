"""Solving a window of a plan with CP-SAT: all other jobs keep their starts."""

from typing import NamedTuple

import numpy as np

from planbatch.planner.model import IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.optimizers.cpsat.model import Frame, RoundModel, ScaledRound, fixed_frame, scale
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, terms_of_some


class Repair(NamedTuple):
    """The outcome of solving a window."""

    #: Shape (n,): a plan of the whole round (s), feasible and no dearer in the window's terms than the one before; or
    #: that one.
    start: IntArray
    used: float  #: the solver's deterministic time


def frame_of(problem: Round, start: IntArray, window: IntArray) -> Frame:
    """Return what is taken around a window, up to the end of its jobs, in a round with now at 0.

    ``window`` has the indices of the free jobs; the others keep their starts, shape (n,).
    """
    walltime = problem.jobs.walltime
    end = start + walltime
    horizon = max(0, int(end[window].max() - walltime[window].min()))
    limit = horizon + int(walltime[window].max())
    fixed = fixed_frame(problem)
    stays = np.setdiff1d(np.arange(len(problem)), window)
    stays = stays[start[stays] < limit]
    begin = np.concatenate([fixed.begin, start[stays]])
    until = np.concatenate([fixed.begin + fixed.length, end[stays]])
    amount = np.concatenate([fixed.taken, problem.demands[stays]])
    times = np.unique(np.concatenate([begin, until]))
    change = np.zeros((len(times), amount.shape[1]), dtype=np.int64)
    np.add.at(change, np.searchsorted(times, begin), amount)
    np.add.at(change, np.searchsorted(times, until), -amount)
    usage = np.cumsum(change, axis=0)[:-1]
    relevant = usage.any(axis=1) & (times[:-1] < limit)
    return Frame(times[:-1][relevant], np.diff(times)[relevant], usage[relevant], horizon)


def repair(
    problem: Round,
    objective: Objective,
    terms: Terms,
    start: IntArray,
    window: IntArray,
    seed: int,
    *,
    deterministic_time: float,
    seconds: float = float("inf"),
) -> Repair:
    """Find the best starts of the jobs of a window, given by their indices; the others keep those of the plan (s).

    The solver minimises the terms of the window. Its limits are a deterministic time and seconds, whichever comes
    first; a limit in seconds is not reproducible.
    """
    from ortools.sat.python import cp_model

    now = problem.now
    whole = scale(problem, terms, 1)
    assert whole.terms is not None
    part = whole.problem.only(window)
    own = terms_of_some(whole.terms, window)
    frame = frame_of(whole.problem, start - now, window)
    hint = start[window] - now
    model = RoundModel(ScaledRound(part, own, 1), objective, part, hint, frame)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.max_deterministic_time = deterministic_time
    if np.isfinite(seconds):
        solver.parameters.max_time_in_seconds = max(seconds, 0.0)
    solver.parameters.cp_model_presolve = False  # windows are small: it takes longer than it saves
    status = solver.solve(model.model)
    time_used = float(solver.response_proto.deterministic_time)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Repair(start, time_used)
    result = start.copy()
    result[window] = now + np.array([solver.value(variable) for variable in model.starts])
    return Repair(result, time_used)
