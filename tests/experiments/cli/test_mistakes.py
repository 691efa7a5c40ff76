"""Mistakes on the command line: each ends with exit code 2 and one sentence that names what is wrong."""

import gzip
import json
import shlex
from pathlib import Path

import pytest

LOG = """\
; MaxProcs: 4
1 0 -1 3 2 -1 -1 2 3 -1 1 1 1 -1 1 1 -1 -1
2 0 -1 2 3 -1 -1 3 2 -1 1 1 1 -1 1 1 -1 -1
"""
ROUND = {"capacity": 4, "now": 10, "running": [{"procs": 2, "end": 20}],
         "waiting": [{"id": 7, "submit": 0, "procs": 3, "walltime": 5}]}  # fmt: skip
GRID = '[[workload]]\nsource = "log.swf"\n[[policy]]\nname = "easy"\n'


@pytest.fixture
def run_in_folder(run):
    """Give the command in a folder of good and bad files."""
    good = {"log.swf": LOG, "round.json": json.dumps(ROUND), "grid.toml": GRID, "table.csv": "submit\n"}
    bad = {
        "empty.swf": "",
        "words.csv": "submit,procs,runtime\nlast week,2,5\n",
        "twice.json": json.dumps({**ROUND, "waiting": ROUND["waiting"] * 2}),
        "windows.csv": "start,processors\n0,1\n",
        "metric.toml": 'metrics = ["p99-wiat"]\n' + GRID,
        "tune.toml": 'policy = "easy"\npast = "0:1d"\n',
        "quits.py": "import sys\nsys.exit(3)\n",
        "mine.py": "class Nameless:\n    supports = optimize = lambda self, *words: True\n\n\n"
        "class Wrong:\n    name = 'wrong'\n    supports = optimize = None\n\n\n"
        "class Fails:\n    name = 'fails'\n    supports = lambda self: True\n    optimize = lambda self: None\n",
    }
    for name, text in {**good, **bad}.items():
        Path(name).write_text(text)
    Path("cut.swf.gz").write_bytes(gzip.compress(LOG.encode() * 50)[:60])
    Path("wide.csv").write_bytes("submit,procs,runtime\n0,1,5\n".encode("utf-16"))
    Path("folder").mkdir()
    return run


