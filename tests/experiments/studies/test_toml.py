"""Experiments written down in TOML: what they mean, and on which line they are wrong."""

from pathlib import Path

import pytest

from planbatch.experiments import Spans, read_experiment
from planbatch.experiments.studies.cells import expand
from planbatch.experiments.studies.experiment_file import ExperimentFileError
from planbatch.planner.model import NEVER
from tests.experiments.studies.grids import ROOT, write

MINIMAL = '[[workload]]\nfirst = 30\n\n[[policy]]\nname = "easy"\n'


def read(tmp_path: Path, text: str):
    return read_experiment(write(tmp_path, text))


def test_lists_of_values_are_expanded_to_a_grid(tmp_path):
    """Two workloads; two policies, once, and two that draw random numbers, with two seeds; in the file's order."""
    experiment = read_experiment(write(tmp_path))
    assert experiment.title == "Small"
    cells = expand(experiment)
    assert len(cells) == len({cell.key for cell in cells}) == 12
    assert [cell.label for cell in cells[:6:2]] == ["fcfs", "plan-wait", "plan-squared-wait"]
    assert [cell.seed for cell in cells[2:4]] == [0, 1]
    assert cells[0].workload.name == "lublin-batch-256"
    assert cells[6].workload.name == "lublin-batch-256, load times 1.5"
    assert len(cells[0].workload.jobs) == 60


