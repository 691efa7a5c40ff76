"""The README's picture and table: ``python -m manual.result out/seeds docs/result.svg``, after the experiment."""

import sys
from pathlib import Path

import pandas as pd

from planbatch.experiments.common.text import duration
from planbatch.experiments.figures.style import COLOURS, FAINT, add_title, drawing, panels_of

MARKERS = "osD^"


def spread(folder: Path) -> pd.DataFrame:
    """Return the mean, least and most of the waits over the seeds, by workload and policy (s)."""
    rows = pd.read_csv(folder / "summary.csv")
    groups = rows.groupby(["workload", "policy"], sort=False)
    return groups[["mean_wait", "max_wait"]].agg(["mean", "min", "max"])


def table(frame: pd.DataFrame) -> str:
    """Return the table in Markdown: mean waits, longest waits, and their ranges."""
    workloads = frame.index.unique("workload")
    policies = frame.index.unique("policy")
    heads = [f"{name}: {what}" for name in workloads for what in ("mean wait", "longest")]
    lines = [f"| policy | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for policy in policies:
        cells = []
        for workload in workloads:
            for column in ("mean_wait", "max_wait"):
                mean, least, most = frame.loc[(workload, policy), column]
                cells.append(duration(mean) if least == most else f"{duration(least)} – {duration(most)}")
        lines.append(f"| {policy} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_result(frame: pd.DataFrame, path: Path) -> None:
    """Draw the longest wait of every policy over its mean wait, with their ranges over the seeds, as SVG."""
    workloads = frame.index.unique("workload")
    with drawing(6.4, 3.9) as figure:
        panels = panels_of(figure, len(workloads), len(workloads))
        for axes, workload in zip(panels, workloads, strict=True):
            for k, (policy, row) in enumerate(frame.loc[workload].iterrows()):
                x, y = row["mean_wait"] / 3600, row["max_wait"] / 86400
                axes.errorbar(
                    x["mean"], y["mean"],
                    xerr=[[x["mean"] - x["min"]], [x["max"] - x["mean"]]],
                    yerr=[[y["mean"] - y["min"]], [y["max"] - y["mean"]]],
                    color=COLOURS[k], marker=MARKERS[k], markersize=7, linewidth=1.5, label=str(policy),
                )  # fmt: skip
            axes.set_xlim(0, 1.12 * axes.get_xlim()[1])
            axes.set_ylim(0, 1.05 * axes.get_ylim()[1])
            axes.set_xlabel("mean wait (h)")
            axes.grid(color=FAINT, alpha=0.2)
            add_title(axes, str(workload), "lower left is better; bars: five seeds")
        panels[0].set_ylabel("longest wait (d)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=2)
        figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    results = spread(Path(sys.argv[1]))
    write_result(results, Path(sys.argv[2]))
    print(table(results))
