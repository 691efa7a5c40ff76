"""The synthetic workload: its distributions against the published parameters of the model."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.workloads.lublin import (
    ALL,
    BATCH,
    BUCKET_SECONDS,
    BUCKETS,
    GRAIN,
    INTERACTIVE,
    LOG_LONGEST_RUN,
    LONGEST,
    POPULAR,
    arrivals,
    daily_cycle,
    default_workload,
    gamma_distribution,
    popular_estimates,
    run_times,
    sizes,
    synthetic_workload,
    user_estimates,
)
from planbatch.experiments.workloads.transform import offered_load

N = 200_000
KINDS = pytest.mark.parametrize("parameters", [BATCH, INTERACTIVE, ALL], ids=["batch", "interactive", "all"])


def generator(seed: int = 7) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_published_parameters():
    """The values of the authors' program, batch jobs and all jobs."""
    assert (ALL.serial_prob, ALL.pow2_prob, ALL.uprob) == (0.244, 0.576, 0.86)
    assert (ALL.a1, ALL.b1, ALL.a2, ALL.b2, ALL.pa, ALL.pb) == (4.2, 0.94, 312, 0.03, -0.0054, 0.78)
    assert (ALL.aarr, ALL.barr, ALL.arar) == (10.2303, 0.4871, 1.0225)
    assert (ALL.anum, ALL.bnum) == (8.1737, 3.9631)
    assert (BATCH.serial_prob, BATCH.pow2_prob, BATCH.uprob) == (0.2927, 0.6686, 0.875)
    assert (BATCH.aarr, BATCH.barr, BATCH.arar) == (6.0415, 0.8531, 1.0519)


@KINDS
def test_shares_of_serial_and_power_of_two_sizes(parameters):
    """On 128 processors the shares are those of the parameters, up to four standard errors."""
    size = sizes(N, 128, parameters, generator())
    serial, pow2 = parameters.serial_prob, parameters.pow2_prob
    powers = (size & (size - 1)) == 0
    bound = 4 * math.sqrt(0.25 / N)
    # A parallel job may round to one processor, and any size may happen to be a power of two.
    assert serial - bound < (size == 1).mean()
    assert serial + pow2 - bound < powers.mean() < serial + pow2 + 0.5 * (1 - serial - pow2)
    assert size.min() == 1
    assert size.max() <= 128


def test_share_of_serial_jobs_is_exact_where_no_parallel_job_rounds_to_one():
    """With batch jobs, 2^1.2 rounds to two: the serial share is the parameter."""
    size = sizes(N, 128, BATCH, generator())
    assert (size == 1).mean() == pytest.approx(BATCH.serial_prob, abs=4 * math.sqrt(0.25 / N))


def test_two_stage_uniform_sizes():
    """Of the parallel jobs, the share uprob has log2(size) below umed."""
    parameters = BATCH
    size = sizes(N, 128, parameters, generator())
    other = np.log2(size[(size & (size - 1)) != 0])
    # Sizes that are not powers of two keep their logarithm, up to rounding to whole processors.
    below = (other < parameters.umed).mean()
    assert below == pytest.approx(parameters.uprob, abs=0.03)


@given(capacity=st.integers(1, 5000), seed=st.integers(0, 99))
def test_sizes_fit_any_machine(capacity, seed):
    for parameters in (BATCH, INTERACTIVE, ALL):
        size = sizes(50, capacity, parameters, generator(seed))
        assert size.min() >= 1
        assert size.max() <= capacity


@KINDS
@pytest.mark.parametrize("size", [1, 64])
def test_run_times_follow_the_hyper_gamma_distribution(parameters, size):
    """Kolmogorov–Smirnov distance of log run times to the mixture, truncated at exp(12) s."""
    from scipy import stats  # takes a second

    runtime = run_times(np.full(20_000, size), parameters, generator())
    p = min(1.0, max(0.0, parameters.pa * size + parameters.pb))
    first = stats.gamma(parameters.a1, scale=parameters.b1)
    second = stats.gamma(parameters.a2, scale=parameters.b2)

    def cdf(x):
        return p * first.cdf(x) + (1 - p) * second.cdf(x)

    # Run times are cut to whole seconds: compare above 100 s, where that hardly matters.
    points = np.log(np.geomspace(100, 100_000, 40).astype(int))
    ours = np.array([(np.log(runtime) < x).mean() for x in points])
    assert np.abs(ours - cdf(points) / cdf(LOG_LONGEST_RUN)).max() < 0.015
    assert runtime.min() >= 1
    assert runtime.max() <= math.exp(LOG_LONGEST_RUN)


def test_larger_jobs_run_longer():
    """The parameter pa ties run times to sizes."""
    small = run_times(np.full(20_000, 1), BATCH, generator()).mean()
    large = run_times(np.full(20_000, 128), BATCH, generator()).mean()
    assert large > 1.5 * small


