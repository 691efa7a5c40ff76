"""How a reproduction runs: where its logs come from, and its replays, some at a time."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import TypeVar

from baselines.policy import Policy
from experiments.board import Tell
from experiments.parallel import run_tasks
from experiments.replay import Estimates, Trace, bound, replay, warm_up
from experiments.swf_log import SwfLog
from experiments.transform import in_span
from experiments.workload_source import load_log, to_stderr
from planner.model import Workload

Key = TypeVar("Key", bound=Hashable)

#: What ``--quick`` leaves of a log: the first months.
QUICK_SECONDS = 90 * 86400


@dataclass(frozen=True)
class Run:
    """The choices of one run.

    Attributes
    ----------
    out : Path
        Folder of what is written.
    quick : bool
        Only the first months of every log, for a look.
    jobs : int
        Processes.
    workloads : Path, optional
        Folder with the logs (``NAME.swf.gz`` or ``NAME.swf``); by default, those that were fetched.
    tell : callable
        Told what happens, line by line.
    full : bool
        Also what takes an hour or more, where a paper has such a part.
    """

    out: Path
    quick: bool = False
    jobs: int = 1
    workloads: Path | None = None
    tell: Callable[[str], None] = to_stderr
    full: bool = False

    def log(self, name: str) -> SwfLog | None:
        """Find and read a log; tell where it is not there, and return None."""
        sources: list[str | Path] = [name]
        if self.workloads is not None:
            sources = [self.workloads / f"{name}{end}" for end in (".swf.gz", ".swf")]
            sources = [source for source in sources if Path(source).is_file()] or [name]
        try:
            return load_log(sources[0], tell=self.tell)
        except FileNotFoundError as error:
            self.tell(f"left out: {error}")
            return None

    def shortened(self, workload: Workload) -> Workload:
        """Leave the first months of a workload, where the run is quick."""
        return in_span(workload, 0, QUICK_SECONDS) if self.quick else workload

    def replays(
        self, tasks: Mapping[Key, tuple[Workload, Policy]], estimates: Estimates = "requested"
    ) -> dict[Key, Trace]:
        """Replay workloads under policies, ``jobs`` at a time.

        The traces' ``seconds`` are processor time, compilation excluded: other processes do not
        count.
        """
        keys = list(tasks)
        calls = [
            partial(_replay, load, bound(policy, load), estimates)
            for load, policy in tasks.values()
        ]
        traces = dict(run_tasks(calls, [str(key) for key in keys], self.jobs))
        return {key: traces[place] for place, key in enumerate(keys)}


def _replay(workload: Workload, policy: Policy, estimates: Estimates, tell: Tell) -> Trace:
    warm_up(policy)
    began = process_time()
    trace = replay(workload, policy, estimates=estimates, progress=tell)
    return replace(trace, seconds=process_time() - began)
