"""The grammar of names, and the parameters in them."""

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.durations import duration_text, length_of
from planbatch.planner.registry.parameters import parameters_of, settings_of
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
    assert result.display_name == plain


def test_a_known_name_is_no_module():
    """``easy:shortest`` is EASY with an order, even if there is a module ``easy``."""
    assert parse("easy:shortest", KNOWN).source == ""
    assert parse("easy:shortest", set()).source == "easy"


@given(st.lists(st.text("ab:=.", max_size=5), min_size=1))
def test_commas_split_and_brackets_hold_together(parts):
    """Joined parts come back; in brackets they are one."""
    assert split(",".join(parts)) == parts
    together = f"({','.join(parts)})"
    assert split(f"x,{together}") == ["x", together]


# Parameters, read from signatures and given as text.


@dataclass
class Search:
    """Something with a parameter of every kind."""

    steps: int = 5
    share: float = 0.5
    fast: bool = True
    how: Literal["up", "down"] = "up"
    plans: tuple[str, ...] = ("a",)
    limit: float | None = None
    spread: object = map
    name: str = "search"


def given(text, parameters):
    return settings_of(parse(text, {"search"}), parameters)


def test_every_kind_of_parameter_is_read():
    """By its annotation; what cannot be text, and the name in tables, is no setting."""
    parameters = parameters_of(Search)
    assert [p.name for p in parameters] == ["steps", "share", "fast", "how", "plans", "limit"]
    text = "search:steps=7,share=1,fast=no,how=down,plans=(x,y),limit=2.5"
    assert given(text, parameters) == {
        "steps": 7, "share": 1.0, "fast": False, "how": "down", "plans": ("x", "y"), "limit": 2.5,
    }  # fmt: skip
    assert ", ".join(map(str, parameters)) == "steps=5, share=0.5, fast=true, how=up, plans=(a), limit"


def test_a_function_without_annotations_is_read_by_its_defaults():
    """The first parameter may be given without its name."""

    def order(jobs, now, power=2.0, deep=False):
        return power, deep

    parameters = parameters_of(order, 2)
    assert given("search:3", parameters) == {"power": 3.0}
    assert given("search:3,deep=true", parameters) == {"power": 3.0, "deep": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search:step=7", r"there is no parameter step; search takes steps=5, share=0.5"),
        ("search:steps=many", "steps: 'many' is not a whole number; search takes"),
        ("search:share=x", "share: 'x' is not a number"),
        ("search:fast=maybe", "fast: 'maybe' is not true or false"),
        ("search:how=left", "how: 'left' is none of up, down"),
        ("search:7", "search: unknown parameter '7'"),
    ],
)
def test_what_cannot_be_read_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        given(text, parameters_of(Search))


def test_a_needed_parameter_must_be_given():
    def capped(*, cap: float):
        return cap

    with pytest.raises(ValueError, match="search: cap must be given; search takes cap"):
        given("search", parameters_of(capped))
    assert given("search:9", parameters_of(capped)) == {"cap": 9.0}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0.2s"), (60, "60s"), (90, "90s"), (120, "2min"), (3600, "60min"), (86400, "24h"), (172800, "2d")],
)
def test_durations_have_the_largest_unit_of_which_they_are_a_multiple(seconds, text):
    """More than once; they are read back."""
    assert duration_text(seconds) == text
    assert length_of(text) == seconds
