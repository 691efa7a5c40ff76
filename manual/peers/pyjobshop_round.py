"""A round file of planbatch as a model of PyJobShop: ``python pyjobshop_round.py ROUND SECONDS``.

It runs in an environment of its own, without planbatch, with ``pip install pyjobshop``. Processors are one renewable
resource, running jobs are tasks that start now, and the objective is the total flow time, which is the total wait and
a constant.
"""

import json
import sys
import time
from pathlib import Path

from pyjobshop import Model

problem, seconds = json.loads(Path(sys.argv[1]).read_text()), float(sys.argv[2])
now = problem["now"]
model = Model()
machine = model.add_renewable(problem["capacity"])
for running in problem["running"]:
    task = model.add_task(latest_start=0)
    model.add_mode(task, machine, running["end"] - now, running["procs"])
waiting = []
for row in problem["waiting"]:
    task = model.add_task(model.add_job())
    model.add_mode(task, machine, row["walltime"], row["procs"])
    waiting.append((len(model.tasks) - 1, row["submit"]))
model.set_objective(weight_total_flow_time=1)
began = time.process_time()
result = model.solve(time_limit=seconds, display=False, num_workers=1)
waits = [result.best.tasks[place].start + now - submit for place, submit in waiting]
bound = result.lower_bound - result.objective + sum(waits)
print(f"{result.status.value}: mean wait {sum(waits) / len(waits):.1f} s, no plan below {bound / len(waits):.1f} s")
print(f"{time.process_time() - began:.1f} s of processor time")
