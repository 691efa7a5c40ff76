"""Notes on the reproduction of Liu et al. (2016): findings, with its values, and choices."""

from collections.abc import Sequence

from planbatch.experiments.reproduce.paper_report import Row


def found(rows: Sequence[Row]) -> list[str]:
    """Return what the reproduction found of the paper's claims, one paragraph each."""
    lines = []
    for item in ("Figure 1", "Figure 2"):
        of = [row for row in rows if row.item == f"Claims on {item}"]
        for other in ("BB", "BB, one a round"):
            gains = [
                row.ours
                for row in of
                if row.policy == f"IBB against {other}" and row.metric == "gain in mean wait (%)"
            ]
            if gains:
                lines.append(
                    f"**{item}.** IBB's mean wait is {1 - max(gains) / 100:.2f} to "
                    f"{1 - min(gains) / 100:.2f} times that of {other}; it is shorter in "
                    f"{sum(gain > 0 for gain in gains)} of {len(gains)} cases."
                )
    parts = [row.ours for row in rows if row.item == "Parts of LANL-CM5"]
    if parts:
        lines.append(
            f"**Parts of LANL-CM5.** In {len(parts) // 2} parts of the log, IBB's mean wait is "
            f"{1 - max(parts) / 100:.2f} to {1 - min(parts) / 100:.2f} times that of BB, or of BB with one job a round."
        )
    return lines


NOTES = [
    "**Where IBB loses.** Inequality (2) compares max S / mean S before and after. On 1,024 nodes with 1 GB each, "
    "the jobs of LANL-CM5 leave nearly all memory unused, so the balance is in effect that of processors alone: "
    "each candidate with less memory for each processor than the mean of the running jobs is refused, however "
    "small it is and however empty the machine. The amount of memory cancels out as long as memory is the less "
    "used resource: with 32 MB a node, which is what the CM-5 had, IBB decides the same.",
    "**As printed,** Algorithm 1 starts a candidate if the *average* utilisation does not rise. Every job makes "
    "it rise, so nothing is ever backfilled: that is FCFS (`ibb-printed`, and a test of it). IBB here is the "
    "text's inequality (2), with S as it is after the jobs that the pass has started.",
    "**BB** selects, by equation (1), one candidate after the other until none is left. The paper says that it "
    "selects one in a traversal of the queue; `bb-one` starts one per round, and is listed as *BB, one a round*.",
    "**What the paper leaves open.** Memory: the paper speaks of the *actual* usage, so the used memory (column "
    "7) counts, for each processor, on one processor a node; jobs without a value are taken to use the "
    "median. Times: it names arrival and *execution* times, so schedulers know the run times, and no job is "
    "killed. Sizes: requested processors, else used ones. *What the paper leaves open* has the other readings, at "
    "the log's own load.",
    "**Loads** are made by compressing or stretching the times between submissions; 1 is the log's own. The paper "
    "does not say at which loads it measured. Slowdown is the bounded one, with 10 seconds; in Figure 3 it is not "
    "bounded.",
    "**The mixture.** The paper neither says which log of MetaCentrum it took nor how it was mixed in. Both of "
    "ours: the first 45 days (20 in a quick run) of METACENTRUM-2009-2, half of its jobs by chance, with the "
    "memory used for each processor; and of wagap-2013, a tenth of its jobs, with the requested memory in bytes "
    "for the whole job. With all of its jobs, wagap-2013 alone would need several times the memory of this "
    "machine. Each is mixed with as long a part of LANL-CM5, from a moment drawn by the seed.",
    "**Figure 3.** Neither the jobs nor the nodes are given. Ours: 54 jobs, a second apart, on 4 nodes of 8 "
    "processors and 8 GB, taken as one pool of both; sizes are those of the NAS benchmarks (squares for two of "
    "eight, powers of two for the others), run times and memory log-uniform (10 to 600 s, 64 MB to 12 GB), "
    "walltimes the run times; ten seeds, and the first of them in the pictures. Best fit is HTCondor's: it skips "
    "whoever is blocked.",
    "**Claims.** The paper prints no figures; its claims are gains of *up to* 65 % and 60 %, set beside the "
    "greatest gain in any of our cases.",
]
