"""What a replay costs if run times are predicted, against one by requests, in the same run."""

from collections.abc import Iterator
from functools import partial
from time import process_time

from planbatch.experiments.bench.measure import best_times
from planbatch.experiments.bench.measurement import Measurement
from planbatch.experiments.replay.replay import replay
from planbatch.planner.model import Workload
from planbatch.planner.predictors import PREDICTORS


def measure_predictions(workload: Workload) -> Iterator[Measurement]:
    """Processor seconds of replays under EASY with each predictor, and how many times those by requests.

    EASY needs a microsecond a job: under no other policy that plans is so large a share the predictor's.
    """
    requested = partial(replay, workload, "easy")
    requested()
    for name in PREDICTORS:
        predicted = partial(replay, workload, "easy", estimates=f"predicted:{name}")
        predicted()
        mine, reference = best_times(predicted, requested, process_time)
        about = f"predicted:{name}"
        yield Measurement(about, mine, "s of processor time")
        yield Measurement(f"{about}: takes", mine / reference, "× requests")
