"""Memory as a resource, from the two columns for it of the Standard Workload Format.

Column 10 is the requested memory, column 7 the memory that was used; both should be in KB per processor, but not every
log follows this.
"""

from planbatch.experiments.workloads.resources import ResourceRule
from planbatch.planner.names import did_you_mean

#: Value of ``--memory`` → columns of the log; the first known one counts.
SOURCES = {
    "requested": ("requested_memory",),
    "used": ("used_memory",),
    "either": ("requested_memory", "used_memory"),
}


def memory_rule(
    source: str, capacity: str, per: str = "processor", unit: str = "KB", unknown: str = "median"
) -> ResourceRule:
    """Make the rule that turns memory columns into a resource.

    Parameters
    ----------
    source : {"requested", "used", "either"}
        Which column counts; ``either`` takes the requested memory, else the used one.
    capacity, per, unit, unknown : str
        See :class:`ResourceRule`.

    Raises
    ------
    ValueError
        If one of them cannot be read; the message names the flag.
    """
    if source not in SOURCES:
        raise ValueError(f"memory: there is no {source!r}; {did_you_mean(source, SOURCES)}")
    return ResourceRule("memory", SOURCES[source], capacity, per, unit, unknown, flags=True)
