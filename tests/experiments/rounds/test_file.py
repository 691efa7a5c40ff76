"""Round files: what is read, what is written, and what is refused in one sentence."""

import copy
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from planbatch.experiments.rounds.file import read_round, round_from, round_to, write_round
from planbatch.planner.model import NEVER
from planbatch.planner.round import Round

GOOD = {
    "capacity": 8,
    "now": 100,
    "running": [{"procs": 4, "end": 200}],
    "waiting": [
        {"id": 7, "submit": 50, "procs": 8, "walltime": 100, "deadline": 900},
        {"id": 5, "submit": 20, "procs": 4, "walltime": 300},
    ],
}


def test_a_round_is_read_in_fcfs_order():
    """Jobs come in the order of their submission, with their ids; what is absent is NEVER."""
    problem = round_from(GOOD)
    assert (problem.capacity, problem.now, problem.free) == (8, 100, 4)
    assert problem.ids.tolist() == [5, 7]
    assert problem.jobs.submit.tolist() == [20, 50]
    assert problem.jobs.deadline.tolist() == [NEVER, 900]
    assert problem.planned.tolist() == [NEVER, NEVER]


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "round.json"
    problem = round_from(GOOD)
    write_round(path, problem, source="by hand")
    again = read_round(path)
    assert round_to(again) == round_to(problem)
    assert json.loads(path.read_text())["source"] == "by hand"
    assert np.array_equal(again.ids, problem.ids)


def changed(*path_and_value, of=GOOD):
    """A copy of a good round with one place changed (or deleted, for ``del``)."""
    *path, value = path_and_value
    data = copy.deepcopy(of)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is del_:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


del_ = object()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "round: expected an object, got list"),
        (changed("capacity", del_), "capacity: missing"),
        (changed("capacity", 0), "capacity: 0 is outside"),
        (changed("capacity", 2.5), "capacity: 2.5 is not a whole number"),
        (changed("capacity", True), "capacity: True is not a whole number"),
        (changed("colour", 1), "colour: unknown field"),
        (changed("running", {}), "running: expected a list, got dict"),
        (changed("running", 0, "end", 100), r"running\[0\].end: 100 is outside 101"),
        (changed("running", 0, "procs", 9), r"running\[0\].procs: 9 is outside 1 … 8"),
        (changed("running", [{"procs": 5, "end": 200}] * 2), "running: 10 processors in use"),
        (changed("waiting", 1, "procs", 9), r"waiting\[1\].procs: 9 is outside 1 … 8"),
        (changed("waiting", 1, "procs", -1), r"waiting\[1\].procs: -1 is outside"),
        (changed("waiting", 1, "walltime", 0), r"waiting\[1\].walltime: 0 is outside"),
        (changed("waiting", 1, "walltime", 2**53 + 2), r"waiting\[1\].walltime: .* is outside"),
        (changed("waiting", 1, "walltime", "long"), r"waiting\[1\].walltime: 'long' is not a whole"),
        (changed("waiting", 1, "submit", 101), r"waiting\[1\].submit: 101 is outside 0 … 100"),
        (changed("waiting", 1, "id", 7), r"waiting\[1\].id: 7 is the id of waiting\[0\] as well"),
        (changed("waiting", 0, "memory", 7), r"waiting\[0\].memory: unknown field"),
        (changed("waiting", 0, 7), r"waiting\[0\]: expected an object, got int"),
        (changed("waiting", 0, "procs", None), r"waiting\[0\].procs: None is not a whole number"),
    ],
)
def test_bad_rounds_are_refused_by_file_and_field(data, message):
    with pytest.raises(ValueError, match=f"^bad.json: {message}"):
        round_from(data, "bad.json")


@pytest.mark.parametrize(
    ("field", "old", "new", "line"),
    [
        ("waiting[1].procs", '"procs": 4, "walltime": 300', '"procs": 99, "walltime": 300', 6),
        ("waiting[0].walltime", '"walltime": 100', '"walltime": 0', 5),
        ("running[0].end", '"end": 200', '"end": 50', 3),
        ("capacity", '"capacity": 8', '"capacity": 0', 1),
        ("waiting[1].walltime", '"walltime": 300', '"duration": 300', 6),
        ("waiting[0].text", '"id": 7', '"text": "a } ] \\" {", "id": 7', 5),
    ],
)
def test_errors_in_a_file_name_the_line(tmp_path, field, old, new, line):
    """That of the field, or of what should have it."""
    text = """{"capacity": 8, "now": 100,
 "running": [
  {"procs": 4, "end": 200}],
 "waiting": [
  {"id": 7, "submit": 50, "procs": 8, "walltime": 100},
  {"id": 5, "submit": 20, "procs": 4, "walltime": 300}
]}"""
    path = tmp_path / "round.json"
    path.write_text(text)
    assert len(read_round(path)) == 2
    path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(f"round.json, line {line}: ")) as caught:
        read_round(path)
    assert field.split(".")[0] in str(caught.value)


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    """Logs may have a number twice."""
    problem = replace(Round.of(4, 0, [], [(0, 1, 5), (0, 2, 5)]), ids=np.array([7, 7]))
    with pytest.raises(ValueError, match="round.json: 2 waiting jobs have the id 7"):
        write_round(tmp_path / "round.json", problem)
    assert not (tmp_path / "round.json").exists()


