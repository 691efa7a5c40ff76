"""Gradient-boosted trees for a quantile of the quotient of run time and request, learned anew on a schedule.

scikit-learn grows the trees, between two rounds, of jobs that have ended; they are written into the state as numbers,
and the core (``core/user_history/boosted.hpp``) walks down them whenever a job is submitted. (Friedman: "Greedy
Function Approximation: A Gradient Boosting Machine", Annals of Statistics 29, 2001; the pinball loss of a quantile:
Koenker, Bassett, Econometrica 46, 1978.)
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from planbatch import _core
from planbatch.planner.columns import FloatArray, IntArray
from planbatch.planner.durations import seconds_of
from planbatch.planner.history.history import Event, EventColumn, History
from planbatch.planner.history.predictor import Predictor, corrector_of

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingRegressor

BOOSTED = _core.Boosted()
PREDICTION = 1
#: The numbers of the state per job: the features from ``FIRST_FEATURE`` on; see the core.
KEPT, FIRST_FEATURE, FEATURES = BOOSTED.kept, BOOSTED.FIRST_FEATURE, BOOSTED.FEATURES
#: At most so many trees of so many levels. Trees are full, and their nodes numbered as in a heap: the leaves come last.
MOST_TREES, DEPTH = BOOSTED.MOST_TREES, BOOSTED.DEPTH
LEAVES = 2**DEPTH
NODES = 2 * LEAVES - 1
#: A node: its feature, and the threshold up to which it goes left; of a leaf, its value in the place of the threshold.
NODE = 2
#: What is shared: the number of trees, the first prediction, how many jobs have ended and how many had at the last
#: lesson, and the trees.
TREES, BASE, ENDED = BOOSTED.TREES, BOOSTED.BASE, BOOSTED.ENDED
LEARNED, FIRST = BOOSTED.LEARNED, BOOSTED.FIRST_TREE
SHARED = BOOSTED.shared
#: So few ended jobs teach nothing.
FEWEST = 50

value_of = _core.Boosted.value


def shared_numbers(state: FloatArray) -> FloatArray:
    """Return the numbers of the state for all jobs: a view of it."""
    end = (len(state) - 1) * state.shape[1]
    return state.reshape(state.size)[end - SHARED : end]


def features_of(state: FloatArray, jobs: IntArray) -> FloatArray:
    """Return the features of jobs at their submission, a row each."""
    first = (len(state) - 1) * state.shape[1] - SHARED - KEPT + FIRST_FEATURE
    positions = (first - jobs * KEPT)[:, None] + np.arange(FEATURES)
    features: FloatArray = state.reshape(state.size)[positions]
    return features


@dataclass(frozen=True)
class TreeFit:
    """Grows the trees from the jobs that ended last."""

    every: int  #: at least so much time lies between two lessons (s)
    quantile: float  #: which quantile of run time / request is predicted
    trees: int  #: how many trees
    jobs: int  #: of how many jobs
    rate: float  #: the learning rate
    #: So many times as many jobs have to have ended as at the last lesson; 1 for a lesson every time.
    growth: float = 1.0

    def enough(self, state: FloatArray) -> int:
        """Return how many jobs have to have ended before the next lesson."""
        learned = shared_numbers(state)[LEARNED]
        return max(FEWEST, math.ceil(self.growth * learned))

    def __call__(self, events: IntArray, state: FloatArray) -> None:
        """Learn from all events so far; write the trees into the state."""
        shared = shared_numbers(state)
        if shared[ENDED] < self.enough(state):
            return
        rows = np.flatnonzero(events[:, EventColumn.EVENT] == Event.ENDED)
        ended = events[rows[-self.jobs :]]
        features = features_of(state, ended[:, EventColumn.JOB])
        quotients = ended[:, EventColumn.RUNTIME] / ended[:, EventColumn.WALLTIME]
        self.write(self.fit_trees(features, quotients), shared)
        shared[LEARNED] = len(rows)

    def fit_trees(self, features: FloatArray, quotients: FloatArray) -> "HistGradientBoostingRegressor":
        """Return scikit-learn's model of these jobs, grown by one thread, so that it is the same everywhere."""
        model = regressor()(
            loss="quantile", quantile=self.quantile, max_iter=self.trees, max_depth=DEPTH,
            learning_rate=self.rate, min_samples_leaf=10, early_stopping=False, random_state=0,
        )  # fmt: skip
        with controller().limit(limits=1):
            return model.fit(features, quotients)

    def write(self, model: "HistGradientBoostingRegressor", into: FloatArray) -> None:
        """Write scikit-learn's model as numbers."""
        into[FIRST:] = 0.0
        into[TREES] = self.trees
        into[BASE] = np.ravel(model._baseline_prediction)[0]  # noqa: SLF001 - its trees have no other door
        for i, (predictor,) in enumerate(model._predictors):  # noqa: SLF001
            tree = predictor.nodes
            nodes = into[FIRST + i * NODES * NODE :][: NODES * NODE].reshape(NODES, NODE)
            theirs = [0] * NODES
            for ours in range(NODES):
                node = tree[theirs[ours]]
                if ours >= NODES - LEAVES:
                    nodes[ours, 1] = node["value"]
                elif node["is_leaf"]:
                    # above the last level: everything goes left, to a leaf of the same value
                    nodes[ours] = 0, np.inf
                    theirs[2 * ours + 1] = theirs[ours]
                else:
                    nodes[ours] = node["feature_idx"], node["num_threshold"]
                    theirs[2 * ours + 1], theirs[2 * ours + 2] = node["left"], node["right"]


