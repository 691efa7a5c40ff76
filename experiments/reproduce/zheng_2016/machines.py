"""The machines of Zheng et al. 2016, their substitutes, and their replays."""

from dataclasses import dataclass

from planbatch.baselines.catalogue import make_policy
from planbatch.baselines.policy import Policy
from planbatch.experiments.replay.task import ReplayTask
from planbatch.experiments.reproduce.run import Run
from planbatch.experiments.reproduce.zheng_2016.measures import (
    KINDS,
    PAPER_EVALUATIONS,
    Study,
    months_of,
)
from planbatch.experiments.reproduce.zheng_2016.paper import BASE, TABLE_1
from planbatch.experiments.workloads.transform import first_jobs, scale_load
from planbatch.objectives.makespan import MAKESPAN
from planbatch.objectives.wait import SQUARED_WAIT, WAIT

#: The paper's policy → ours, and its objective.
OURS = {
    "PLAN 1": ("plan-wait", WAIT),
    "PLAN 2": ("plan-squared-wait", SQUARED_WAIT),
    "PLAN 3": ("plan-makespan", MAKESPAN),
}
#: Evaluations per round of our annealing in the default setting.
FAST_EVALUATIONS = 100


@dataclass(frozen=True)
class Machine:
    """One trace of the paper, or a substitute for it.

    Attributes
    ----------
    name, paper : str
        Our name; the paper's name, empty if the paper does not have it.
    log : str
        Name of the log.
    node : int
        Processors of a node.
    capacity, first : int, optional
        Size of the machine, if the log does not state it; how many usable jobs to keep.
    load : float
        Factor on the load.
    instead_of : str
        The machine that this one replaces; it is left out if that one is available.
    """

    name: str
    paper: str
    log: str
    node: int = 1
    capacity: int | None = None
    first: int | None = None
    load: float = 1.0
    instead_of: str = ""


ATLAS = "LLNL-Atlas-2006-2.1-cln"
MACHINES = (
    Machine("ANL", "ANL", "ANL-Intrepid-2009-1", node=4),
    Machine("Theta", "", "theta_2022", capacity=4360, instead_of="ANL"),
    Machine("LLNL", "LLNL", ATLAS),
    # With the paper's utilisation under FCFS; and with waits like those on SDSC.
    Machine("LLNL, load × 1.06", "LLNL", ATLAS, load=1.06),
    Machine("LLNL, load × 1.15", "LLNL", ATLAS, load=1.15),
    Machine("SDSC", "SDSC", "SDSC-BLUE-2000-4.2-cln", first=TABLE_1["SDSC"][1]),
)


def studies(run: Run) -> tuple[list[Study], list[str]]:
    """Replay all machines under FCFS and the plans, with each kind of estimates.

    Returns
    -------
    list of Study
        The machines whose logs are available.
    list of str
        Notes on the machines that are left out.
    """
    found: list[Study] = []
    left_out = []
    for machine in MACHINES:
        if machine.instead_of in [one.name for one in found]:
            continue
        one = unreplayed(run, machine)
        if one is None:
            left_out.append(f"{machine.name} is left out: the log {machine.log} is not there.")
        else:
            found.append(one)
    # All in one list: no process waits for the last replay of a machine.
    traces = run.replays(
        {
            (one.name, kind, name): ReplayTask(one.workload, policy, kind)
            for one in found
            for kind in KINDS
            for name, policy in compared(run.full).items()
        }
    )
    for (machine_name, kind, policy_name), trace in traces.items():
        one = next(one for one in found if one.name == machine_name)
        one.traces.setdefault(kind, {})[policy_name] = trace
    return found, left_out


def unreplayed(run: Run, machine: Machine) -> Study | None:
    """Prepare the workload of one machine, if its log is there."""
    log = run.log(machine.log)
    if log is None:
        return None
    workload = run.shortened(log.workload(machine.capacity))
    if machine.first is not None:
        workload = first_jobs(workload, machine.first)
    month, names = months_of(workload)
    workload = scale_load(workload, machine.load)
    run.tell(f"{machine.name}: {len(workload):,} jobs")
    return Study(machine.name, machine.paper, workload, machine.node, month, names, {})


def compared(full: bool) -> dict[str, Policy]:
    """Make the policies; the full setting has the paper's annealing in addition to the fast one."""
    fast = {
        name: make_policy(ours, evaluations=FAST_EVALUATIONS) for name, (ours, _) in OURS.items()
    }
    policies = {BASE: make_policy("easy"), **fast}
    if full:
        policies |= {
            name: make_policy(ours, optimizer="annealing-paper", evaluations=PAPER_EVALUATIONS)
            for name, (ours, _) in OURS.items()
        }
        policies |= {f"{name}, {FAST_EVALUATIONS} evaluations": fast[name] for name in OURS}
    return policies
