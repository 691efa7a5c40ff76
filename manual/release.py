"""The benchmark of a release as a page: ``python -m manual.release DIR VERSION COMMIT > docs/releases/VERSION.md``.

DIR is that of ``python -m benchmarks.search benchmark --release DIR --shared``.
"""

import sys
from pathlib import Path

import pandas as pd

HEAD = """\
# Release {version}: the benchmark

[The benchmark of rounds](../benchmark.md) at commit {commit}, by `python -m benchmarks.search benchmark --release DIR
--shared`: one core per search, seconds of processor time, scaled to the machine of reference. Per optimizer: mean and
worst excess over the best-known cost, and the mean gap to the proven bound.
"""


def page(table: pd.DataFrame, version: str, commit: str) -> str:
    """Return the page of what ``run_benchmark`` returns, in Markdown."""
    parts = [HEAD.format(version=version, commit=commit)]
    optimizers = list(table["optimizer"].unique())
    for seconds, rows in table.groupby("budget", sort=False):
        by_row = rows.set_index(["class", "objective", "optimizer"])
        seeds = int(rows["searches"].max())
        lines = [
            f"## {seconds:g} s, at most {seeds} searches per row\n",
            f"| class | objective | {' | '.join(f'`{name}`' for name in optimizers)} |",
            "|---" * (len(optimizers) + 2) + "|",
        ]
        for key in dict.fromkeys(zip(rows["class"], rows["objective"], strict=True)):
            cells = [text_of(by_row.loc[(*key, name)]) for name in optimizers if (*key, name) in by_row.index]
            lines.append(f"| {' | '.join([*key, *cells])} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def text_of(row: "pd.Series[float]") -> str:
    """Return the figures of an optimizer; – for what is unknown."""
    figures = (row["mean_gap"], row["worst_gap"], row["bound_gap"])
    return ", ".join("–" if figure != figure else f"{100 * figure:.2f}" for figure in figures) + " %"


if __name__ == "__main__":
    folder, version, commit = sys.argv[1:]
    print(page(pd.read_csv(Path(folder) / "benchmark.csv"), version, commit), end="")
