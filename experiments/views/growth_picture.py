"""The time of a round against the number of waiting jobs."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes

from planbatch.experiments.bench.growth import Growth
from planbatch.experiments.views.style import COLOURS, DASHES, write_picture


def growth_picture(found: Sequence[Growth], path: Path) -> None:
    """Draw one line per policy on logarithmic axes, with its slope, and write the picture to a file."""
    write_picture(path, (8, 5.5), lambda ax: draw_growth(found, ax))


def draw_growth(found: Sequence[Growth], ax: Axes) -> None:
    """Draw the lines on given axes."""
    for number, growth in enumerate(found):
        points = sorted(zip(growth.waiting, growth.seconds, strict=True))  # short queues differ
        ax.loglog(
            [waiting for waiting, _ in points],
            [1000 * seconds for _, seconds in points],
            color=COLOURS[number % len(COLOURS)],
            linestyle=DASHES[number // len(COLOURS) % len(DASHES)],
            marker=".",
            label=f"{growth.policy} ({growth.slope:.1f})",
        )
    ax.set_xlabel("waiting jobs")
    ax.set_ylabel("time of a round (ms)")
    ax.legend(
        title="policy (slope of the last decade)", fontsize=8, loc="upper left", frameon=False
    )