@cache
def controller() -> Any:
    """Return what limits the threads of the libraries that scikit-learn uses; finding these takes 20 ms."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def regressor() -> Any:
    """Return scikit-learn's class of boosted trees; ``ValueError`` if scikit-learn is not installed."""
    try:
        from sklearn.ensemble import HistGradientBoostingRegressor
    except ImportError:
        raise ValueError(
            "predictor: boosted needs scikit-learn; install it with: pip install 'planbatch[predictions]'"
        ) from None
    return HistGradientBoostingRegressor


def _schedule(every: str) -> int:
    """Read the time between two lessons (s)."""
    try:
        seconds = seconds_of(every)
    except ValueError as error:
        raise ValueError(f"every: {error}") from None
    if seconds < 1:
        raise ValueError(f"every: {every} is less than a second")
    return seconds


def boosted(
    quantile: float = 0.5,
    every: str = "7d",
    trees: int = 12,
    jobs: int = 4000,
    rate: float = 0.4,
    growth: float = 8.0,
    correction: str = "at-start",
) -> Predictor:
    """Boosted trees for a quantile of run time / request, learned anew every so often from the jobs that ended last.

    A lesson is due after ``every``, once ``growth`` times as many jobs have ended as at the one before; ``growth=1``
    for one every time. Until 50 jobs have ended, and the first lesson is over, the request. A larger ``quantile``
    underestimates less often. Needs scikit-learn (``pip install 'planbatch[predictions]'``).
    """
    regressor()
    if not 0.0 < quantile < 1.0:
        raise ValueError(f"quantile: {quantile} is not between 0 and 1")
    if not 1 <= trees <= MOST_TREES:
        raise ValueError(f"trees: {trees} is not between 1 and {MOST_TREES}")
    if jobs < FEWEST:
        raise ValueError(f"jobs: {jobs} is below {FEWEST}")
    if not 0.0 < rate <= 1.0:
        raise ValueError(f"rate: {rate} is not above 0 and at most 1")
    if not 1.0 <= growth < float("inf"):
        raise ValueError(f"growth: {growth} is below 1, or no number")
    lesson = TreeFit(_schedule(every), quantile, trees, jobs, rate, growth)
    return Predictor(History(BOOSTED, lesson), PREDICTION, corrector_of(correction))
