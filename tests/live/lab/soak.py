"""A soak: jobs arrive, daemons and drivers are killed and come back; in the end nothing is lost, leaked or forgotten.

    python -m tests.live.lab.soak [--minutes 15] [--seed 1] [--mode soft]

Prints one line a minute, and what it found; exit code 1 if something is wrong:

- every job ended, and ran once, unless its node or the controller was killed;
- no job that was released was released again without having been taken back or requeued;
- what the journal says of the queue is what the cluster says (no drift);
- jobs that their users hold stay held, whatever else they change;
- no driver had to let Slurm have its way since nodes idled;
- the driver's memory, files and threads do not grow; no process is left when the lab is down.
"""

import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CalledProcessError

from planbatch.experiments.live.journal import read_ticks
from planbatch.experiments.live.slurm.client import SlurmError
from planbatch.experiments.live.slurm.marks import Mode, mark_of
from planbatch.experiments.live.slurm.tick import OBSERVING
from tests.live.lab.drive import Drive
from tests.live.lab.lab import NOBODY, Lab
from tests.live.lab.processes import arguments, wait_until

#: What users do with their jobs that wait.
MEDDLING = ("hold", "hold", "release", "release", "TimeLimit=2", "Comment=mine", "Name=other", "StartTime=now",
            "StartTime=now+5", "Nice=10", "Partition=side", "Partition=main")  # fmt: skip


@dataclass
class Soak:
    """One soak.

    Attributes
    ----------
    lab : Lab
        The cluster.
    rng : Random
        What happens when.
    mode : str
        The drivers' mode.
    wrong : list of str
        One sentence for each thing that is wrong.
    counts : dict of str to int
        How often what happened.
    """

    lab: Lab
    rng: random.Random
    mode: Mode
    wrong: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    sizes: list[tuple[int, int, int]] = field(default_factory=list)
    broken: bool = False
    held: frozenset[int] = frozenset()

    def count(self, what: str) -> None:
        """Count something that happened."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def arrive(self) -> None:
        """Submit a job; sometimes a foreign one."""
        size, limit = self.rng.choice([1, 1, 2, 4, 8]), self.rng.randint(1, 5)
        words = [f"-N{size}", "--exclusive", f"-t{limit}", "--requeue"]
        chance = self.rng.random()
        if chance < 0.05:
            words.append("--comment=noplan")
        elif chance < 0.15:
            words = ["-N1", f"-wn{self.rng.randint(1, 8)}", "--exclusive", f"-t{limit}", "--requeue"]
        number = self.lab.submit(*words, seconds=self.rng.randint(1, 5), user=NOBODY)
        self.numbers[number] = self.lab.jobs()[number].submit_time
        self.count("jobs")

    def meddle(self) -> None:
        """Do as a user does with one of her jobs that waits: hold it, release it, change it."""
        jobs = self.lab.jobs()
        waiting = [one for one in self.numbers if one in jobs and jobs[one].pending]
        if not waiting:
            return
        number = self.rng.choice(waiting)
        action = self.rng.choice(MEDDLING)
        job = jobs[number]
        if action.startswith("Partition") and (job.nodes > self.lab.side or job.required):
            return  # it would never start
        words = [action, str(number)] if action in ("hold", "release") else ["update", f"JobId={number}", action]
        try:
            self.lab.as_user("scontrol", *words)
        except CalledProcessError:  # it has started, or a controller is away
            return
        self.count(f"user: {action.partition('=')[0]}")
        if action == "hold":
            self.note_hold(number, time.time())
        elif action == "release":
            self.held -= {number}

    def note_hold(self, number: int, now: float) -> None:
        """Remember that a job is held since ``now`` (s), unless it had started: Slurm lets users hold those, too."""
        job = self.lab.jobs()[number]
        if job.pending:
            self.held |= {number}
        elif job.start_time > int(now):
            self.wrong.append(f"job {number} started, though its user holds it")

    def check_holds(self) -> None:
        """What a user holds is held, and has not started."""
        jobs = self.lab.jobs()
        for number in self.held:
            if number in jobs and (jobs[number].state, jobs[number].held) != ("PENDING", "user"):
                self.wrong.append(f"job {number} is {jobs[number].state}, though its user holds it")

    def drive(self) -> Drive:
        """Start a driver, and wait until it drives."""
        drive = self.lab.drive(self.mode, "--on-exit", "keep", "--grace", "6s", name="soak")
        wait_until("the driver drives", drive.drives)
        return drive

    def kill_driver(self, drive: Drive) -> Drive:
        """Kill the driver and start another one."""
        drive.kill()
        self.count("drivers killed")
        self.sizes.clear()
        return self.drive()

    def restart_driver(self, drive: Drive) -> Drive:
        """End the driver as systemd does, and start another one."""
        drive.process.terminate()
        if drive.ended() != 0:
            self.wrong.append("a driver that was ended did not end well")
        self.count("drivers ended")
        self.sizes.clear()
        return self.drive()

    def kill_controller(self) -> None:
        """Kill the controller when its state is on disk, so that no job is lost, and start it again."""
        self.lab.wait_for_save()
        self.lab.kill("slurmctld")
        time.sleep(self.rng.uniform(0, 3))
        self.lab.start_controller()
        try:
            self.lab.wait_for_nodes(30)
        except TimeoutError as error:
            self.count(f"nodes away after the controller's death: {error}")
        self.lab.mend()
        self.count("controllers killed")

    def kill_node(self) -> None:
        """Kill a node with its jobs, tell Slurm, and bring it back."""
        name = self.rng.choice(self.lab.node_names)
        self.lab.kill(name)
        self.lab.run("scontrol", "update", f"NodeName={name}", "State=DOWN", "Reason=soak")
        time.sleep(self.rng.uniform(0, 4))
        self.lab.start_node(name)
        self.lab.mend()
        self.count("nodes killed")

    def measure(self, drive: Drive) -> None:
        """Note the driver's memory (kB), open files and threads."""
        folder = Path(f"/proc/{drive.process.pid}")
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        files = len(list((folder / "fd").iterdir()))
        self.sizes.append((int(status["VmRSS"].split()[0]), files, int(status["Threads"])))

    def compare(self, drive: Drive) -> None:
        """Compare the last snapshot in the journal with the cluster, job by job."""
        tick = None
        for each in read_ticks(drive.journal):
            tick = each if each.snapshot is not None else tick
        assert tick is not None
        assert tick.snapshot is not None
        seen = {job.key: (job.state, job.held) for job in tick.snapshot.jobs if not job.running}
        real = {job.key: (job.state, job.held) for job in self.lab.snapshot().jobs}
        drift = [key for key, what in seen.items() if key in real and real[key] != what]
        if drift and not self.broken:
            self.wrong.append(f"the journal differs from the cluster for {drift[:3]}")


