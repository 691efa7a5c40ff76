"""Small cases against ``starts.json``: every start, count and cost, to the last bit.

Searches draw their random numbers and add up costs in one order; the file is that of x86-64 with glibc. One case alone
is ``pytest 'tests/golden/test_starts.py::test_outcome[replay easy busy-1]'``; ``python -m tests.golden.starts --show
'replay easy busy-1'`` prints what it comes to.
"""

from importlib.metadata import version

import pytest

from tests.golden.cases import CASES
from tests.golden.starts import outcome, stored_outcomes

KNOWN = stored_outcomes()


#: The solver that made the file: another version comes to the same plan over other ones.
ORTOOLS = "9.15"


@pytest.mark.parametrize("case", CASES)
def test_outcome(case):
    now, before = outcome(case), dict(KNOWN[case])
    if "cp-sat" in case and not version("ortools").startswith(ORTOOLS):
        now["evaluations"] = before["evaluations"]
    assert now == before


def test_the_file_has_these_cases():
    """None is missing, none is left over, none stands twice."""
    assert list(KNOWN) == list(CASES)
    assert len(set(CASES)) == len(CASES)


def test_queues_are_as_long_as_the_cases_say():
    """Long ones are searched in fronts, deep ones use the slot cache, and no queue is empty."""
    for case, stored in KNOWN.items():
        if case.startswith("replay"):
            kind = case.split()[2].split("-")[0]
            least = {"long": 500, "deep": 100, "small": 6}.get(kind, 15)
            assert stored["waiting"] >= least, case
