"""``planbatch warm-up``: compile the kernels, so that nobody waits for that later."""

import click


@click.command(name="warm-up")
def command() -> None:
    """Compile the kernels once, after an installation; later starts load them from disk."""
    from time import perf_counter

    from rich.console import Console

    from experiments.experiment.cores import usable_cores
    from experiments.warm_up import warm_up_everything
    from planner.native import cache_folder, drop_stale_kernels

    console = Console(stderr=True)
    began = perf_counter()
    drop_stale_kernels()
    with console.status("Compiling the kernels (once, one to three minutes) …"):
        warm_up_everything(jobs=len(usable_cores()))
    seconds = perf_counter() - began
    console.print(f"Kernels are ready in {cache_folder()} ({seconds:.0f} s).")