def test_every_key(tmp_path):
    """All keys of a file at once, underscores as good as hyphens."""
    (tmp_path / "tiny.swf").write_text(
        "; MaxProcs: 4\n; Queue: 1 batch\n; UnixStartTime: 0\n"
        "1   0 -1  3 2 -1 -1  2  3 -1 1 1 1 -1 1 1 -1 -1\nrubbish\n"
        "2   5 -1  2 3 -1 -1  3  2 -1 1 1 1 -1 2 1 -1 -1\n"
        "3   9 -1  2 3 -1 -1  3  2 -1 1 1 1 -1 1 1 -1 -1\n"
    )
    text = """\
title = "All"
seeds = [3]
seeding = "plain"
estimates = "actual"
deadlines = "third"
optimizer = "tabu"
promise = "2x"
seconds = 0.5

[[workload]]
source = "tiny.swf"
name = "tiny"
skip_bad_lines = true
capacity = 8
drop-queue = [2]
span = "0:1d"
first = 2
round-sizes = 2
load = 2

[[policy]]
name = ["easy", "plan"]
label = "mine"
objective = "wait"
optimizer = ["annealing", "greedy"]
evaluations = 7

[[policy]]
name = "plan-wait"

[[policy]]
name = "wdbf"
calendar = "9-18"

[spans]
count = 2
warm-up = "1d"
cool-down = 3600
compare = true
"""
    experiment = read(tmp_path, text)
    workload = experiment.workloads[0]
    assert (workload.source, workload.deadlines) == (str(tmp_path / "tiny.swf"), "third")
    assert workload.options.description() == (
        "capacity 8; without queue 2; span 0:1d; first 2 usable jobs; sizes rounded up to multiples of 2; load times 2"
    )
    specs = [(p.name, p.optimizer, p.evaluations, p.seconds, p.promise) for p in experiment.policies]
    assert specs == [
        ("easy", None, None, None, "none"),
        ("plan-wait", "annealing", 7, None, "2x"),
        ("plan-wait", "greedy", 7, None, "2x"),
        ("plan-wait", "tabu", None, 0.5, "2x"),
        ("wdbf", None, None, None, "none"),
    ]
    assert experiment.spans == (Spans(2, 86400, 3600, True),)
    cells = expand(experiment)
    assert [cell.label for cell in cells[::2]] == [
        "mine, easy", "mine, plan-wait, annealing", "mine, plan-wait, greedy", "plan-wait", "wdbf"
    ]  # fmt: skip
    assert cells[0].replay_seed() == 3
    assert list(cells[0].workload.jobs.procs) == [2, 4]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("first = 30", "frist = 30", 2, "[[workload]] has no key 'frist'; did you mean first?"),
        ("first = 30", 'first = "all"', 2, "first is 'all', and should be a whole number"),
        ("first = 30", "first = true", 2, "first is True, and should be a whole number"),
        ("first = 30", "load = []", 2, "load is an empty list"),
        ("first = 30", "load = 0.0", 1, "load: 0.0 is not a positive factor"),
        ("first = 30", "\n\nestimates = 'right'", 4, "estimates: 'right' is none of requested"),
        ("first = 30", 'source = "KTH-SP2-1996-2.1"', 2, "did you mean KTH-SP2-1996-2.1-cln"),
        ('"easy"', '"eazy"', 5, "there is no 'eazy'; did you mean easy?"),
        ('"easy"', '[\n  "easy",\n  "plan-wiat"]', 7, "did you mean plan-wait?"),
        ("first = 30", 'source = "embeded"', 2, "did you mean embedded?"),
        ('"easy"', '"plan"', 5, "plan needs an objective: wait, squared-wait, makespan"),
        ('"easy"', '"plan"\nobjective = "wiat"', 6, "did you mean wait?"),
        ('"easy"', '"plan"\nobjective = ["wait",\n"aged-wait:soon"]', 7, "'soon'"),
        ('"easy"', '"plan"\nobjective = "wait"\noptimizer = "taboo"', 7, "did you mean tabu?"),
        ('"easy"', '"easy"\nobjective = "wait"', 6, 'objective goes with name = "plan"'),
        ('"easy"', '"easy"\nevaluations = 3', 6, "easy takes no evaluations"),
        ('"easy"', '"plan-wait"\nevaluations = -3', 6, "-3 is not a whole number, 0 or more"),
        ('"easy"', '"plan-wait"\noptimizer = "taboo"', 6, "did you mean tabu?"),
        ('"easy"', '"plan-wait"\npromise = "soon"', 6, "cannot read 'soon'"),
        ('"easy"', '"plan-wait"\nevaluations=1\nseconds = 1', 7, "either evaluations or seconds"),
        ('name = "easy"', 'label = "a"', 4, "this [[policy]] has no name"),
        ('"easy"', '"easy"\n[spans]\ncount = 1', 7, "count is 1"),
        ('"easy"', '"easy"\n[spans]\nwarm-up = "7d"', 6, "[spans] has no count"),
        ('"easy"', '"easy"\n[spans]\ncount = 2\nwarm-up = "long"', 8, "'long'"),
        ("[[workload]]", "seeds = [0, -1]\n[[workload]]", 1, "seeds: -1 is not a whole number"),
        ("[[workload]]", "seeding = 'x'\n[[workload]]", 1, "seeding: 'x' is none of cell, plain"),
        ("[[workload]]", "evaluations=1\nseconds=1.0\n[[workload]]", 2, "either evaluations or seconds"),
        ("[[workload]]", "[[workloads]]", 1, "no key 'workloads'; did you mean workload?"),
        ("[[workload]]", "[workload", 1, "this is not TOML"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(tmp_path, old, new, line, message):
    """File, line, what is wrong, and the nearest name."""
    with pytest.raises((ExperimentFileError, ValueError)) as error:
        expand(read(tmp_path, MINIMAL.replace(old, new)))
    assert f"line {line}" in str(error.value)
    assert message in str(error.value)
    assert str(tmp_path / "grid.toml") in str(error.value)


def test_a_file_needs_workloads_and_policies(tmp_path):
    with pytest.raises(ExperimentFileError, match=r"there is no \[\[policy\]\]"):
        read(tmp_path, "[[workload]]\nfirst = 3\n")
    path = tmp_path / "grid.toml"
    path.write_text(MINIMAL + '[[policy]]\nname = "easy"\nname = "fcfs"\n')
    with pytest.raises(ExperimentFileError, match="this is not TOML: Cannot overwrite a value"):
        read_experiment(path)
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(ExperimentFileError, match="UTF-8"):
        read_experiment(path)


def test_two_cells_that_are_the_same(tmp_path):
    """Told before anything runs, with both lines, whatever their labels are."""
    twice = MINIMAL + '\n[[policy]]\nname = "easy"\nlabel = "again"\n'
    with pytest.raises(ValueError, match=r"line 5 and line 8: two cells are the same: .*easy"):
        expand(read(tmp_path, twice))
    listed = MINIMAL.replace('name = "easy"', 'name = ["easy", "easy"]')
    assert listed != MINIMAL
    with pytest.raises(ValueError, match=r"line 5: two cells are the same: .*easy"):
        expand(read(tmp_path, listed))
    with pytest.raises(ValueError, match=r"line 1 and line 4: two cells are the same"):
        expand(read(tmp_path, "[[workload]]\nfirst = 3\n\n" + MINIMAL.replace("30", "3")))
    with pytest.raises(ValueError, match="two cells are the same"):
        expand(read(tmp_path, "seeds = [4, 4]\n" + MINIMAL.replace('"easy"', '"plan-wait"')))
    named = MINIMAL + '\n[[policy]]\nname = "fcfs"\nlabel = "easy"\n'
    cells = expand(read(tmp_path, named))
    assert [cell.label for cell in cells] == ["easy", "easy, fcfs"]


def test_what_a_policy_does_not_take_does_not_multiply_it(tmp_path):
    """EASY has no evaluations: one cell, however many budgets the file lists."""
    text = "evaluations = [1, 2]\n" + MINIMAL.replace('"easy"', '["easy", "plan-wait"]')
    assert [cell.label for cell in expand(read(tmp_path, text))] == [
        "easy", "plan-wait, 1 evaluations", "plan-wait, 2 evaluations"
    ]  # fmt: skip


def test_sources_count_from_the_folder_of_the_file(tmp_path, monkeypatch):
    """A log beside the file is found from anywhere; one below the current folder as well."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.swf").write_text("; MaxProcs: 4\n1 0 -1 3 2 -1 -1 2 3 -1 1 1 1 -1 1 1 -1 -1\n")
    text = MINIMAL.replace("first = 30", 'source = "logs/a.swf"')
    assert expand(read(tmp_path, text))[0].workload.name == "a"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    assert expand(read(tmp_path / "elsewhere", text))[0].workload.name == "a"


def test_scenarios(tmp_path):
    """Plans over sampled run times are policies of their own."""
    text = '[[workload]]\nfirst = 30\n[[policy]]\nname = "plan-wait"\nscenarios = [0, 8]\n'
    cells = expand(read(tmp_path, text))
    assert len({cell.key for cell in cells}) == 2
    assert {cell.label for cell in cells} == {"plan-wait", "plan-wait:scenarios=8"}
    for wrong, message in (("scenarios = -1", "scenarios"), ("risk = 0.5", "risk: 0.5 is one of scenarios")):
        with pytest.raises(ExperimentFileError, match=message):
            read(tmp_path, f'[[workload]]\nfirst = 30\n[[policy]]\nname = "plan-wait"\n{wrong}\n')


def experiment_files() -> list[Path]:
    """The examples whose first line says that they are run as experiments."""
    command = "# planbatch experiment run examples/"
    return [path for path in sorted((ROOT / "examples").glob("*.toml")) if path.read_text().startswith(command)]


@pytest.mark.parametrize("path", experiment_files(), ids=lambda path: path.name)
def test_examples_can_be_read(path, tmp_path, monkeypatch):
    """Every example is a whole experiment, once its logs have been fetched."""
    log = tmp_path / "theta_2022.swf.gz"
    log.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("planbatch.experiments.workloads.load.cached_path", lambda _: log)
    assert len(read_experiment(path).policies) > 1


def test_deadlines_from_a_column_of_the_log(tmp_path):
    """As for ``compare --deadlines column:NAME``: the log that the workload comes from is read once more."""
    lines = [f"{i} {10 * i} -1 5 1 -1 -1 1 9 -1 1 1 1 -1 1 1 -1 {think}" for i, think in ((1, 40), (2, -1), (3, 90))]
    (tmp_path / "log.swf").write_text("\n".join(["; MaxProcs: 4", *lines]) + "\n")
    text = '[[workload]]\nsource = "log.swf"\ndeadlines = "column:think_time"\n[[policy]]\nname = "easy"\n'
    file = tmp_path / "grid.toml"
    file.write_text(text)
    (cell,) = expand(read_experiment(file))
    assert cell.workload.jobs.deadline.tolist() == [40, NEVER, 90]
