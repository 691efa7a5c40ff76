"""The constraint model of a round for CP-SAT; OR-Tools is imported by the first one: it takes time."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from planbatch import _core
from planbatch.planner.bounds.separable import ROW_ITERATIONS, Relaxation, relax
from planbatch.planner.bounds.staircase import EXACT, staircase
from planbatch.planner.model import NEVER, FloatArray, IntArray
from planbatch.planner.objective import Objective
from planbatch.planner.profile import Profile
from planbatch.planner.round import Round
from planbatch.planner.terms import Terms, equal_jobs, terms_cost

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import LinearExpr

#: Weights that are not whole numbers are rounded down to multiples of the largest divided by this.
WEIGHT_PARTS = 10_000
#: Tangents below a squared term.
TANGENTS = 16
#: No sum in a model is larger, so that the solver cannot overflow.
LARGEST_SUM = 2.0**60
#: Pieces of each job's starts whose excess over the Lagrangian bound is modelled, and for up to how many jobs.
PIECES = 16
MOST_JOBS = 25


class ScaledRound(NamedTuple):
    """A round in units of time, with now at 0, and its terms."""

    problem: Round
    terms: Terms | None
    unit: int


def scale(problem: Round, terms: Terms | None, unit: int) -> ScaledRound:
    """Coarsen a round: durations and expected ends are rounded up, so that its plans are feasible."""
    now = problem.now

    def up(values: IntArray) -> IntArray:
        return -(-values // unit)

    jobs = problem.jobs._replace(
        submit=(problem.jobs.submit - now) // unit,
        walltime=up(problem.jobs.walltime),
        deadline=np.where(problem.jobs.deadline == NEVER, NEVER, (problem.jobs.deadline - now) // unit),
        latest=np.where(problem.jobs.latest == NEVER, NEVER, (problem.jobs.latest - now) // unit),
    )
    running = problem.running._replace(end=up(problem.running.end - now))
    windows = problem.windows._replace(start=(problem.windows.start - now) // unit, end=up(problem.windows.end - now))
    planned = np.full(len(problem), NEVER)
    if terms is not None:
        origin = np.where(terms.origin == NEVER, NEVER, (terms.origin - now) // unit)
        terms = terms._replace(origin=origin)
    coarse = Round(0, problem.capacity, running, jobs, planned, resources=problem.resources, windows=windows)
    return ScaledRound(coarse, terms, unit)


def latest_starts(problem: Round, terms: Terms, start: IntArray) -> FloatArray:
    """Return the time from which the start of each job makes the plan dearer than the given one; infinite if unknown.

    At the prices of the Lagrangian bound, a job that starts later than this exceeds its share of the bound by more
    than the gap (reduced-cost fixing).
    """
    cost = terms_cost(terms, start) * terms.divisor
    if terms.largest:
        late = np.full(len(start), np.inf)
        np.divide(cost, terms.weight, out=late, where=terms.weight > 0)
        late **= 1 / terms.power
        limit: FloatArray = terms.origin + late * (1 + 1e-9) + 1
        return limit
    relaxed = relax(problem, terms, start)
    goal = cost - relaxed.offset
    shares = best_shares(relaxed, goal)
    gap = goal - shares.base + 1e-7 * abs(goal) + 1
    each: FloatArray = shares.latest(gap)[relaxed.entry] + problem.now
    return each


def best_shares(relaxed: Relaxation, goal: float) -> _core.Shares:
    """Return the shares of the Lagrangian bound at the best prices found; ``goal`` is the cost of a plan."""
    _, price = relaxed.market.climb(relaxed.price, goal, ROW_ITERATIONS)
    return _core.Shares(relaxed.market, price)


class Pieces(NamedTuple):
    """The least excess over the Lagrangian bound, by when jobs start (whole units of time from now)."""

    bound: float  #: the Lagrangian bound of the sum of the terms
    cuts: list[IntArray]  #: for each job, the beginnings of its pieces
    #: For each job, the least excess of a start in each piece over the job's share of the bound.
    excess: list[FloatArray]


def excess_pieces(problem: Round, terms: Terms, start: IntArray, pieces: int) -> Pieces:
    """Cut the starts of each job into pieces, at the prices of the Lagrangian bound; ``problem`` begins at 0."""
    relaxed = relax(problem, terms, start)
    goal = terms_cost(terms, start) * terms.divisor - relaxed.offset
    shares = best_shares(relaxed, goal)
    cuts, excess = [], []
    for j in range(len(relaxed.market)):
        when = shares.breakpoints(j)
        indices = np.linspace(0, len(when) - 1, min(pieces, len(when))).astype(np.int64)
        begin = np.unique(np.ceil(when[indices]).astype(np.int64))
        points = np.union1d(when, begin.astype(np.float64))
        value = shares.excess(j, points)
        first = np.searchsorted(points, begin)
        last = np.append(first[1:] + 1, len(points))
        each = [value[a:b].min() for a, b in zip(first, last, strict=True)]
        cuts.append(begin)
        excess.append(np.maximum(0.0, np.array(each)))
    entry = relaxed.entry.tolist()
    bound = shares.base + relaxed.offset
    return Pieces(bound, [cuts[e] for e in entry], [excess[e] for e in entry])


def finest_unit(problem: Round, terms: Terms | None) -> int:
    """Return the smallest unit of time (s) in which no sum of the model overflows: 1 except in extreme rounds."""
    jobs, now = problem.jobs, problem.now
    horizon = float(problem.running.end.max(initial=now) - now) + float(jobs.walltime.sum())
    unit = max(1.0, horizon * float(jobs.procs.max()) * len(problem) / LARGEST_SUM)
    if terms is not None:
        weight = terms.weight
        whole = (weight == np.floor(weight)).all()
        parts = weight if whole else np.ceil(weight * WEIGHT_PARTS / weight.max())
        late = np.maximum(0.0, horizon + now - terms.origin)
        most = float((parts * late**terms.power).sum())
        unit = max(unit, (most / LARGEST_SUM) ** (1 / terms.power))
    return int(np.ceil(unit))


class Frame(NamedTuple):
    """The fixed surroundings of a window of a plan, in units of time from now."""

    #: Shape (steps,): steps of time.
    begin: IntArray
    length: IntArray
    #: Shape (steps, K): amounts taken in each: by running jobs, known windows, and jobs whose starts stay.
    taken: IntArray
    horizon: int  #: the latest start considered


def fixed_frame(problem: Round) -> Frame:
    """Return what running jobs and known windows take in a round that begins at 0."""
    profile = Profile(problem)
    free = profile.free.reshape(len(profile.times), -1)
    amounts = problem.capacities - free[:-1]
    return Frame(profile.times[:-1], np.diff(profile.times), amounts, int(profile.times[-1]))


class RoundModel:
    """The constraint model of a round in units of time; with a frame, of a window of its plan.

    In a window, the search for latest starts and excesses is left out: it would take longer than the solver does.
    """

    def __init__(
        self, scaled: ScaledRound, objective: Objective, problem: Round, hint: IntArray, frame: Frame | None = None
    ) -> None:
        from ortools.sat.python import cp_model

        self.model = cp_model.CpModel()
        self.scaled = scaled
        self.problem = scaled.problem
        self.is_whole = frame is None
        self.frame = fixed_frame(self.problem) if frame is None else frame
        self.parts = 1.0
        self.first = staircase(self.problem).earliest(self.problem.jobs.procs).astype(np.int64)
        self.hint = self._order_equal_jobs(hint)
        self.starts = self._variables()
        self._resource()
        if scaled.terms is not None:
            self._terms(scaled.terms)
        else:
            seconds = [problem.now + scaled.unit * start for start in self.starts]
            assert objective.cp_cost is not None
            self.model.minimize(objective.cp_cost(self.model, seconds, problem.jobs, problem.now))

    def _groups(self) -> list[IntArray]:
        """Return groups of equal jobs, in the order in which they are to start."""
        if self.scaled.terms is None:
            return []
        order, differs = equal_jobs(self.problem, self.scaled.terms)
        return np.split(order, np.flatnonzero(differs) + 1)

    def _order_equal_jobs(self, hint: IntArray) -> IntArray:
        """Return the hint, with the starts of equal jobs in their order."""
        hint = hint.copy()
        for group in self._groups():
            hint[group] = np.sort(hint[group])
        return hint

    def _variables(self) -> list[Any]:
        """Make hinted variables for the starts, from the earliest possible to the latest useful; equal jobs ordered."""
        jobs, terms, hint = self.problem.jobs, self.scaled.terms, self.hint
        horizon = self.frame.horizon
        if self.is_whole:
            horizon = int(max(hint.max(), horizon) + jobs.walltime.sum())
        last = np.minimum(horizon, jobs.latest).astype(np.float64)
        if terms is not None and self.is_whole:
            last = np.minimum(last, latest_starts(self.problem, terms, hint))
        # A hint outside would be lost; rounding may put it there.
        last = np.maximum(np.floor(last), hint).astype(np.int64)
        self.last = last
        starts = [
            self.model.new_int_var(int(low), int(high), f"start{j}")
            for j, (low, high) in enumerate(zip(self.first, last, strict=True))
        ]
        for start, value in zip(starts, hint, strict=True):
            self.model.add_hint(start, int(value))
        for group in self._groups():
            for before, after in pairwise(group):
                self.model.add(starts[before] <= starts[after])
        return starts

    def _resource(self) -> None:
        """Limit waiting jobs to what running jobs and windows leave of each resource; wide jobs exclude each other."""
        jobs, problem = self.problem.jobs, self.problem
        intervals = [
            self.model.new_fixed_size_interval_var(start, int(walltime), f"job{j}")
            for j, (start, walltime) in enumerate(zip(self.starts, jobs.walltime, strict=True))
        ]
        wide = [intervals[j] for j in np.flatnonzero(2 * jobs.procs > problem.capacity)]
        if len(wide) > 1:
            self.model.add_no_overlap(wide)
        frame = self.frame
        steps = [
            self.model.new_fixed_size_interval_var(begin, length, "taken")
            for begin, length in zip(frame.begin.tolist(), frame.length.tolist(), strict=True)
        ]
        for k, capacity in enumerate(problem.capacities.tolist()):
            demands = problem.demands[:, k].tolist() + frame.taken[:, k].tolist()
            self.model.add_cumulative(intervals + steps, demands, capacity)

    def _terms(self, terms: Terms) -> None:
        """State the terms, with whole weights."""
        weight = terms.weight
        if not (weight == np.floor(weight)).all():
            self.parts = WEIGHT_PARTS / float(weight.max())
        parts = np.floor(weight * self.parts).astype(np.int64)
        costs = []
        for j in np.flatnonzero(parts):
            late, hint = self._lateness(int(j), int(terms.origin[j]))
            if terms.power == 2:
                late, hint = self._square(int(j), late, int(terms.origin[j]), hint)
            costs.append((int(parts[j]) * late, int(parts[j]) * hint))
        if terms.largest:
            most = max((0, *(hint for _, hint in costs)))
            top = self.model.new_int_var(0, most, "largest")
            for cost, _ in costs:
                self.model.add(top >= cost)
            self.model.add_hint(top, most)
            self.model.minimize(top)
        else:
            total = sum(cost for cost, _ in costs)
            self.model.minimize(total)
            exact = self.scaled.unit == 1 and self.parts == 1.0 and self.is_whole
            if exact and len(self.starts) <= MOST_JOBS:
                self._excess(terms, total)

    def _excess(self, terms: Terms, total: "LinearExpr") -> None:
        """Constrain the sum of the terms to at least the Lagrangian bound and the excess of every start."""
        goal = terms_cost(terms, self.hint) * terms.divisor
        pieces = excess_pieces(self.problem, terms, self.hint, PIECES)
        slack = 1e-7 * goal + 1
        parts = []
        for j, start in enumerate(self.starts):
            cuts, excess = pieces.cuts[j], np.floor(pieces.excess[j]).astype(np.int64)
            ends = np.append(cuts[1:] - 1, max(self.last[j], cuts[-1]))
            literals = []
            for a, b, e in zip(cuts.tolist(), ends.tolist(), excess.tolist(), strict=True):
                hinted = a <= self.hint[j] <= b
                if a > self.last[j] or (pieces.bound + e - slack > goal and not hinted):
                    continue
                literal = self.model.new_bool_var("")
                self.model.add_linear_constraint(start, a, b).only_enforce_if(literal)
                self.model.add_hint(literal, bool(hinted))
                literals.append(literal)
                parts.append(e * literal)
            self.model.add_exactly_one(literals)
        self.model.add(total >= int(np.floor(pieces.bound - slack)) + sum(parts))

    def _lateness(self, j: int, origin: int) -> tuple[Any, int]:
        """Return max(0, start − origin) and its hint."""
        start, hint = self.starts[j], max(0, int(self.hint[j]) - origin)
        if origin <= self.first[j]:
            return start - origin, hint
        late = self.model.new_int_var(0, max(0, int(self.last[j]) - origin), f"late{j}")
        self.model.add(late >= start - origin)
        self.model.add_hint(late, hint)
        return late, hint

    def _square(self, j: int, late: "LinearExpr", origin: int, hint: int) -> tuple[Any, int]:
        """Return a variable above the tangents of late², and its hint."""
        low, high = max(0, int(self.first[j]) - origin), max(0, int(self.last[j]) - origin)
        square = self.model.new_int_var(low * low, high * high, f"square{j}")
        # Through a² and (a + 1)²: exact at both, below the square at every other whole number.
        starts = np.linspace(low, max(low, high - 1), TANGENTS).astype(np.int64)
        for a in np.unique(starts).tolist():
            self.model.add(square >= (2 * a + 1) * late - a * (a + 1))
        if len(self.starts) <= MOST_JOBS and self.scaled.unit == 1:
            # Exact, for the sake of a proof; with more jobs it only slows the search down.
            self.model.add_multiplication_equality(square, [late, late])
        self.model.add_hint(square, hint * hint)
        return square, hint * hint

    def cost_of(self, value: float) -> float:
        """Return the bound of the cost that follows from the model's bound, if the model is in seconds."""
        assert self.scaled.terms is not None
        if self.parts == 1.0 and abs(value) < EXACT:
            return float(np.ceil(value - 1e-6)) / self.scaled.terms.divisor
        return (value - 1e-9 * abs(value)) / self.parts / self.scaled.terms.divisor
