"""Metrics of fairness between users."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


def user_fairness(jobs: "DataFrame") -> float:
    """Σᵤ (1 + mean NUWT − NUWTᵤ)², NUWTᵤ = total wait / total processor time of user u; less is fairer (Alea)."""
    work = jobs["procs"] * jobs["runtime"]
    by_user = jobs.assign(work=work).groupby("user")[["wait", "work"]].sum()
    normalised = by_user["wait"] / by_user["work"]
    return float(((1 + normalised.mean() - normalised) ** 2).sum())
