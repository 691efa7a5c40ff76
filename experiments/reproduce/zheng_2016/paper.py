"""The values of Zheng et al. 2016, as printed; the curves of its Figures 3 to 6 are not in the text."""

#: The paper's policies; its FCFS is FCFS with EASY backfilling.
BASE = "FCFS"
PLANS = ("PLAN 1", "PLAN 2", "PLAN 3")

#: Table I: nodes, jobs, and months (Jan/09-Sep/09, Nov/06-Jun/07, May/00-Dec/01).
TABLE_1 = {
    "ANL": (40960, 68936, 9),
    "LLNL": (9216, 60332, 8),
    "SDSC": (1152, 67155, 20),
}

#: Table II: system utilisation under FCFS and PLAN 1 to 3.
TABLE_2 = {
    "ANL": (0.631, 0.641, 0.640, 0.642),
    "LLNL": (0.744, 0.750, 0.751, 0.758),
    "SDSC": (0.780, 0.785, 0.782, 0.793),
}

#: Figure 3, Section V-B: (trace, largest number of nodes of the class) → share of the jobs (%).
SIZES = {
    # "In the ANL trace, half of the jobs require 2K nodes."
    ("ANL", 2048): 50.0,
    # "with jobs requiring 1K nodes being the majority as 20%"
    ("LLNL", 1024): 20.0,
    # "In the SDSC trace, more than half of the jobs require 8 nodes only."
    ("SDSC", 8): 50.0,
}

#: Figures 4 and 5, Section VI-A: in how many months a plan is no better than FCFS. "PLAN 2 always
#: lead[s] to better mean job wait time and mean job response time than FCFS. PLAN 1 and PLAN 3, on
#: the other hand, outperform FCFS in all but two months 3 and 4 for LLNL."
WORSE_MONTHS = {
    ("ANL", "PLAN 1"): 0,
    ("ANL", "PLAN 2"): 0,
    ("ANL", "PLAN 3"): 0,
    ("LLNL", "PLAN 1"): 2,
    ("LLNL", "PLAN 2"): 0,
    ("LLNL", "PLAN 3"): 2,
    ("SDSC", "PLAN 1"): 0,
    ("SDSC", "PLAN 2"): 0,
    ("SDSC", "PLAN 3"): 0,
}
#: Figure 4, Section VI-A: "For ANL […] the improvements by PLAN 1 and PLAN 2 over FCFS are more
#: consistent across all the months, achieving 40% of reduction on average".
WAIT_CHANGE = {("ANL", "PLAN 1"): -40.0, ("ANL", "PLAN 2"): -40.0}

#: Figure 6, Section VI-B: "only 9% of the jobs in LLNL are in those bins requiring 4K nodes, PLAN 2
#: makes them to wait at most 2 times as long as that of FCFS".
LARGE_NODES, LARGE_SHARE, LARGE_RATIO = 4096, {"LLNL": 9.0}, {"LLNL": 2.0}

#: Section VI-C: "over 40% reduction on average job wait time, 30% reduction on average job response
#: time, and 1% improvement on system utilization, varying depending on the different choices of
#: optimization metrics"; Section I: "each scheduling optimization within one second".
CLAIMED_WAIT, CLAIMED_RESPONSE, CLAIMED_UTILISATION = -40.0, -30.0, 1.0
CLAIMED_SECONDS = 1.0
