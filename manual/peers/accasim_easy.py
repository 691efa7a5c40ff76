"""EASY backfilling of AccaSim 1.1.3 on a log: ``python accasim_easy.py LOG NODES CORES``.

It runs in an environment of its own, without planbatch, with ``pip install accasim``, on Python 3.9: later ones lack
what it imports.
"""

import json
import shutil
import sys
import time
from datetime import datetime
from pathlib import Path

from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling
from accasim.base.simulator_class import Simulator

log, nodes, cores = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
system = {
    "groups": {"node": {"core": cores}},
    "resources": {"node": nodes},
    "equivalence": {"processor": {"core": 1}},
    "start_time": 0,
}
Path("system.config").write_text(json.dumps(system))
simulator = Simulator(
    log,
    "system.config",
    EASYBackfilling(FirstFit()),
    scheduling_output=True,
    statistics_output=False,
    show_statistics=False,
)
began = time.process_time()
path = Path(simulator.start_simulation()["sched-"])
seconds = time.process_time() - began
waits = []
for line in path.read_text().splitlines():
    before, _, after = line.split("__")
    submit, start = before.split(";")[2], after.split(";")[0]
    waits.append((datetime.fromisoformat(start) - datetime.fromisoformat(submit)).total_seconds())
print(f"{len(waits)} jobs, mean wait {sum(waits) / len(waits) / 3600:.2f} h, longest {max(waits) / 86400:.2f} d")
print(f"{seconds:.1f} s of processor time")
shutil.rmtree(path.parent)
