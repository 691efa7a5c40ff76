"""Reproductions of published results, one module per paper, compared with what the paper reports."""

#: Paper → module of this package, and what it is.
PAPERS = {
    "zheng-2016": ("zheng_2016", "Plan-based scheduling, CLUSTER 2016."),
    "ntakpe-2016": ("ntakpe_2016", "Deadline-based backfilling, Compas 2016."),
    "ntakpe-2017": ("ntakpe_2017", "Deadline-based backfilling, JSSPP 2017."),
    "lehai-2020": ("lehai_2020", "Working-time deadlines, ACOMP 2020."),
    "gaussier-2015": ("gaussier_2015", "Predicted run times, SC 2015."),
    "zhang-2020": ("zhang_2020", "Learned policies and queue orders, SC 2020."),
    "hpcopt-2026": ("hpcopt_2026", "A leaderboard of policies, and Batsim's FCFS."),
    "ilos-2026": ("ilos_2026", "Imitation learning and search, IPDPS 2026."),
    "liu-2016": ("liu_2016", "K-resource aware backfilling, NPC 2016."),
}
