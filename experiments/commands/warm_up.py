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
    from planner.native import cache_folder, drop_stale_kernels

    console = Console(stderr=True)
    began = perf_counter()
    drop_stale_kernels()
    workload = synthetic_workload(jobs=20, capacity=64)
    with console.status("Compiling the kernels (once, about a minute) …"):
        for name in POLICIES:
            replay(workload, make_policy(name))
    seconds = perf_counter() - began
    console.print(f"Kernels are ready in {cache_folder()} ({seconds:.0f} s).")
