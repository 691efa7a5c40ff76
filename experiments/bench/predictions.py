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
    known = [f"predicted:{name}" for name in PREDICTORS]
    calls = [partial(replay, workload, "easy", estimates=name) for name in ("requested", *known)]
    for call in calls:
        call()
    reference, *taken = best_times(*calls, clock=process_time)
    for name, mine in zip(known, taken, strict=True):
        yield Measurement(name, mine, "s of processor time")
        yield Measurement(f"{name}: takes", mine / reference, "× requests")
