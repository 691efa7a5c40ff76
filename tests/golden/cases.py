"""The cases of ``starts.json``, as text: the kind, and what it takes; see :mod:`tests.golden.starts`.

Replays read ``replay POLICY WORKLOAD [ESTIMATES [SEED]]``, searches ``solve OPTIMIZER OBJECTIVE EVALUATIONS ROUND``.
"""

from planbatch.objectives.catalogue import OBJECTIVES
from planbatch.planner.orders.catalogue import ORDERS

PLAIN = "tests.golden.plain:"


def lines(text: str) -> list[str]:
    """Return the lines of a text that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


QUEUES = (
    *("fcfs", "easy", "easy-sjf", "conservative", "replanned", "best-fit", "bb", "bb-one", "ibb"),
    *("ibb-printed", "first-reserved", "selective", "relaxed", "slack"),
)

REPLAYS = [
    *(f"replay {p} {w}" for p in QUEUES for w in ("busy-1", "memory-2", "memory-windows-3")),
    *(f"replay easy {w}" for w in ("odd-1", "two-1", "three-2", "windows-2", "deep-windows-1")),
    *(f"replay {p} three-windows-4" for p in QUEUES if p not in ("fcfs", "bb-one", "ibb-printed")),
    *(f"replay {p} ties-1" for p in (*QUEUES, "los")),
    *(f"replay {p} deep-1" for p in ("conservative", "slack", "selective", "los", "relaxed")),
    *(f"replay {p} deep-memory-2" for p in ("conservative", "slack", "replanned")),
    *(f"replay {p} long-1" for p in ("fcfs", "easy", "conservative", "replanned", "slack", "los")),
    *(f"replay {p} long-memory-2" for p in ("easy", "conservative", "replanned", "bb", "ibb")),
    *(f"replay {p} long-windows-3" for p in ("easy", "conservative", "first-reserved")),
    *(
        f"replay {policy} {workload}"
        for policy in ("easy", "conservative", "replanned", "slack", "plan-wait:optimizer=annealing,evaluations=20")
        for workload in ("far-1", "far-memory-2")
    ),
    # Orders.
    *(f"replay easy:{order} busy-3" for order in ORDERS if order not in ("submit", "fcfs")),
    *lines("""
        replay easy:fcfs/sjf busy-4
        replay easy:fcfs/sjf memory-windows-5
        replay easy:sjf/saf odd-2
        replay easy:lxf/saf@1h busy-4
        replay easy:fcfs/wfp3@30min three-1
        replay easy:saf@2h long-2
        replay easy:(multifactor:size=500,half_life=1h,max_age=4h) busy-5
        replay easy:fcfs/(multifactor:fairshare=0,size=800)@3h memory-4
        replay easy:fcfs/expected-slowdown busy-5
        replay easy:expected-area@3h windows-6
        replay fcfs:wfp3 busy-4
        replay replanned:saf busy-4
        replay replanned:expected-slowdown memory-5
        replay best-fit:smallest odd-4
        replay bb:lxf two-5
        replay ibb:f1 three-5
        replay first-reserved:8 busy-6
        replay first-reserved:jobs=3,order=lxf memory-6
        replay selective:0 busy-6
        replay selective:factor=5,order=saf two-6
        replay relaxed:omega=1,order=sjf busy-6
        replay relaxed:0 memory-6
        replay slack:2x busy-6
        replay slack:1h+1x windows-6
        replay slack:0s memory-windows-6
        replay los busy-1
        replay los:3 odd-6
        replay los:lookahead=20,order=lxf busy-6
    """),
    # What is known of run times.
    *(
        f"replay {policy} {workload} {estimates}"
        for estimates in ("actual", "mixed")
        for policy, workload in (
            ("fcfs", "busy-7"),
            ("easy", "busy-7"),
            ("easy:fcfs/sjf", "memory-windows-7"),
            ("conservative", "busy-7"),
            ("conservative", "three-windows-7"),
            ("replanned", "windows-7"),
            ("slack", "busy-7"),
            ("plan-squared-wait:optimizer=annealing,evaluations=30", "memory-7"),
        )
    ),
    *(
        f"replay easy:fcfs/sjf busy-8 predicted:{predictor}:correction={correction}"
        for predictor in ("last-two", "e-loss")
        for correction in ("incremental", "doubling", "request", "at-start", "doubling-beyond")
    ),
    *lines("""
        replay easy memory-8 predicted:last-two
        replay easy:fcfs/sjf memory-windows-8 predicted:e-loss:correction=doubling
        replay easy:wfp3 busy-8 predicted:ratio
        replay easy:expected-slowdown busy-8 predicted:ratio:correction=incremental
        replay easy deep-8 predicted:boosted:every=6h,trees=5
        replay easy:fcfs/sjf deep-memory-8 predicted:boosted:every=3h,quantile=0.7,correction=doubling
        replay conservative busy-8 predicted:last-two
        replay conservative memory-windows-8 predicted:ratio:correction=doubling
        replay replanned deep-8 predicted:e-loss:correction=incremental
        replay slack busy-8 predicted:last-two
        replay selective two-8 predicted:ratio:correction=request
        replay plan-squared-wait:optimizer=annealing,evaluations=30 busy-8 predicted:last-two
        replay plan-squared-wait:optimizer=annealing,evaluations=30,promise=2h busy-8 predicted:last-two
        replay plan-expected-slowdown:optimizer=annealing,evaluations=30 busy-8 predicted:ratio
    """),
    "replay plan-wait:optimizer=annealing,evaluations=30,promise=1h+1x "
    "memory-windows-8 predicted:ratio:correction=doubling",
    # Deadlines.
    *(
        f"replay {policy} {workload}"
        for policy in ("edf", "dbf", "dbf-2016", "wdbf")
        for workload in ("due-1", "due-memory-2", "due-windows-3", "long-due-1")
    ),
    *lines("""
        replay dbf due-4 mixed
        replay dbf due-memory-4 actual
        replay dbf-2016 due-4 mixed
        replay dbf-2016 due-4 actual
        replay wdbf:calendar=8-12:sat,mon busy-1
        replay wdbf:calendar=0-24:sat memory-2
        replay easy:regular-first due-5
        replay fcfs:earliest-deadline due-memory-5
        replay plan-tardiness:optimizer=annealing due-1
        replay plan-tardiness:optimizer=annealing,evaluations=40 due-memory-2
        replay plan-maximum-tardiness:optimizer=annealing,evaluations=40 due-windows-3
        replay plan-missed-deadlines:optimizer=annealing,evaluations=40 due-4
        replay plan-regular-wait:optimizer=annealing,evaluations=40 due-4
        replay plan-regular-wait:optimizer=annealing,evaluations=40,promise=deadline due-memory-4
        replay plan-squared-wait:optimizer=annealing,evaluations=20 long-due-2
    """),
    # Plans.
    *(f"replay plan-{objective}:optimizer=annealing,evaluations=30 busy-2" for objective in OBJECTIVES),
    *lines("""
        replay plan-squared-wait:optimizer=annealing busy-1
        replay plan-squared-wait:optimizer=annealing busy-1 requested 2
        replay plan-squared-wait:optimizer=annealing windows-1
        replay plan-squared-wait:optimizer=annealing memory-1
        replay plan-squared-wait:optimizer=annealing two-1
        replay plan-squared-wait:optimizer=annealing three-windows-1
        replay plan-squared-wait:optimizer=annealing,evaluations=0 deep-2
        replay plan-squared-wait:optimizer=annealing,evaluations=400 small-2
        replay plan-squared-wait:optimizer=annealing,evaluations=1000 small-memory-2
        replay plan-squared-wait:optimizer=annealing,evaluations=40 deep-memory-1
        replay plan-squared-wait:optimizer=annealing,evaluations=10 long-3
        replay plan-squared-wait:optimizer=annealing,evaluations=10 long-memory-3
        replay plan-squared-wait:optimizer=annealing,evaluations=150 ties-2
        replay plan-aged-wait:optimizer=annealing,age=6h,evaluations=30 busy-2
        replay plan-weighted-wait:optimizer=annealing,power=1.5,area=0,age=0.3,evaluations=30 busy-2
        replay plan-weighted-wait:optimizer=annealing,size=0.5,length=-0.5,run=1,evaluations=30 memory-2
        replay plan-weighted-wait:optimizer=annealing,share=1,evaluations=30 busy-2
        replay plan:bounded-slowdown,optimizer=annealing,evaluations=30 odd-3 requested 7
        replay plan-wait:optimizer=annealing,evaluations=30,promise=0s busy-4
        replay plan-wait:optimizer=annealing,evaluations=30,promise=2h busy-4
        replay plan-squared-wait:optimizer=annealing,evaluations=30,promise=2x memory-windows-4
        replay plan-squared-wait:optimizer=annealing,evaluations=30,promise=(within:1d,1h+1x) three-4
        replay plan-area-wait:optimizer=annealing,evaluations=30,promise=1h busy-4 mixed
        replay plan-wait:optimizer=annealing,evaluations=30,promise=30min windows-4 actual
        replay plan-wait:optimizer=annealing,evaluations=30,promise=30min memory-windows-5 mixed
        replay plan-wait:optimizer=annealing,evaluations=10,promise=1d long-4
        replay plan-squared-wait:optimizer=annealing,evaluations=30,scenarios=4 busy-5
        replay plan-squared-wait:optimizer=annealing,evaluations=30,scenarios=6,risk=0.5 memory-5
        replay plan-bounded-slowdown:optimizer=annealing,evaluations=30,scenarios=3,risk=0.9,promise=3h windows-5
        replay plan-expected-slowdown:optimizer=annealing,evaluations=30,scenarios=3 busy-5
        replay plan-wait:optimizer=annealing,evaluations=10,scenarios=2 long-5
        replay plan-squared-wait:optimizer=annealing-paper,evaluations=50 busy-6
        replay plan-wait:optimizer=(annealing:cooling=0.8,moves=5,growth=1.5,swap=0.6),evaluations=60 small-3
        replay plan-wait:optimizer=(annealing:first_plans=(submit,expected-slowdown)),evaluations=30 busy-6
        replay plan-wait:optimizer=(annealing:front_jobs=8,by_start=false,near=0.5),evaluations=60 deep-6
        replay plan-wait:optimizer=tabu,evaluations=30 small-3
        replay plan-wait:optimizer=local-search,evaluations=30 small-memory-3
        replay plan-squared-wait:optimizer=lns,evaluations=30 small-windows-3
        replay plan-wait:optimizer=simanneal,evaluations=30 small-3
        replay plan-response:optimizer=greedy small-memory-3
        replay plan-wait:optimizer=portfolio,evaluations=60 small-4
        replay plan-wait:optimizer=tabu,evaluations=30,scenarios=2 small-4
        replay plan-wait:optimizer=local-search,evaluations=30,promise=1h small-4
        replay rollouts:samples=3,evaluations=10 busy-7
        replay rollouts:samples=3,evaluations=0 memory-7
        replay rollouts:samples=2,evaluations=10,coming=2h windows-7
        replay rollouts:order=lxf,objective=bounded-slowdown,samples=4,evaluations=5,confidence=0.5 small-5
        replay rollouts:order=expected-area,samples=2,evaluations=0,coming=1h three-7
        replay rollouts small-6 requested 3
    """),
    # The default search of plan-based policies.
    *lines("""
        replay plan-squared-wait busy-1
        replay plan-wait:evaluations=300,promise=2h memory-windows-4
        replay plan-makespan:evaluations=30 three-2
        replay plan-missed-deadlines:evaluations=30 due-4
        replay plan-squared-wait:evaluations=20,scenarios=2 long-5
    """),
    # Users' functions.
    f"replay easy:{PLAIN}narrow_and_long busy-9",
    f"replay replanned:{PLAIN}narrow_and_long@2h memory-9",
    f"replay plan:{PLAIN}late_and_wide,optimizer=annealing,evaluations=30 busy-9",
    f"replay plan:{PLAIN}late_and_wide,optimizer=annealing,evaluations=30,promise=2h memory-windows-9",
    f"replay plan-wait:optimizer={PLAIN}swap_neighbours,evaluations=30 small-9",
    f"replay {PLAIN}best_of_random busy-9",
    f"replay {PLAIN}reserved_by_area memory-windows-9",
    f"replay {PLAIN}reserved_by_area busy-9 mixed",
]

DECISIONS = [
    *(f"decide {p} jobs=40,planned=1" for p in ("easy", "conservative", "slack", "relaxed", "los")),
    *(
        f"decide {p} jobs=150,resources=2,windows=2,planned=1"
        for p in ("easy:fcfs/sjf", "conservative", "bb", "selective")
    ),
    "decide dbf jobs=60,due=1,resources=1",
    "decide plan-squared-wait:optimizer=annealing jobs=60,planned=1,windows=2",
    "decide plan-squared-wait:optimizer=annealing,promise=1h jobs=60,promised=1,resources=1",
    "decide rollouts:samples=4 jobs=30",
]

SEARCHES = [
    # From a handful of jobs to thousands.
    *(
        f"solve annealing squared-wait {evaluations} jobs={jobs},planned=1"
        for jobs, evaluations in (
            (2, 10),
            (5, 200),
            (6, 5000),
            (10, 300),
            (20, 8800),
            (50, 3000),
            (60, 1),
            (60, 0),
            (300, 3000),
            (700, 900),
            (1100, 99),
            (1100, 1600),
        )
    ),
    *(
        f"solve annealing wait {evaluations} jobs={jobs},promised=1,seed=2"
        for jobs, evaluations in ((10, 300), (50, 1000), (300, 1000), (700, 300))
    ),
    "solve hybrid squared-wait 2000 jobs=40,planned=1",
    "solve hybrid squared-wait 600 jobs=300,planned=1",
    "solve hybrid makespan 2000 jobs=60,resources=1",
    "solve hybrid tardiness 2000 jobs=60,due=1",
    *(
        f"solve annealing bounded-slowdown 600 jobs={jobs},resources={resources},windows={windows},seed=3"
        for jobs in (20, 150)
        for resources in (0, 1, 2, 3)
        for windows in (0, 3)
        if resources or windows
    ),
    "solve annealing squared-wait 400 jobs=700,resources=1,windows=2,promised=1",
    "solve annealing area-wait 1500 jobs=1100,resources=2",
    "solve annealing wait 500 jobs=80 7",
    "solve annealing squared-wait 500 jobs=80,far=1",
    "solve annealing wait 500 jobs=80,far=1,resources=1,windows=1",
    "solve annealing tardiness 500 jobs=60,due=1",
    "solve annealing regular-wait 500 jobs=60,due=1,resources=1,promised=1",
    "solve annealing wait 200 jobs=600,due=1",
    # Its settings.
    *(
        f"solve annealing:{setting} squared-wait 600 jobs=80,planned=1,seed=4"
        for setting in (
            "first_plans=submit",
            "first_plans=(previous,shortest)",
            "first_plans=(smallest,smallest-area)",
            "first_plans=(area-per-square,size-root-length)",
            "first_plans=(area-per-response,root-size-length)",
            "first_plans=area-per-age",
            "per_job=false",
            "by_start=false",
            "swap=1",
            "swap=0,near=0,large=1",
            "eject=1",
            "eject=0.3,block=0.5",
            "front=0,front_jobs=10",
            "cooling=0.5,growth=2,moves=3",
            "hottest=10,coldest=0.001",
        )
    ),
    # The others.
    *(
        f"solve {optimizer} {objective} 300 {problem}"
        for optimizer in ("annealing-paper", "simanneal", "tabu", "local-search", "lns", "greedy", "portfolio")
        for objective, problem in (
            ("squared-wait", "jobs=30,planned=1,seed=5"),
            ("stretch", "jobs=40,resources=1,windows=2,seed=5"),
            ("makespan", "jobs=25,promised=1,resources=2,seed=6"),
        )
    ),
    *lines("""
        solve tabu:neighbours=5,tenure=0.5 wait 200 jobs=50,seed=7
        solve lns:window=6 wait 800 jobs=50,seed=7
        solve simanneal:steps=50 wait 200 jobs=50,resources=3,seed=7
        solve exhaustive wait 20000 jobs=9,seed=8
        solve exhaustive squared-wait 20000 jobs=11,seed=8
        solve exhaustive stretch 3000 jobs=14,planned=1,seed=8
        solve exhaustive makespan 5000 jobs=10,seed=8
        solve annealing wait 100 jobs=12,planned=1,seed=8
        solve annealing:eject=1 stretch 400 jobs=40,resources=2,windows=3,seed=9
        solve cp-sat wait 300 jobs=14,seed=8
        solve cp-sat squared-wait 300 jobs=20,resources=1,windows=1,planned=1,seed=8
        solve cp-sat makespan 300 jobs=16,promised=1,seed=8
        solve lns:repair=cp-sat,window=8 wait 400 jobs=30,seed=8
        prove exhaustive squared-wait 100000 jobs=7,resources=1,seed=8
        prove exhaustive wait 100000 jobs=7,windows=2,seed=8
        prove exhaustive makespan 100000 jobs=6,resources=2,windows=1,seed=8
        prove exhaustive tardiness 100000 jobs=8,due=1,seed=8
        prove annealing squared-wait 200 jobs=6,resources=3,windows=2,seed=8
    """),
    f"solve annealing {PLAIN}late_and_wide 300 jobs=40,resources=1,seed=9",
    f"solve {PLAIN}swap_neighbours wait 200 jobs=40,windows=1,seed=9",
    f"solve local-search {PLAIN}late_and_wide 200 jobs=40,seed=9",
]

BOUNDS = [
    *(f"bound {objective} 100 jobs=40,due=1,seed=10" for objective in OBJECTIVES),
    *(
        f"bound {objective} {iterations} {problem}"
        for objective in ("squared-wait", "makespan")
        for iterations, problem in (
            (0, "jobs=40,seed=10"),
            (300, "jobs=8,seed=10"),
            (40, "jobs=200,seed=10"),
            (60, "jobs=30,resources=2,seed=10"),
            (60, "jobs=30,windows=3,resources=1,seed=10"),
        )
    ),
]

PROFILES = [
    *(
        f"decode {count} jobs={jobs},resources={resources},windows={windows},seed=11"
        for jobs, count in ((20, 50), (400, 10))
        for resources in (0, 1, 2, 3)
        for windows in (0, 4)
    ),
    "decode 10 jobs=300,far=1,seed=11",
    "decode 10 jobs=300,far=1,resources=2,seed=11",
    "decode 3 jobs=2000,seed=11",
    "decode 3 jobs=2000,resources=1,seed=11",
    "decode 30 jobs=60,promised=1,running=0,seed=11",
    *(f"first-plan squared-wait jobs={n},planned=1,seed=12" for n in (1, 30, 499, 501, 800)),
    "first-plan wait jobs=60,resources=2,windows=2,planned=1,seed=12",
    "first-plan tardiness jobs=60,due=1,seed=12",
    "first-plan tardiness jobs=600,due=1,resources=1,seed=12",
    "first-plan squared-wait jobs=80,promised=1,seed=12",
    *(f"profile 300 jobs=50,resources={r},windows={w},seed=13" for r, w in ((0, 0), (0, 4), (1, 0), (3, 4))),
]

CASES = (*REPLAYS, *DECISIONS, *SEARCHES, *BOUNDS, *PROFILES)