def fill(soak: Soak, minutes: float, gap: float) -> Drive:
    """Let things happen until the time is over, something breaks every ``gap`` seconds; return the last driver."""
    drive = soak.drive()
    ends, printed = time.monotonic() + 60 * minutes, time.monotonic()
    next_break = time.monotonic() + gap / 2
    while time.monotonic() < ends:
        try:
            soak.arrive()
        except (RuntimeError, SlurmError, KeyError) as error:
            soak.wrong.append(f"a job could not be submitted: {error}")
        time.sleep(soak.rng.expovariate(1 / 2.0))  # the machine is busy for about 60 % of the time
        soak.measure(drive)
        if soak.rng.random() < 0.3:
            soak.meddle()
        if time.monotonic() > next_break:
            happens = soak.rng.choice(["driver", "driver", "end", "controller", "node", "node"])
            if happens == "driver":
                drive = soak.kill_driver(drive)
            elif happens == "end":
                drive = soak.restart_driver(drive)
            elif happens == "controller":
                soak.kill_controller()
            else:
                soak.kill_node()
            next_break = time.monotonic() + soak.rng.expovariate(1 / gap)
        if time.monotonic() - printed > 60:
            printed = time.monotonic()
            print(f"{(ends - printed) / 60:5.1f} min left: {soak.counts}, driver {soak.sizes[-1:]}", flush=True)
        if not drive.process.is_alive():
            soak.wrong.append(f"the driver ended by itself: {drive.output_text()[-400:]}")
            drive = soak.drive()
    return drive


