"""``planbatch warm-up``: compile the kernels in advance."""

import click


@click.command(name="warm-up")
def command() -> None:
    """Compile the kernels once, after an installation; later starts load them from disk."""
    from time import perf_counter

    from rich.console import Console

    from planbatch.experiments.command.kernel_cache import clear
    from planbatch.experiments.command.warm_up_kernels import warm_up_everything
    from planbatch.experiments.tasks.cores import usable_cores
    from planbatch.planner.kernels.cache import cache_folder

    console = Console(stderr=True)
    began = perf_counter()
    clear()
    with console.status("Compiling the kernels (once, one to three minutes) …"):
        warm_up_everything(jobs=len(usable_cores()))
    seconds = perf_counter() - began
    console.print(f"Kernels are ready in {cache_folder()} ({seconds:.0f} s).")