#: Words, and the message.
MISTAKES = (
    ("compare nolog.swf", "nolog.swf: there is no such file, and no log of this name"),
    ("compare empty.swf", "empty.swf: the log holds no jobs"),
    ("replay folder --policy easy", "folder"),
    ("replay log.swf --policy plan-wait --optimizer anealing", "did you mean annealing?"),
    ("replay log.swf --policy easy --capacity 0", "capacity: 0"),
    ("replay log.swf --policy easy --first 0", "first: 0"),
    ("replay log.swf --policy easy --seed -1", "seed: -1 is negative"),
    ("replay log.swf --policy easy --estimates guessed", "estimates: 'guessed' is none of requested"),
    ("replay log.swf --polcy easy", "--policy"),
    ("replay --policy easy", "Missing argument 'WORKLOAD'"),
    ("comparre", "Did you mean compare?"),
    ("xyz", "The verbs are compare, replay, "),
    ("rounds compare none.json", "there is no such round file"),
    ("round round.json --picture log.swf/plan.png", "picture: log.swf is a file"),
    ("experiment run missing.toml", "missing.toml"),
    ("experiment run grid.toml --backend dsak", "backend: there is no 'dsak'; did you mean dask?"),
    ("compare cut.swf.gz", "cut.swf.gz: the gzip data is cut off or damaged"),
    ("compare words.csv --capacity 4", "words.csv, line 2, column 1"),
    ("compare log.swf --capacity four", "Invalid value for '--capacity': 'four' is not a valid integer."),
    ("compare log.swf --windows windows.csv", "windows.csv, line 1: there is no column end"),
    ("compare log.swf --seeds 0", "Invalid value for '--seeds': 0 is not in the range x>=1."),
    ("compare log.swf --jobs 0", "Invalid value for '-j' / '--jobs': 0 is not in the range x>=1."),
    ("compare log.swf --seconds 00:01:00", "seconds: '00:01:00' is not a number of seconds, such as 0.5 or 60"),
    ("round round.json --seconds 1min", "seconds: '1min' is not a number of seconds, such as 0.5 or 60"),
    ("compare log.swf --seconds -1", "seconds: -1.0 is not a number of seconds, 0 or more"),
    ("compare log.swf --policy easy --policy easy --against fcfs", "against: 'fcfs' is not one of the policies"),
    ("compare log.swf --policy easy --against easy", "against: name at least one other policy with --policy"),
    ("compare log.swf --policy plan-wait:evaluations=many", "plan-wait: evaluations: 'many' is not a whole number"),
    ("compare log.swf --column submit", "column: log.swf is a log in SWF, whose columns have no names"),
    ("compare log.swf table.csv", "Got unexpected extra argument"),
    ("compare log.swf --policy easy --evaluations 5", "evaluations: none of the policies takes one: easy"),
    ("compare log.swf --metric size-wait:many", "metric size-wait:many: procs: 'many' is not a range of processors"),
    ("compare log.swf --no-out --out here", "out: give either --out or --no-out"),
    ("round round.json --seconds 1 --evaluations 5", "budget: give either --evaluations or --seconds"),
    ("explain log.swf 1", "since it is not JSON (Expecting value: line 1 column 1 (char 0)); for a log, name a policy"),
    ("list", "Missing argument 'KIND'. Choose one of policies, orders"),
    ("replay log.swf", "policy: name at least one with --policy NAME"),
    ("round twice.json", "twice.json, line 1: waiting[1].id: 7 is the id of waiting[0] as well"),
    ("round round.json --picture plan.bmp", "picture: plan.bmp ends in none of .png, .svg, .html"),
    ("round round.json --if 8@now", "job 8: no waiting job of the round has this id"),
    ("round round.json --if 7@now", "job 7: it cannot start at 10: running jobs or windows are in the way"),
    ("round round.json --if 7", "if: '7' is none of JOB@TIME, JOB@now and -JOB"),
    ("round round.json --if x@now", "if: 'x@now' is none of JOB@TIME"),
    ("round round.json --if -7@now", "if: '-7@now' is none of JOB@TIME"),
    ("round round.json --if 7@soon", "if: in '7@soon', 'soon' is neither now nor a time in whole seconds"),
    ("explain round.json 8", "job 8: no waiting job of the round has this id"),
    ("explain round.json 7 --policy easy", "policy: round.json is a round"),
    ("explain log.swf seven --policy easy", "Invalid value for 'JOB': 'seven' is not a valid integer."),
    ("experiment run grid.toml --backend dask --scheduler nonsense", "no Dask cluster at nonsense: missing port"),
    ("rounds compare", "give round files, or --benchmark"),
    ("rounds compare round.json --quick", "quick: a part of the --benchmark only"),
    ("rounds compare --benchmark --seeds 2 --seconds 1", "seconds, seeds: the benchmark has its own"),
    ("rounds capture log.swf --sizes ten", "sizes: 'ten' is not a list of numbers such as 10,30,100"),
    ("experiment run metric.toml", "metric.toml, line 1: metric: there is no 'p99-wiat'"),
    ("experiment run grid.toml --part 5/4", "part: 5/4 is none of 1/4 … 4/4"),
    ("experiment run grid.toml --part 3", "part: '3' is not K/N"),
    ("experiment run folder", "Invalid value for 'FILE': File 'folder' is a directory."),
    ("experiment init grid.toml", "grid.toml: the file exists"),
    ("experiment init log.swf/new.toml", "file: log.swf is a file"),
    ("experiment run grid.toml --out log.swf/deep", "out: log.swf is a file"),
    ("experiment merge grid.toml folder --out log.swf/deep", "out: log.swf is a file"),
    ("compare log.swf --out grid.toml", "Invalid value for '-o' / '--out': Directory 'grid.toml' is a file."),
    ("compare log.swf -policy easy", "there is no -policy"),
    ("rounds compare round.json --best-known log.swf/best.json", "best-known: log.swf is a file"),
    ("rounds compare round.json --best-known grid.toml", "grid.toml: not a file of best-known costs"),
    ("rounds compare --benchmark --best-known grid.toml", "grid.toml: not a file of the benchmark's best-known costs"),
    ("report folder", "folder holds no experiment.json"),
    ("report folder --out log.swf/page.html", "out: log.swf is a file"),
    ("report folder --export log.swf/deep", "export: log.swf is a file"),
    ("explain round.json 7 --picture log.swf/plan.png", "picture: log.swf is a file"),
    ("tune tune.toml", "tune.toml: there is no later"),
    ("workload generate out.swf --count 0", "Invalid value for '--count': 0 is not in the range x>=1."),
    ("workload generate out.swf --kind btch", "kind: there is no 'btch'"),
    ("workload generate log.swf/deep/out.swf", "out: log.swf is a file"),
    ("workload transform log.swf folder", "out: folder is a folder"),
    ("convert log.swf log.swf/out.csv", "out: log.swf is a file"),
    ("reproduce zheng-2015", "paper: there is no 'zheng-2015'"),
    ("reproduce zheng-2016 --out log.swf/deep", "out: log.swf is a file"),
    ("slurm observe --from folder", "folder: there is no squeue.json"),
    ("slurm observe --from folder --out log.swf/round.json", "out: log.swf is a file"),
    ("slurm drive --every soon", "every: 'soon' is not a duration"),
    ("slurm files --horizon 0s", "horizon: '0s' is not above zero"),
    ("slurm files --horizon 0.5s", "horizon: 0 is not above zero"),
    ("slurm observe --tasks 0", "tasks: 0 is below 1"),
    ("slurm drive --idle-ticks 0", "idle-ticks: 0 is not above zero"),
    ("slurm drive --share 2", "share: 2.0 is not between 0 and 1"),
    ("replay log.swf --policy easy --capacity 99999999999999999999", "capacity: 99999999999999999999 is too large"),
    ("round round.json --if 7@99999999999999999999", "start: 99999999999999999999 is too large"),
    ("round round.json --optimizer mine.py:Nameless", "a Nameless needs name, a text, and optimize"),
    ("round round.json --optimizer mine.py:Wrong", "a Wrong needs name, a text, and optimize"),
    ("round round.json --optimizer mine.py:Fails", "optimizer fails raised TypeError in supports"),
    ("round round.json --objective quits.py:f", "quits.py: line 2: SystemExit: 3"),
    ("compare log.swf --policy mine.py", "policy: mine.py is a file; name what it defines: mine.py:NAME"),
    ("compare wide.csv --capacity 4", "wide.csv: this is text in UTF-16; save it as UTF-8"),
    ("compare embeded", "embeded: there is no such file, and no log of this name; did you mean embedded?"),
    ("report grid.toml", "grid.toml: this is a file; give the folder"),
    ("explain nosuch 1", "nosuch: there is no such round file; for a log, name a policy with --policy"),
    ("experiment run grid.toml --part 1/0", "part: 0 is not a positive whole number of parts"),
    ("workload transform log.swf out.parquet", "out: out.parquet: what is written is SWF; give a name such as out.swf"),
    ("workload generate out.csv.gz", "out: out.csv.gz: what is written is SWF"),
    ("batsim nowhere", "nowhere: cannot listen there"),
    ("batsim tcp://127.0.0.1:99999", "tcp://127.0.0.1:99999: port out of range 0-65535"),
    ("compare log.swf --out ''", "--out: it is empty; is a variable of the shell not set?"),
    ("report ''", "an argument: it is empty; is a variable of the shell not set?"),
    ("compare log.swf --deadlines ''", "--deadlines: it is empty"),
    ("compare log.swf --policy easy,fcfs", "there is no 'easy,fcfs'; did you mean easy, fcfs, each by itself?"),
    ("replay log.swf easy", "Got unexpected extra argument (easy); policies are named with --policy NAME"),
    ("rounds best-known check log.swf", "log.swf: not a plan, since it is not JSON (Expecting value: line 1 column 1"),
)


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_a_mistake_is_one_sentence(run_in_folder, words, message):
    """On standard error, without a traceback; nothing is on standard output."""
    code, out, err = run_in_folder(*shlex.split(words))
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("planbatch: ")
    assert message in err
