"""The grammar of orders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.orders.catalogue import as_orders, order_text
from planbatch.planner.orders.text import OrderText


@pytest.mark.parametrize(
    ("text", "primary", "backfilling", "threshold", "plain"),
    [
        ("saf", "saf", None, None, "saf"),
        ("saf@20h", "saf", None, 72000, "saf@20h"),
        ("fcfs/sjf", "fcfs", "sjf", None, "fcfs/sjf"),
        ("fcfs/sjf@1.5d", "fcfs", "sjf", 129600, "fcfs/sjf@1.5d"),
        ("my.py:slow", "my.py:slow", None, None, "slow"),
        ("a/b/my.py:slow@90min", "a/b/my.py:slow", None, 5400, "slow@90min"),
        ("me@host/my.py:slow", "me@host/my.py:slow", None, None, "slow"),
        ("/a/my.py:slow/fcfs", "/a/my.py:slow", "fcfs", None, "slow/fcfs"),
        ("fcfs//a/my.py:slow", "fcfs", "/a/my.py:slow", None, "fcfs/slow"),
        ("a/my.py:one/b/my.py:two", "a/my.py:one", "b/my.py:two", None, "one/two"),
        ("./fcfs/my.py:slow", "./fcfs/my.py:slow", None, None, "slow"),
        ("my.py:slow:power=2/sjf@1d", "my.py:slow:power=2", "sjf", 86400, "slow:power=2/sjf@1d"),
        ("(my.py:slow:a=1,b=2)/(my.py:fast:a=1,b=2)@9s", "my.py:slow:a=1,b=2", "my.py:fast:a=1,b=2",
         9, "slow:a=1,b=2/fast:a=1,b=2@9s"),
        ("pack.age:slow/sjf", "pack.age:slow", "sjf", None, "slow/sjf"),
        ("fcsf/sjf", "fcsf", "sjf", None, "fcsf/sjf"),
    ],
)  # fmt: skip
def test_an_order_is_taken_apart(text, primary, backfilling, threshold, plain):
    """A slash behind an order parts two; any other belongs to a path."""
    assert order_text(text) == OrderText(primary, backfilling, threshold, plain)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("saf@20", "order: saf@20: after the @, '20' is no duration, such as 12h"),
        ("fcfs/saf@soon", "order: fcfs/saf@soon: after the @, 'soon' is no duration"),
        ("fcsf/sjf", "order: there is no 'fcsf'; did you mean fcfs?"),
        ("fcfs/sjff", "order: there is no 'sjff'; did you mean sjf?"),
        ("fcfs/", "order: there is no ''"),
    ],
)
def test_what_cannot_be_read_is_named(text, message):
    """The part, and what it should be."""
    with pytest.raises(ValueError, match="order: ") as error:
        as_orders(text)
    assert str(error.value).startswith(message)


@given(st.sampled_from(["saf", "x/y.py:z", "lxf"]), st.sampled_from(["", "sjf", "q.py:w"]))
def test_parts_come_back(primary, backfilling):
    result = order_text(f"{primary}/{backfilling}" if backfilling else primary)
    assert (result.primary, result.backfilling) == (primary, backfilling or None)