def check(soak: Soak, drive: Drive) -> None:
    """Wait until all jobs have completed, and look for what is wrong."""
    lab = soak.lab
    if not soak.counts.get("controllers killed"):  # which may forget the last holds
        soak.check_holds()
    for number, job in lab.jobs().items():
        if number in soak.numbers and job.pending and job.held == "user":
            try:
                lab.as_user("scontrol", "release", str(number))
            except CalledProcessError as error:
                soak.wrong.append(f"job {number} cannot be released ({error.stderr!r}): {job}")
                lab.run("scontrol", "release", str(number))

    def open_jobs() -> list[int]:
        jobs = lab.jobs()
        return [one for one in soak.numbers if one in jobs and (jobs[one].pending or jobs[one].running)]

    drained = time.monotonic() + 600
    while open_jobs() and time.monotonic() < drained:
        lab.mend()  # Slurm drains nodes whose jobs could not be ended, say
        for job in lab.jobs().values():  # Slurm lets requeued jobs wait for two minutes
            if job.pending and job.key.restarts and job.begin_time > time.time():
                lab.run("scontrol", "update", f"JobId={job.job_id}", "StartTime=now")
        time.sleep(1)
    if open_jobs():
        soak.wrong.append(f"jobs that never ended: {open_jobs()[:5]}")
    jobs = lab.jobs()
    failed = [one for one in soak.numbers if one in jobs and jobs[one].state != "COMPLETED"]
    soak.counts["jobs that failed"] = len(failed)
    if len(failed) > 3 * soak.counts.get("nodes killed", 0):  # Slurm gives up jobs whose node dies as they start
        soak.wrong.append(f"jobs that failed: {failed[:5]}")
    gone = [one for one in soak.numbers if one not in jobs]
    if gone:
        soak.wrong.append(f"jobs that Slurm does not know any more: {gone[:5]}")
    time.sleep(3)
    soak.compare(drive)
    check_releases(soak, drive)
    marks = [mark_of(job.admin_comment) for job in jobs.values() if job.pending]
    if any(mark is not None for mark in marks):
        soak.wrong.append("marked jobs are left")
    check_sizes(soak)


def check_releases(soak: Soak, drive: Drive) -> None:
    """Each run of a job was released once; again only after it had been taken back or held, or if it was refused."""
    last: dict[tuple[int, ...], str] = {}
    for tick in read_ticks(drive.journal):
        refused = {
            row["line"]
            for line in tick.others
            if line["kind"] == "results"
            for row in (*line["refused"], *line["late"])
        }
        answered = any(line["kind"] == "results" for line in tick.others)
        for line in tick.others:
            for row in line.get("commands", ()):
                key = tuple(row["job"])
                accepted = answered and not refused & set(row["lines"])
                if row["action"] == "release" and last.get(key) == "release" and accepted:
                    soak.count("released twice in one run")
                if accepted:
                    last[key] = row["action"]
    jobs = soak.lab.jobs()
    twice = [one for one in soak.numbers if one in jobs and jobs[one].key.restarts > 0]
    soak.counts["jobs that ran again"] = len(twice)
    if twice and not (soak.counts.get("nodes killed") or soak.counts.get("controllers killed")):
        soak.wrong.append(f"jobs ran again although no daemon was killed: {twice[:5]}")
    if soak.counts.get("released twice in one run") and not soak.counts.get("controllers killed"):
        soak.wrong.append("a job was released twice")


def check_sizes(soak: Soak) -> None:
    """The driver has not grown since its first minute."""
    if len(soak.sizes) < 60:
        return
    early, late = soak.sizes[20:40], soak.sizes[-20:]
    for index, (name, slack) in enumerate((("memory", 30_000), ("files", 4), ("threads", 2))):
        before, after = (max(size[index] for size in some) for some in (early, late))
        if after > before + slack:
            soak.wrong.append(f"the driver's {name} grew from {before} to {after}")


def soaked(minutes: float, seed: int, mode: Mode, gap: float = 45.0) -> Soak:
    """Run one soak on a lab of its own; ``gap`` seconds from one break to the next, on average."""
    with Lab(side=2, strict=mode == "strict", silent=30) as lab:
        soak = Soak(lab, random.Random(seed), mode)
        drive = fill(soak, minutes, gap)
        check(soak, drive)
        drive.__exit__()
        if OBSERVING in drive.output_text():
            soak.wrong.append("nodes idled that jobs could have had")
        if "Traceback" in drive.output_text():
            soak.wrong.append(f"a driver crashed: {drive.output_text()[-600:]}")
        conf = str(lab.conf)
    left = [entry for entry in Path("/proc").glob("[0-9]*") if _mentions(entry, conf)]
    if left:
        soak.wrong.append(f"{len(left)} processes of the lab are left")
    return soak


def _mentions(entry: Path, conf: str) -> bool:
    try:
        return f"SLURM_CONF={conf}".encode() in (entry / "environ").read_bytes()
    except OSError:
        return False


def main() -> int:
    """Soak, and tell."""
    options = arguments(__doc__, minutes=15.0, seed=1, mode="strict")
    soak = soaked(options.minutes, options.seed, options.mode)
    print(soak.counts)
    for sentence in soak.wrong:
        print(f"wrong: {sentence}")
    print("nothing is wrong" if not soak.wrong else f"{len(soak.wrong)} things are wrong")
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
