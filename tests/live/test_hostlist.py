"""Lists of hosts, against a plain reading of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.live.slurm.values import MOST_HOSTS, expand

NAMES = st.text("abn-_.", min_size=1, max_size=4)
RANGES = st.tuples(st.integers(0, 120), st.integers(0, 12), st.integers(0, 3))


@given(st.lists(st.tuples(NAMES, st.lists(RANGES, max_size=3)), min_size=1, max_size=4))
def test_a_list_names_its_hosts_in_order(parts):
    """Written with ranges, and expanded again."""
    written, hosts = [], []
    for name, ranges in parts:
        if not ranges:
            written.append(name)
            hosts.append(name)
            continue
        pieces = []
        for first, count, zeros in ranges:
            width = len(str(first)) + zeros
            pieces.append(f"{first:0{width}d}-{first + count:0{width}d}" if count else f"{first:0{width}d}")
            hosts += [f"{name}{k:0{width}d}" for k in range(first, first + count + 1)]
        written.append(f"{name}[{','.join(pieces)}]")
    assert list(expand(",".join(written))) == hosts


@given(st.text("n[]-,0129 \n;$", max_size=30))
def test_anything_is_a_list_or_an_error_of_one_sentence(text):
    """Names come from outside."""
    try:
        hosts = expand(text)
    except ValueError as error:
        sentence = str(error)
    else:
        sentence = f"hosts {len(hosts)}"
        assert len(hosts) <= MOST_HOSTS
    assert sentence.startswith("hosts ")


@pytest.mark.parametrize("text", ["n[1-2", "n]1[", "n[[1]]", "n[2-1]", "n[a-b]", "n[1-2],,m", "n[1-99999999]",
                                  "n[1-9999][1-9999]"])  # fmt: skip
def test_what_is_no_list_is_told(text):
    """Cut off, backwards, or too many."""
    with pytest.raises(ValueError, match="hosts"):
        expand(text)
