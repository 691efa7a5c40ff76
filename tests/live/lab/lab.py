"""The lab: brings a Slurm cluster up in a folder of its own, breaks it as asked, and ends only what it started."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from planbatch.experiments.cli.slurm.files import site_file
from planbatch.experiments.live.slurm.client import SlurmClient, SlurmError
from planbatch.experiments.live.slurm.heartbeat import HEARTBEAT, stop_beating
from planbatch.experiments.live.slurm.marks import DriveRules
from planbatch.experiments.live.slurm.reading import read_snapshot
from planbatch.experiments.live.slurm.snapshot import LiveJob, Snapshot
from tests.live.lab.accounts import database_command, database_socket, give_rights, with_accounts
from tests.live.lab.drive import STATE, Drive
from tests.live.lab.processes import PATIENCE, ends_with_its_parent, free_ports, wait_until
from tests.live.lab.ready import forked

HERE = Path(__file__).resolve().parent
#: A scheduler that answers quickly: a released job starts within a second.
QUICK = "bf_interval=1,sched_interval=1,bf_resolution=1,batch_sched_delay=0,sched_min_interval=0"
#: Number of a user without any rights.
NOBODY = 65534


@dataclass
class Lab:
    """A cluster of emulated nodes; a context that is down again when it is left.

    Attributes
    ----------
    nodes : int
        Nodes of the partition ``main``: ``n1`` and so on.
    side : int
        Further nodes, in the partition ``side``.
    cpus : int
        CPUs of each node.
    scheduler : str
        Slurm's ``SchedulerParameters``.
    strict : bool
        Whether jobs arrive held as long as a driver is there.
    silent : int
        After how many seconds of silence a driver counts as dead.
    owner : str
        ``SlurmUser``, as whom the controller runs, and drivers: without slurmdbd nobody else but root has rights.
    operator : str
        A user who gets an operator's rights from slurmdbd, and as whom drivers run; empty for none, and no slurmdbd.
    folder : Path
        Everything of the lab; short, since sockets' paths may not be long.
    """

    nodes: int = 8
    side: int = 0
    cpus: int = 32
    scheduler: str = QUICK
    strict: bool = False
    silent: int = 5
    owner: str = "root"
    operator: str = ""
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="pb-lab-", dir="/tmp")))
    _daemons: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict, repr=False)

    @property
    def conf(self) -> Path:
        """Slurm's configuration."""
        return self.folder / "slurm.conf"

    @property
    def state(self) -> Path:
        """The folder of the driver's lock and heartbeat."""
        return self.folder / STATE

    @property
    def client(self) -> SlurmClient:
        """A client of this cluster."""
        return SlurmClient(self.conf)

    @property
    def environment(self) -> dict[str, str]:
        """Variables for programs that talk to this cluster."""
        return {**os.environ, "SLURM_CONF": str(self.conf)}

    @property
    def node_names(self) -> list[str]:
        """All nodes."""
        return [f"n{i + 1}" for i in range(self.nodes + self.side)]

    def __enter__(self) -> "Lab":
        try:
            self._write_files()
            self._start_munge()
            if self.operator:
                self._start_accounts()
            self.start_controller(clean=True)
            for name in self.node_names:
                self.start_node(name)
            self.wait_for_nodes()
        except BaseException:
            print(self.log()[-4000:])
            self.down()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.down()

    # Bringing up

    def _write_files(self) -> None:
        for name in ("state", "log", "run", "munge", *(f"spool/{node}" for node in self.node_names)):
            (self.folder / name).mkdir(parents=True)
        for name in (".", "run"):  # everybody talks to munge, through a socket in it
            (self.folder / name).chmod(0o755)
        (self.folder / "munge").chmod(0o700)
        if self.owner != "root":
            (self.folder / "run").chmod(0o1777)  # munge wants it to be root's
            for name in ("state", "log", STATE):
                (self.folder / name).mkdir(exist_ok=True)
                shutil.chown(self.folder / name, self.owner, self.group)
        if self.operator:
            (self.folder / STATE).mkdir()
            shutil.chown(self.folder / STATE, self.operator)
        port, accounts, *ports = free_ports(2 + len(self.node_names))
        text = (HERE / "slurm.conf.in").read_text()
        values = {"PORT": port, "DIR": self.folder, "SCHEDULER": self.scheduler, "OWNER": self.owner}
        for mark, value in values.items():
            text = text.replace(f"@{mark}@", str(value))
        if self.operator:
            text = with_accounts(text, self.folder, accounts, self.owner)
        for name, own in zip(self.node_names, ports, strict=True):
            text += (
                f"NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={own} "
                f"CPUs={self.cpus} RealMemory=1000 State=UNKNOWN\n"
            )
        text += f"PartitionName=main Nodes=n[1-{self.nodes}] Default=YES MaxTime=7-00:00:00 State=UP\n"
        if self.side:
            first, last = self.nodes + 1, self.nodes + self.side
            text += f"PartitionName=side Nodes=n[{first}-{last}] MaxTime=7-00:00:00 State=UP\n"
        if self.strict:
            script = site_file("job_submit.lua", self.state, self.silent, DriveRules())
            (self.folder / "job_submit.lua").write_text(script)
            text += "JobSubmitPlugins=lua\n"
        self.conf.write_text(text)

    def _start(self, name: str, *command: str, env: dict[str, str] | None = None) -> None:
        with (self.folder / "log" / f"{name}.out").open("ab") as out:
            self._daemons[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env or self.environment,
                start_new_session=True, preexec_fn=ends_with_its_parent,
            )  # fmt: skip

    def _start_munge(self) -> None:
        keys = self.folder / "munge"
        subprocess.run(["mungekey", "--create", f"--keyfile={keys}/key"], check=True)
        socket_path = self.folder / "run" / "munge.sock"
        self._start("munged", "munged", "--foreground", f"--key-file={keys}/key", f"--socket={socket_path}",
                    f"--pid-file={keys}/pid", f"--log-file={keys}/log", f"--seed-file={keys}/seed")  # fmt: skip
        wait_until("munge's socket", socket_path.exists)

    def _start_accounts(self) -> None:
        self._start("mariadbd", *database_command(self.folder))
        wait_until("the database's socket", database_socket(self.folder).exists)
        where = {"MYSQL_UNIX_PORT": str(database_socket(self.folder))}
        self._start("slurmdbd", "slurmdbd", "-D", env={**self.environment, **where})
        wait_until("slurmdbd answers", lambda: give_rights(self.environment, self.operator, "Operator"))

    def start_controller(self, clean: bool = False) -> None:
        """Start the controller, from its saved state unless ``clean``."""
        self._start("slurmctld", *self._as_owner, "slurmctld", "-D", *(["-c"] if clean else []))
        wait_until("the controller answers", self._answers)

    @property
    def _as_owner(self) -> list[str]:
        """What a command begins with that runs as the owner."""
        if self.owner == "root":
            return []
        return ["setpriv", f"--reuid={self.owner}", f"--regid={self.group}", "--clear-groups"]

    @property
    def group(self) -> int:
        """The owner's group."""
        return pwd.getpwnam(self.owner).pw_gid

    def _answers(self) -> bool:
        try:
            return "UP" in SlurmClient(self.conf, 5).run("scontrol", "ping")
        except SlurmError:
            return False

    def start_node(self, name: str) -> None:
        """Start the daemon of a node."""
        self._start(name, "slurmd", "-D", "-N", name)

    def wait_for_nodes(self, patience: float = PATIENCE) -> None:
        """Wait until every node may run jobs."""
        try:
            wait_until("all nodes are there", lambda: not self.away(), patience)
        except TimeoutError as error:
            raise TimeoutError(f"{error}, but {self.away()}") from None

    def away(self) -> dict[str, str]:
        """Nodes that may not run jobs: their states, and why."""
        listed = self.run("sinfo", "-h", "-a", "-N", "-o", "%N|%t|%E")
        rows = [line.split("|", 2) for line in listed.splitlines()]
        well = ("idle", "alloc", "mix")
        there = {name for name, state, _ in rows if state.rstrip("~#!%$@^-") in well}
        reports = {name: f"{state}: {reason}" for name, state, reason in rows}
        return {name: reports.get(name, "gone") for name in self.node_names if name not in there}

    # Breaking

    def kill(self, name: str, with_steps: bool = False) -> None:
        """Kill the controller (``slurmctld``) or a node, as a crash would; ``with_steps``: and all jobs in ``main``."""
        process = self._daemons.pop(name)
        process.kill()
        process.wait()
        if name in self.node_names:
            self._kill_steps(name)
        elif with_steps:
            for node in self.node_names[: self.nodes]:
                self._kill_steps(node)

    def wait_for_save(self) -> None:
        """Wait until the controller, which saves now and then, has all on disk that it knows now."""
        name = f"saved-{time.monotonic_ns()}"
        number = self.submit("-H", "-J", name, "--comment=noplan")
        saved = self.folder / "state" / "job_state"
        wait_until("it is saved", lambda: saved.exists() and name.encode() in saved.read_bytes())
        self.run("scancel", str(number))

    def freeze_state(self) -> None:
        """Remember the controller's saved state: what a crash would fall back to."""
        shutil.rmtree(self.folder / "frozen", ignore_errors=True)
        shutil.copytree(self.folder / "state", self.folder / "frozen")

    def thaw_state(self) -> None:
        """Let the controller, which is not running, find the remembered state."""
        shutil.rmtree(self.folder / "state")
        (self.folder / "frozen").rename(self.folder / "state")

    def forget_drivers(self) -> None:
        """Delete what drivers left: heartbeat, journals and output."""
        stop_beating(self.state / HEARTBEAT)
        for pattern in ("*.out", "*.jsonl*", f"{STATE}/*.jsonl*"):
            for path in self.folder.glob(pattern):
                path.unlink()

    def mend(self) -> None:
        """Start what a test killed, and resume the nodes that Slurm took out, as an administrator would."""
        if self._daemons.get("slurmctld") is None or self._daemons["slurmctld"].poll() is not None:
            self.start_controller()
        for name in self.node_names:
            if name not in self._daemons or self._daemons[name].poll() is not None:
                self.start_node(name)
        ends = time.monotonic() + PATIENCE
        while away := self.away():
            if time.monotonic() > ends:
                raise TimeoutError(f"the lab waited {PATIENCE:g} s in vain: {away}")
            for name in away:
                with suppress(SlurmError):  # not if it is about to come back by itself
                    self.run("scontrol", "update", f"NodeName={name}", "State=RESUME")
            time.sleep(0.1)

    def _kill_steps(self, name: str | None = None) -> None:
        """Kill the processes of jobs (of one node): they outlive its daemon."""
        ours = f"SLURM_CONF={self.conf}".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, ValueError):
                words = (entry / "environ").read_bytes().split(b"\0")
                if ours not in words:
                    continue
                command = (entry / "comm").read_text() + (entry / "cmdline").read_text()
                steps = command.startswith("slurmstepd")
                node = next((word for word in words if word.startswith(b"SLURMD_NODENAME=")), b"")
                on_node = node == f"SLURMD_NODENAME={name}".encode() or f"[{name}]" in command
                if (steps or node) and (name is None or on_node):
                    os.kill(int(entry.name), signal.SIGKILL)

    # Using

    def run(self, *command: str) -> str:
        """Run one of Slurm's programs."""
        return self.client.run(*command)

    def submit(self, *options: object, seconds: float = 1.0, until: Path | None = None, user: int | None = None) -> int:
        """Submit a job that sleeps, or runs until a file exists; return its number."""
        body = f"exec sleep {seconds:g}"
        if until is not None:
            body = f"until [ -e {until} ]; do sleep 0.1; done"
        command = ["sbatch", "--parsable", "-o", "/dev/null", "-D", "/tmp", *map(str, options), "--wrap", body]
        process = subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE, user=user, group=user)  # fmt: skip
        if process.returncode:
            raise RuntimeError(f"sbatch: {process.stderr.strip()}")
        return int(process.stdout.split(";")[0])

    def occupy(self, *options: object) -> int:
        """Submit a long job, of all nodes of ``main`` by default, and wait until it runs; return its number."""
        number = self.submit(*(options or (f"-N{self.nodes}", "--exclusive", "-t1")), seconds=600)
        self.wait_for_state("RUNNING", number)
        return number

    def wait_for_state(self, state: str, *numbers: int, patience: float = PATIENCE) -> None:
        """Wait until jobs are in a state."""
        self.wait_for(f"{len(numbers)} jobs are {state}",
                      lambda jobs: all(jobs[one].state == state for one in numbers), patience)  # fmt: skip

    def end_in(self, seconds: float, number: int) -> None:
        """Put the end of a running job forward, as an administrator may."""
        end = int(time.time() + seconds)
        self.run("scontrol", "update", f"JobId={number}", f"EndTime=uts{end}")

    def as_user(self, *command: str, user: int = NOBODY) -> None:
        """Run one of Slurm's programs as an ordinary user."""
        subprocess.run(command, env=self.environment, check=True, capture_output=True,
                       timeout=PATIENCE, user=user, group=user)  # fmt: skip

    def snapshot(self) -> Snapshot:
        """Read the cluster as the driver does."""
        return read_snapshot(self.client)

    def jobs(self) -> dict[int, LiveJob]:
        """Give all jobs by number; those of an array by that of their last row."""
        return {job.job_id: job for job in self.snapshot().jobs}

    def wait_for(self, what: str, holds: Callable[[dict[int, LiveJob]], object], patience: float = PATIENCE) -> None:
        """Wait until something holds of the jobs."""
        wait_until(what, lambda: holds(self.jobs()), patience)

    def cancel_all(self, partition: str = "main") -> None:
        """Cancel every job of a partition, and wait until none holds a node."""

        def left() -> str:
            return self.run("squeue", "-h", "-a", "-p", partition).strip()

        if left():
            self.run("scancel", f"--partition={partition}", "--state=PENDING")
            self.run("scancel", f"--partition={partition}")
        wait_until("no job is left", lambda: not left())

    def command(self, *words: str) -> str:
        """Run ``planbatch slurm`` and return all that it prints."""
        output = self.folder / "command.out"
        output.unlink(missing_ok=True)
        process = forked(["slurm", *words], output, self.environment)
        process.join(PATIENCE)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"the lab waited {PATIENCE:g} s in vain: {' '.join(words)}")
        return output.read_text()

    def drive(self, mode: str, *flags: object, every: str = "1s", name: str = "driver") -> "Drive":
        """Start a driver of this cluster."""
        words = ["drive", "--mode", mode, "--every", every, *map(str, flags)]
        return Drive(self.conf, name, words, self.operator or self.owner)

    def log(self) -> str:
        """What the controller wrote."""
        path = self.folder / "log" / "slurmctld.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def down(self) -> None:
        """End all daemons and jobs that the lab started, and delete its folder."""
        for process in self._daemons.values():
            process.terminate()
        for process in self._daemons.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._daemons.clear()
        self._kill_steps()
        shutil.rmtree(self.folder, ignore_errors=True)
