"""The values of N'takpé and Suter 2017, as printed; the curves of its figures are not in the text."""

#: Share of deadline-driven jobs (%).
SHARES = (20, 40, 60, 80)

#: Table 1: anomalies. Columns as in ``ANOMALIES``.
ANOMALIES = (
    "run time < 0",
    "CPU < 0",
    "used CPU > requested CPU",
    "run time > walltime",
    "run time > walltime + 1 min",
)
TABLE_1 = {
    "SDSC-BLUE": (10770, 19516, 458, 23434, 8115),
    "SDSC-DS": (11176, 0, 0, 10658, 1043),
    "HPC2N": (0, 0, 729, 14817, 6170),
    "ANL-Intrepid": (0, 0, 30948, 12241, 9096),
}

#: Table 2: all jobs, then regular jobs at each share.
TABLE_2 = {
    "SDSC-BLUE": (157604, 126084, 94564, 63043, 31522),
    "SDSC-DS": (64715, 51772, 38829, 25886, 12943),
    "HPC2N": (202871, 162297, 121723, 81150, 40576),
    "ANL-Intrepid": (68936, 55149, 41363, 27575, 13789),
}

#: Table 3: time (s) to simulate DBF at each share, CBF and EASY.
TABLE_3 = {
    "SDSC-BLUE": (273, 274, 278, 313, 215, 138),
    "SDSC-DS": (120, 133, 127, 122, 109, 58),
    "HPC2N": (1383, 1791, 2066, 1827, 441, 183),
    "ANL-Intrepid": (140, 145, 141, 124, 112, 70),
}

#: Figure 1: "roughly corresponds to business hours from 9AM to 6PM for all workloads" (Section 5).
PEAK_HOURS = (9, 18)

#: Sentences of Section 6.3 that give a number: (item, workload, share, metric) → number.
STATED = {
    # "DBF already reduces the average wait time by more than a factor of two" (against CBF)
    ("Figure 2", "SDSC-DS", 20, "change of the mean wait against CBF (%)"): -50.0,
    # "is at least on par with EASY or reduces the average wait time up to 25% (for the HPC2N …)"
    ("Figure 2", "HPC2N", 20, "change of the mean wait against EASY (%)"): -25.0,
    # "a maximum of 17.3% for SDSC-BLUE with 20% of deadline-driven jobs"
    ("Figure 7", "SDSC-BLUE", 20, "mean use of the deadlines (%)"): 17.3,
}
#: "almost half of the deadline-driven jobs were executed immediately", all simulations combined;
#: "less than 1% of the deadline-driven jobs used more than 80% of their deadlines".
STARTED_AT_ONCE, USED_MOST = 50.0, 1.0
