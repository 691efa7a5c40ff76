"""Objectives over scenarios: the cost of a permutation over sampled run times."""

from dataclasses import replace

from planbatch.planner.history.expectation import check_history
from planbatch.planner.history.scenarios import Scenarios
from planbatch.planner.objective import Cost, Objective
from planbatch.planner.registry.objective import as_objective


def over_scenarios(objective: Objective | Cost | str, scenarios: int = 8, risk: float = 0.0) -> Objective:
    """Return an objective that evaluates plans over sampled sets of run times. Experimental: it may change.

    In each round, sets of run times of running and waiting jobs are drawn once, from the ratios of run time and request
    of their users' ended jobs. In each set, the jobs that the plan starts now start now; the others follow in the order
    of the permutation, each at its earliest feasible start; and the objective is that of these starts and run times.
    Whatever is started fits by walltimes.

    Parameters
    ----------
    objective : Objective, callable or str
        What one set costs.
    scenarios : int
        How many sets.
    risk : float
        From 0 to below 1: the cost is the mean over the most expensive (1 − risk) of the sets, the conditional value at
        risk (Rockafellar and Uryasev, Journal of Risk 2, 2000); 0 for the mean of all.

    Returns
    -------
    Objective
        Without terms and bounds, so that optimizers that need them do not take it.

    Raises
    ------
    ValueError
        If a number is out of its range, there is no objective of a name, or it asks for a history other than that of
        run times.

    Examples
    --------
    >>> import planbatch as pb
    >>> pb.over_scenarios("wait", 8, risk=0.9).label
    'wait:scenarios=8,risk=0.9'
    """
    base = as_objective(objective)
    check_history(f"scenarios: the objective {base.name}", base.history)
    sampling = Scenarios(scenarios, risk)
    return replace(base, terms=None, bound=None, cp_cost=None, scenarios=sampling)
