"""Settings are declared once: a new parameter of policies is one line, and no seed of a cell moves."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from planbatch.baselines import catalogue
from planbatch.experiments.studies.cells import expand
from planbatch.experiments.studies.experiment_file import POLICY_KEYS, TOP_KEYS, WORKLOAD_KEYS
from planbatch.experiments.studies.spec import Experiment, PolicySpec
from planbatch.experiments.workloads.lublin import synthetic_workload

#: One line in one file.
LINE = '    patience: Annotated[int, Setting("Rounds that it waits.", "N")] = 3,\n'
NEW = """\
import importlib.util, json, sys
import planbatch as pb
from click.testing import CliRunner

name = "planbatch.baselines.catalogue"
spec = importlib.util.find_spec(name)
module = importlib.util.module_from_spec(spec)
sys.modules[name] = module
exec(compile(sys.stdin.read(), spec.origin, "exec"), module.__dict__)

from planbatch.experiments.cli.main import planbatch
from planbatch.experiments.studies.cells import expand
from planbatch.experiments.studies.experiment_file import read_experiment

open("grid.toml", "w").write('[[workload]]\\n[[policy]]\\nname = "plan-wait"\\npatience = "x"\\n')
error = ""
try:
    read_experiment("grid.toml")
except ValueError as found:
    error = str(found)
grid = pb.Experiment(
    [pb.synthetic_workload(jobs=20, capacity=16)],
    ["plan-wait", pb.PolicySpec("plan-wait", patience=4)],
)
print(json.dumps({
    "help": CliRunner().invoke(planbatch, ["replay", "--help"]).output,
    "error": error,
    "policy": str(module.POLICY_NAMES.parameters("plan-wait")[-1]),
    "seeds": [cell.replay_seed() for cell in expand(grid)],
}))
"""


@pytest.mark.integration
def test_a_new_parameter_is_one_line_in_one_file(tmp_path):
    """It is a flag, a key of files, a keyword, and a parameter of names; at its default it moves no seed."""
    source = Path(catalogue.__file__).read_text(encoding="utf-8")
    marker = "    name: str | None = None,\n) -> Policy:\n"
    assert source.count(marker) == 1
    # It does nothing: the body would use it.
    source = source.replace(marker, LINE + marker)
    done = subprocess.run(
        [sys.executable, "-c", NEW], input=source, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)
    assert "--patience N" in output["help"]
    assert "Rounds that it waits." in output["help"]
    assert output["error"] == ("grid.toml, line 4: patience is 'x', and should be a whole number")
    assert output["policy"] == "patience=3"
    workload = synthetic_workload(jobs=20, capacity=16)
    (cell,) = expand(Experiment([workload], ["plan-wait"]))
    assert output["seeds"][0] == cell.replay_seed()
    assert output["seeds"][1] != cell.replay_seed()


SPECS = (
    ("easy", {}, 202231213614655),
    ("plan-wait", {"optimizer": "annealing"}, 8605475438289078),
    ("plan-wait", {"optimizer": "annealing", "evaluations": 20, "promise": "2x"}, 4074281384088961),
    ("plan-squared-wait", {"seconds": 0.5, "optimizer": "tabu"}, 2299124209591575),
    ("plan-wait", {"optimizer": "annealing", "scenarios": 8}, 5658364389563938),
    ("plan-wait", {"optimizer": "annealing", "scenarios": 8, "risk": 0.5}, 361027475101319),
    ("wdbf", {"calendar": "9-18:mon-fri:Europe/Stockholm"}, 699755893552967),
    ("rollouts", {}, 5336064423282321),
    ("easy:fcfs/sjf@20h", {}, 5215998992756702),
    ("plan-aged-wait:12h", {"optimizer": "annealing"}, 961016388565259),
)


@pytest.mark.parametrize(("name", "settings", "seed"), SPECS)
def test_seeds_of_cells_stay(name, settings, seed):
    """As commit 5ca6acf drew them."""
    workload = synthetic_workload(jobs=20, capacity=16)
    grid = Experiment([workload], [PolicySpec(name, **settings)], seeds=[3])
    assert [cell.replay_seed() for cell in expand(grid)] == [seed]


@pytest.mark.parametrize(
    ("keys", "key", "good", "bad"),
    [
        (WORKLOAD_KEYS, "capacity", [8], [True, 8.0, "8"]),
        (WORKLOAD_KEYS, "load", [1, 1.5], [True, "1"]),
        (WORKLOAD_KEYS, "known-waits", [True], [1, "yes"]),
        (WORKLOAD_KEYS, "drop-queue", [1, "batch"], [1.0, True]),
        (WORKLOAD_KEYS, "columns", [{"submit": "time"}], ["submit=time"]),
        (POLICY_KEYS, "seconds", [1, 0.5], ["1", False]),
        (TOP_KEYS, "seeds", [0], [0.0, True, "0"]),
    ],
)
def test_values_of_files_have_their_types(keys, key, good, bad):
    """Numbers are no texts, and truth is no number."""
    assert [value for value in good if not keys[key].accepts(value)] == []
    assert [value for value in bad if keys[key].accepts(value)] == []
