"""``planbatch warm-up``: compile the kernels, so that nobody waits for that later."""

import click


@click.command(name="warm-up")
def command() -> None:
    """Compile the kernels once, after an installation; later starts load them from disk."""
    from time import perf_counter

    from rich.console import Console

    from baselines.catalogue import POLICIES, make_policy
    from experiments.replay import replay
    from experiments.synthetic import synthetic_workload
    from objectives import MAKESPAN, SQUARED_WAIT
    from planner.bounds import lower_bound
    from planner.native import cache_folder, drop_stale_kernels
    from planner.optimizers import OPTIMIZERS, make_optimizer, warm_up
    from planner.round import Round

    console = Console(stderr=True)
    began = perf_counter()
    drop_stale_kernels()
    workload = synthetic_workload(jobs=20, capacity=64)
    example = Round.of(capacity=2, now=1, waiting=[(0, 1 + i % 2, 1 + i) for i in range(8)])
    with console.status("Compiling the kernels (once, one to two minutes) …"):
        for name in POLICIES:
            replay(workload, make_policy(name))
        for name in OPTIMIZERS:
            warm_up(make_optimizer(name), SQUARED_WAIT)
        for objective in (SQUARED_WAIT, MAKESPAN):
            lower_bound(example, objective)
    seconds = perf_counter() - began
    console.print(f"Kernels are ready in {cache_folder()} ({seconds:.0f} s).")
