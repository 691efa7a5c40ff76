"""The grammar of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.registry.reference import Reference, parse, split

KNOWN = {"easy", "annealing", "plan", "wdbf", "aged-wait"}


@pytest.mark.parametrize(
    ("text", "place", "name", "short", "settings", "plain"),
    [
        ("easy", "", "easy", None, {}, "easy"),
        ("easy:smallest-area", "", "easy", "smallest-area", {}, "easy:smallest-area"),
        (
            "annealing:cooling=0.8,front-jobs=20", "", "annealing", None,
            {"cooling": "0.8", "front_jobs": "20"}, "annealing:cooling=0.8,front_jobs=20",
        ),
        ("my.py:slow_wait", "my.py", "slow_wait", None, {}, "slow-wait"),
        ("a/my.py:slow:power=2", "a/my.py", "slow", None, {"power": "2"}, "slow:power=2"),
        ("pack.age:Search:5", "pack.age", "Search", "5", {}, "Search:5"),
        ("easy:my.py:wfp3", "", "easy", "my.py:wfp3", {}, "easy:wfp3"),
        (
            "plan:my.py:cost:cap=3,evaluations=9", "", "plan", "my.py:cost:cap=3",
            {"evaluations": "9"}, "plan:cost:cap=3,evaluations=9",
        ),
        (
            "plan:aged-wait:12h,optimizer=(annealing:cooling=0.8,moves=20),seconds=1", "", "plan",
            "aged-wait:12h", {"optimizer": "annealing:cooling=0.8,moves=20", "seconds": "1"},
            "plan:aged-wait:12h,optimizer=annealing:cooling=0.8,moves=20,seconds=1",
        ),
        (
            "wdbf:calendar=9-18:mon,tue", "", "wdbf", None, {"calendar": "9-18:mon,tue"},
            "wdbf:calendar=9-18:mon,tue",
        ),
        ("unknown", "", "unknown", None, {}, "unknown"),
    ],
)  # fmt: skip
def test_a_name_is_taken_apart(text, place, name, short, settings, plain):
    """Known names first, then files and modules; what follows is text, or keys and values."""
    result = parse(text, KNOWN)
    assert result == Reference(text, place, name, short, settings)
    assert result.plain == plain


def test_a_known_name_is_no_module():
    """``easy:shortest`` is EASY with an order, even if there is a module ``easy``."""
    assert parse("easy:shortest", KNOWN).place == ""
    assert parse("easy:shortest", set()).place == "easy"


@given(st.lists(st.text("ab:=.", max_size=5), min_size=1))
def test_commas_split_and_brackets_hold_together(parts):
    """Joined parts come back; in brackets they are one."""
    assert split(",".join(parts)) == parts
    together = f"({','.join(parts)})"
    assert split(f"x,{together}") == ["x", together]
