"""Promised latest starts that can no longer all be kept; see ``core/promises.hpp``."""

from dataclasses import replace

from planbatch import _core
from planbatch.planner.model import NEVER
from planbatch.planner.round import Round


def with_feasible_promises(problem: Round) -> Round:
    """Return the round with promises that its previous plan, decoded again, keeps.

    If it does not, the least late of a few plans takes its place, and promises are relaxed as far as that breaks them.
    """
    if (problem.jobs.latest == NEVER).all():
        return problem
    latest, planned = _core.feasible_promises(problem.core)
    return replace(problem, jobs=problem.jobs._replace(latest=latest), planned=planned)
