"""Table V of Zhang et al. 2020, as printed: mean bounded slowdown."""

#: The paper's names of the logs → ours.
LOGS = {
    "Lublin-1": "lublin_256",
    "SDSC-SP2": "SDSC-SP2-1998-4.2-cln",
    "HPC2N": "HPC2N-2002-2.2-cln",
    "Lublin-2": "lublin_256_new2",
}
POLICIES = ("FCFS", "WFP3", "UNICEP", "SJF", "F1")
#: Log → the values of ``POLICIES``, and of the policy that was learned.
WITHOUT_BACKFILLING = {
    "Lublin-1": (7273.77, 19753.53, 22274.74, 277.35, 258.37, 254.67),
    "SDSC-SP2": (1727.54, 3000.88, 1848.45, 2680.55, 1232.06, 466.44),
    "HPC2N": (297.18, 426.99, 609.77, 157.71, 118.01, 117.01),
    "Lublin-2": (7842.47, 9523.18, 11265.31, 787.89, 698.34, 724.51),
}
WITH_BACKFILLING = {
    "Lublin-1": (235.82, 133.87, 307.23, 73.31, 75.07, 58.64),
    "SDSC-SP2": (1595.12, 1083.12, 548.01, 2167.84, 1098.22, 397.82),
    "HPC2N": (127.38, 97.39, 175.12, 122.04, 71.95, 86.14),
    "Lublin-2": (247.61, 318.35, 379.59, 91.99, 148.25, 118.79),
}
TABLES = {
    "Table V without backfilling": (False, WITHOUT_BACKFILLING),
    "Table V with backfilling": (True, WITH_BACKFILLING),
}
