"""What one user does to the others, under Slurm alone and under planbatch: findings that tests hold on to.

python -m tests.live.lab.harm [--policy plan-wait] [--promise 0s]
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from tests.live.lab.lab import NOBODY, Lab
from tests.live.lab.processes import arguments

#: Waits for what may take long under Slurm, too (s).
LONG = 180.0


def plain_jobs_beside_jobs_for_one_node(lab: Lab) -> float:
    """One user has n1 busy and forty jobs that ask for it; return when thirty plain jobs are done (s)."""
    return plain_jobs_beside(lab, "-wn1")


def plain_jobs_beside_jobs_for_a_licence(lab: Lab) -> float:
    """One user has the only licence and forty jobs that need it; return when thirty plain jobs are done (s)."""
    return plain_jobs_beside(lab, "-Lonly")


def plain_jobs_beside(lab: Lab, wish: str) -> float:
    """One user has what she wishes, and forty jobs that wait for it."""
    lab.submit("-N1", wish, "--exclusive", "-t3", seconds=150, user=NOBODY)
    lab.wait_for("it runs", lambda jobs: any(job.running for job in jobs.values()))
    for _ in range(40):
        lab.submit("-N1", wish, "--exclusive", "-t1", user=NOBODY)
    numbers = [lab.submit("-N1", "--exclusive", "-t2", seconds=4) for _ in range(30)]
    lab.wait_for_state("COMPLETED", *numbers, patience=LONG)
    jobs = lab.jobs()
    first = min(jobs[one].submit_time for one in numbers)
    return max(jobs[one].end_time for one in numbers) - first


def a_large_job_among_small_ones(lab: Lab) -> float:
    """Return how long a job of all nodes waits in a stream of jobs of one node that never ends (s)."""
    with stream(lab):
        time.sleep(4)
        number = lab.submit(f"-N{lab.nodes}", "--exclusive", "-t1")
        lab.wait_for("it starts", lambda jobs: jobs[number].state != "PENDING", LONG)
        job = lab.jobs()[number]
    return job.start_time - job.submit_time


@contextmanager
def stream(lab: Lab) -> Iterator[None]:
    """Jobs of one node, a minute's limit, 2 to 4 s, about as many as the nodes can take."""
    ends = threading.Event()

    def submit() -> None:
        count = 0
        while not ends.is_set():
            lab.submit("-N1", "--exclusive", "-t1", seconds=2 + count % 3, user=NOBODY)
            count += 1
            ends.wait(3 / lab.nodes)

    thread = threading.Thread(target=submit)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


CASES: tuple[Callable[[Lab], float], ...] = (
    plain_jobs_beside_jobs_for_one_node,
    plain_jobs_beside_jobs_for_a_licence,
    a_large_job_among_small_ones,
)


def main() -> None:
    """Measure every case under Slurm alone, in strict and in soft mode."""
    options = arguments(__doc__, case="", modes="alone,strict,soft", policy="plan-wait", promise="2x")
    flags = ("--policy", options.policy, "--promise", options.promise)
    with Lab(strict=True) as lab:
        for case in CASES:
            if options.case not in case.__name__:
                continue
            for mode in options.modes.split(","):
                driven = lab.drive(mode, *flags) if mode != "alone" else nullcontext()
                try:
                    with driven:
                        result = f"{case(lab):.0f} s"
                except TimeoutError as error:
                    result = str(error)
                print(f"{case.__name__}, {mode}: {result}", flush=True)
                lab.cancel_all()
                lab.forget_drivers()


if __name__ == "__main__":
    main()
