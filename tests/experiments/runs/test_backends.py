"""Lists of tasks: an exception or a crash costs one task its result, and no other."""

import os
from threading import Lock
from time import sleep

import pytest

from planbatch.experiments.runs.backends import make_backend, run_tasks
from planbatch.experiments.runs.task import Failure, without_progress

pytestmark = pytest.mark.integration


def double(number: int) -> int:
    """Fail in one way for 1, in another for 2."""
    if number == 1:
        raise KeyError("one")
    if number == 2:
        os._exit(3)
    return 2 * number


def errors(outcome):
    """Give a result, or what a failure says."""
    return outcome.error.partition(" (")[0] if isinstance(outcome, Failure) else outcome


def test_an_exception_costs_one_task_its_result():
    """In this process, and in order."""
    outcomes = list(run_tasks([without_progress(double, n) for n in (0, 1, 3)]))
    assert [(place, errors(outcome)) for place, outcome in outcomes] == [(0, 0), (1, "KeyError: 'one'"), (2, 6)]


def test_a_crash_of_its_process_costs_one_task_its_result():
    """The tasks that shared the processes with it are run again, and those behind it as well."""
    outcomes = dict(run_tasks([without_progress(double, n) for n in range(4)], jobs=2))
    assert errors(outcomes.pop(1)) == "KeyError: 'one'"
    assert outcomes.pop(2) == Failure("its process crashed, again and again")
    assert outcomes == {n: 2 * n for n in (0, 3)}


def echo(number: int, data: bytes) -> bytes:
    """Give the data again, or end this process with them unread by anybody."""
    if number == 2:
        os._exit(3)
    return data


def test_large_tasks_and_results_do_not_hang_where_a_process_ends():
    """Longer than any pipe: whoever wrote them to dead processes, or read half of one, would wait for ever."""
    data = bytes(4_000_000)
    outcomes = dict(run_tasks([without_progress(echo, n, data) for n in range(4)], jobs=2))
    assert outcomes.pop(2) == Failure("its process crashed, again and again")
    assert outcomes == dict.fromkeys((0, 1, 3), data)


held: list[bytearray] = []


def grow(number: int) -> int:
    """Keep 400 MB of this process for ever, after the first task; joblib looks every second."""
    if number:
        held.append(bytearray(400_000_000))
    sleep(1.1)
    return number


def test_processes_that_grow_are_replaced():
    """Joblib warns of it in its own thread, which the filter of these tests would end: the run would hang."""
    assert dict(run_tasks([without_progress(grow, n) for n in range(6)], jobs=2)) == {n: n for n in range(6)}


def test_what_cannot_travel_fails_alone():
    """A task that holds a lock cannot be sent to another process."""
    outcomes = dict(run_tasks([Lock().acquire, without_progress(double, 4)], jobs=2))
    assert isinstance(outcomes[0], Failure)
    assert outcomes[1] == 8


def test_progress_is_passed_on():
    def count(report):
        report(1)
        report(2)

    for jobs in (1, 2):
        counts = {}
        with make_backend("loky", jobs) as run:
            list(run([count, count], counts.__setitem__))
        assert counts == {0: 2, 1: 2}


class PickyError(Exception):
    """An exception that does not survive pickling: its constructor wants two arguments."""

    def __init__(self, first, other):
        super().__init__(f"{first} and {other}")


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_task_raised_can_be_raised_again(jobs):
    """As it was, if it can be sent between processes; else by its message."""

    def picky():
        raise PickyError(1, 2)

    tasks = [without_progress(double, 1), without_progress(picky)]
    first, second = (outcome for _, outcome in sorted(run_tasks(tasks, jobs)))
    with pytest.raises(KeyError, match="one"):
        raise first.cause("first")
    assert second.error.startswith(f"PickyError: 1 and 2 ({__file__}, line ")
    with pytest.raises((PickyError, ChildProcessError), match="1 and 2"):
        raise second.cause("second")