def test_python_refuses_jobs_of_the_future_as_files_do():
    """A job that is submitted after now does not wait yet."""
    with pytest.raises(ValueError, match=r"waiting submit\[0\]: 101 is above"):
        Round.of(2, 100, [], [(101, 1, 5)])


def test_files_that_are_no_rounds(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such round file"):
        read_round(tmp_path / "missing.json")
    path = tmp_path / "text.json"
    path.write_text("hello")
    with pytest.raises(ValueError, match=r"text\.json: not a round file"):
        read_round(path)


def test_an_idle_machine_needs_no_list_of_running_jobs():
    problem = round_from({"capacity": 2, "now": 0, "waiting": []})
    assert len(problem.running.procs) == 0


WIDE = {
    "capacity": 8,
    "now": 100,
    "resources": {"memory": {"capacity": 64, "unit": "GB"}, "gpus": 4},
    "windows": [{"start": 150, "end": 180, "procs": 2, "demands": {"memory": 16}}],
    "running": [{"procs": 4, "end": 200, "demands": {"memory": 10}}],
    "waiting": [
        {"id": 7, "submit": 50, "procs": 8, "walltime": 100, "demands": {"gpus": 1, "memory": 64}},
        {"id": 5, "submit": 20, "procs": 4, "walltime": 300},
    ],
}


def test_resources_and_windows_are_read_and_written(tmp_path):
    """What a job does not name it does not take; a resource may be its capacity alone."""
    problem = round_from(WIDE)
    assert [(r.name, r.capacity, r.unit) for r in problem.resources] == [("memory", 64, "GB"), ("gpus", 4, "")]
    assert problem.jobs.demands.tolist() == [[0, 0], [64, 1]]
    assert problem.running.demands.tolist() == [[10, 0]]
    assert [column.tolist() for column in problem.windows] == [[150], [180], [[2, 16, 0]]]
    write_round(tmp_path / "round.json", problem)
    assert round_to(read_round(tmp_path / "round.json")) == round_to(problem)
    assert round_to(problem)["waiting"][1]["demands"] == {"memory": 64, "gpus": 1}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("resources",), [], "round.json: resources: expected an object, got list"),
        (("resources", "gpus"), 0, "resources.gpus.capacity: 0 is outside 1"),
        (("resources", "gpus"), {"unit": "x"}, "resources.gpus.capacity: missing"),
        (("resources", "gpus"), {"capacity": 1, "size": 2}, "resources.gpus.size: unknown field"),
        (("resources", "procs"), 4, "resource name: 'procs' is no text, empty, or means the processors"),
        (("waiting", 0, "demands"), [1], r"waiting\[0\].demands: expected an object, got list"),
        (("waiting", 0, "demands"), {"memory": 65}, r"waiting\[0\].demands.memory: 65 is outside 0 … 64"),
        (("waiting", 0, "demands"), {"memory": 1.5}, r"waiting\[0\].demands.memory: 1.5 is not a whole number"),
        (("waiting", 0, "demands"), {"memori": 1}, r"waiting\[0\].demands.memori: the machine has no such resource"),
        (("running", 0, "demands"), {"memory": -1}, r"running\[0\].demands.memory: -1 is outside"),
        (("windows",), {}, "windows: expected a list, got dict"),
        (("windows", 0, "end"), 150, r"windows\[0\].end: 150 is outside 151"),
        (("windows", 0, "procs"), 9, r"windows\[0\].procs: 9 is outside 0 … 8"),
        (("windows", 0), {"start": 1, "end": 2}, r"windows\[0\]: it takes nothing of any resource"),
    ],
)
def test_bad_resources_and_windows_are_refused(path, value, message):
    with pytest.raises(ValueError, match=message):
        round_from(changed(*path, value, of=WIDE), "round.json")


def test_running_jobs_above_a_capacity_are_refused():
    running = 2 * [{"procs": 1, "end": 200, "demands": {"memory": 40}}]
    with pytest.raises(ValueError, match="running: 80 GB of memory in use, above the capacity 64"):
        round_from(changed("running", running, of=WIDE))
