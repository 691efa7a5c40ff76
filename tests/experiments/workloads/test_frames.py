"""Workloads as data frames, and back."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.planner.model import MAX_VALUE, NEVER, Workload
from planbatch.planner.resources import Resource, Window
from tests.builders import workload_of

WHOLE = st.integers(-MAX_VALUE, MAX_VALUE)


@st.composite
def any_workloads(draw):
    """Draw a workload with everything that one can have."""
    capacity = draw(st.integers(1, MAX_VALUE))
    size = draw(st.integers(1, 5))

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    walltime = column(st.integers(1, MAX_VALUE))
    resources = tuple(
        Resource(name, draw(st.integers(1, MAX_VALUE)), draw(st.sampled_from(["", "GB"])))
        for name in draw(st.lists(st.sampled_from(["memory", "gpus", "a=b, c"]), unique=True))
    )
    window = Window(draw(st.integers(0, 9)), 10, {"processors": 1}, draw(st.none() | st.just(-5)))
    return Workload(
        draw(st.text(min_size=1)),
        capacity,
        column(WHOLE),
        column(WHOLE),
        column(st.integers(1, capacity)),
        walltime,
        [draw(st.integers(1, most)) for most in walltime],
        column(WHOLE | st.just(NEVER)),
        column(WHOLE),
        column(WHOLE),
        draw(st.dictionaries(st.text(), st.text())),
        draw(st.dictionaries(st.text(), st.integers(1, 9))),
        resources,
        np.array([column(st.integers(0, r.capacity)) for r in resources]).T if resources else None,
        draw(st.sampled_from([(), (window,)])),
        column(st.integers(-1, MAX_VALUE)),
    )


def assert_equal(workload, other):
    for name in Workload.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(workload, name), getattr(other, name), err_msg=name)


@given(any_workloads())
def test_there_and_back(workload):
    assert_equal(Workload.from_frame(workload.to_frame()), workload)


def test_through_a_file(tmp_path):
    """Parquet keeps the jobs and what pandas knows besides."""
    workload = workload_of(8, [(0, 2, 100, 60), (5, 8, 50)])
    workload.to_frame().to_parquet(tmp_path / "a.parquet")
    assert_equal(Workload.from_frame(pd.read_parquet(tmp_path / "a.parquet")), workload)


def test_a_frame_of_ones_own():
    """Strings as users, timestamps and timedeltas; jobs that cannot be replayed are dropped and counted."""
    frame = pd.DataFrame(
        {
            "time": pd.to_datetime(["2024-07-01 12:00", "2024-07-01 12:05", "2024-07-01 12:06"]),
            "cpus": [4, 16, 2],
            "elapsed": pd.to_timedelta([30, 60, 90], unit="min"),
            "user": ["ann", "bob", "ann"],
            "gpu": [1.0, 2.0, np.nan],
        }
    )
    options = {
        "columns": {"submit": "time"},
        "timezone": "Europe/Berlin",
        "resources": {"gpus": {"column": "gpu", "capacity": 4}},
    }
    with pytest.warns(UserWarning, match="data frame ours: left out: 1 larger than the machine"):
        workload = Workload.from_frame(frame, capacity=8, name="ours", **options)
    assert repr(workload).endswith("left out: 1 larger than the machine)")
    assert (workload.name, workload.capacity, len(workload)) == ("ours", 8, 2)
    assert workload.submit.tolist() == [1719828000, 1719828360]
    assert workload.runtime.tolist() == [1800, 5400]
    assert workload.demands.tolist() == [[1], [0]]
    assert workload.dropped == {"larger than the machine": 1}
    busy = Workload.from_frame(workload.to_frame().query("procs > 2"))
    assert (len(busy), busy.dropped) == (1, {"larger than the machine": 1})


def test_bad_frames_are_refused():
    frame = pd.DataFrame({"submit": [0], "processors": [1], "runtime": ["soon"]})
    with pytest.raises(ValueError, match=r"data frame frame, row 1, column 3 \(runtime\): 'soon'"):
        Workload.from_frame(frame, capacity=1)
    workload = workload_of(8, [(0, 2, 100, 60)])
    changed = workload.take(slice(None), resources=(Resource("user", 1),), demands=[[0]])
    with pytest.raises(ValueError, match="resource user: the data frame has another column"):
        changed.to_frame()
