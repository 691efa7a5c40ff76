"""Tasks that fail alone."""

import os
from functools import partial
from threading import Lock

from planbatch.experiments.tasks.failure import Failure
from planbatch.experiments.tasks.isolated import run_isolated


def double(number: int) -> int:
    """Fail in one way for 1, in another for 2."""
    if number == 1:
        raise KeyError("one")
    if number == 2:
        os._exit(3)
    return 2 * number


def test_an_exception_costs_one_task_its_result():
    """In this process, and in order."""
    outcomes = list(run_isolated([partial(double, n) for n in (0, 1, 3)]))
    assert outcomes == [(0, 0), (1, Failure("KeyError: 'one'")), (2, 6)]


def test_a_crash_of_its_process_costs_one_task_its_result():
    """The tasks that shared the processes with it are run again, and those behind it as well."""
    outcomes = dict(run_isolated([partial(double, n) for n in range(7)], jobs=2))
    assert outcomes.pop(1) == Failure("KeyError: 'one'")
    assert outcomes.pop(2) == Failure("its process crashed, again and again")
    assert outcomes == {n: 2 * n for n in (0, 3, 4, 5, 6)}


def echo(number: int, data: bytes) -> bytes:
    """Give the data again, or end this process with them unread by anybody."""
    if number == 2:
        os._exit(3)
    return data


def test_large_tasks_and_results_do_not_hang_where_a_process_ends():
    """Longer than any pipe: whoever wrote them to dead processes, or read half of one, would wait for ever."""
    data = bytes(4_000_000)
    outcomes = dict(run_isolated([partial(echo, n, data) for n in range(6)], jobs=2))
    assert outcomes.pop(2) == Failure("its process crashed, again and again")
    assert outcomes == dict.fromkeys((0, 1, 3, 4, 5), data)


def test_what_cannot_travel_fails_alone():
    """A task that holds a lock cannot be sent to another process."""
    outcomes = dict(run_isolated([Lock().locked, partial(double, 4)], jobs=2))
    assert isinstance(outcomes[0], Failure)
    assert outcomes[1] == 8