@KINDS
def test_the_gamma_distribution_is_that_of_scipy(parameters):
    """At all half-hours of a day."""
    from scipy.special import gammainc

    x = (np.arange(BUCKETS + 12) + 0.5) / parameters.bnum
    ours = gamma_distribution(parameters.anum, x)
    np.testing.assert_allclose(ours, gammainc(parameters.anum, x), rtol=1e-13)


def test_daily_cycle_peaks_in_the_afternoon():
    """Weights have mean 1; the peak lies where the mode of the gamma distribution says."""
    weights = daily_cycle(BATCH)
    assert weights.shape == (BUCKETS,)
    assert weights.mean() == pytest.approx(1)
    mode = (BATCH.anum - 1) * BATCH.bnum
    assert abs(int(weights.argmax()) + 1 - mode) <= 1
    assert weights[8] < 0.3 < 1.6 < weights.max()


@KINDS
def test_arrivals_follow_the_daily_cycle(parameters):
    """The share of jobs that arrive in each half-hour is that of its weight."""
    submit = arrivals(N, parameters, generator())
    bucket = submit // BUCKET_SECONDS % BUCKETS
    shares = np.bincount(bucket, minlength=BUCKETS) / N * BUCKETS
    assert np.abs(shares - daily_cycle(parameters)).max() < 0.25
    assert (np.diff(submit) >= 0).all()


def test_mean_time_between_arrivals():
    """Over whole days the cycle cancels: the mean gap is that of the truncated log-gamma."""
    from scipy import stats

    shape, scale = ALL.aarr * ALL.arar, ALL.barr
    x = np.linspace(0, 13, 100_001)
    density = stats.gamma(shape, scale=scale).pdf(x)
    expected = float((np.exp(x) * density).sum() / density.sum())
    submit = arrivals(N, ALL, generator())
    assert submit[-1] / N == pytest.approx(expected, rel=0.05)


def test_equal_seeds_give_equal_workloads():
    first, same, other = (synthetic_workload(100, 64, seed, load=0.9) for seed in (3, 3, 4))
    for column in ("submit", "procs", "walltime", "runtime"):
        assert getattr(first, column).tolist() == getattr(same, column).tolist()
        assert getattr(first, column).tolist() != getattr(other, column).tolist()


def test_more_jobs_begin_with_the_same_arrivals():
    """Streams are apart: another load changes arrivals only."""
    plain, dense = synthetic_workload(200), synthetic_workload(200, load=2.0)
    assert plain.procs.tolist() == dense.procs.tolist()
    assert plain.walltime.tolist() == dense.walltime.tolist()
    assert offered_load(dense) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"jobs": 0}, "jobs: 0"),
        ({"capacity": 0}, "capacity: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"load": 0.0}, "load: 0"),
        ({"load": math.nan}, "load: nan"),
        ({"kind": "gpu"}, "kind: there is no 'gpu'"),
    ],
)
def test_parameters_out_of_range_are_reported(wrong, message):
    with pytest.raises(ValueError, match=message):
        synthetic_workload(**wrong)


def test_one_job_on_one_processor():
    """The smallest workload is one too; no load can be reached with a single job."""
    workload = synthetic_workload(1, 1, load=0.5)
    assert len(workload) == 1
    assert workload.procs.tolist() == [1]


def test_the_embedded_workload():
    """5,000 jobs on 256 processors at a load of 0.7, with estimates, and the same every time."""
    workload = default_workload()
    assert (len(workload), workload.capacity) == (5000, 256)
    assert offered_load(workload) == pytest.approx(0.7, abs=0.001)
    assert (workload.walltime >= workload.runtime).all()
    assert workload is default_workload()
    assert workload.header["MaxProcs"] == "256"


def test_popular_estimates_are_twenty_that_take_ninety_percent():
    """The table is the one that is described: 20 values, weights of 90 in all."""
    values, shares = popular_estimates()
    assert len(values) == 20
    assert values[-1] == LONGEST
    assert sum(POPULAR.values()) == pytest.approx(90)
    assert shares.sum() == pytest.approx(1)
    assert (np.diff(values) > 0).all()


def test_estimates_are_modal():
    """About 90 % of short jobs choose popular values, in proportion to their shares."""
    estimates = user_estimates(np.ones(N, dtype=np.int64), generator())
    values, shares = popular_estimates()
    for value, share in zip(values, shares, strict=True):
        # Some of the other choices fall upon popular values as well: five minutes above all.
        assert 0.9 * share - 0.01 < (estimates == value).mean() < 0.9 * share + 0.04
    assert 0.89 < np.isin(estimates, values).mean() < 0.97


@given(runtime=st.lists(st.integers(1, LONGEST), min_size=1, max_size=30), seed=st.integers(0, 1000))
def test_estimates_bound_run_times(runtime, seed):
    """Estimates are never below the run time nor above the longest, and mostly round."""
    runtimes = np.array(runtime, dtype=np.int64)
    estimates = user_estimates(runtimes, generator(seed))
    assert (estimates >= runtimes).all()
    assert (estimates <= LONGEST).all()
    assert (estimates % GRAIN == 0).all()
