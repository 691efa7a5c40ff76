"""What the lab's drivers begin with: everything is imported and compiled once, and each driver is forked from that.

The process from which drivers are forked imports this module first (``multiprocessing``'s fork server). A driver that
is started a second time costs a tenth of a second then, instead of three seconds of processor time.
"""

import codecs
import multiprocessing
import os
import pwd
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.cli.main import main
from planbatch.experiments.common.records import row_of
from planbatch.experiments.live.slurm.snapshot import Snapshot
from tests.live.lab.processes import ends_with_its_parent

if multiprocessing.current_process().name == "MainProcess" and "forkserver" in " ".join(sys.orig_argv):
    make_policy("plan-wait")
    # A driver of another user may not read the interpreter's own folder, if that is root's home.
    codecs.lookup("ascii")
    import_module("filelock")
    for name in ("drive", "release_all"):  # with pandas, which reads files of the interpreter's, too
        import_module(f"planbatch.experiments.cli.slurm.{name}")
    for name in ("advise", "drive", "tick"):  # which the command imports when it runs
        import_module(f"planbatch.experiments.live.slurm.{name}")
    row_of(Snapshot.example().jobs[0])  # with pydantic


def forked(words: Sequence[str], output: Path, environment: Mapping[str, str], owner: str = "root") -> BaseProcess:
    """Run ``planbatch`` with some words, in the folder of its output, as a process of its own.

    Parameters
    ----------
    words : sequence of str
        What stands behind ``planbatch`` on the command line.
    output : Path
        Where what it prints is appended.
    environment : mapping of str to str
        All of its variables.
    owner : str
        As whom it runs.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    process = context.Process(target=_run, args=(list(words), output, dict(environment), owner))
    process.start()
    return process


def _run(words: list[str], output: Path, environment: dict[str, str], owner: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(output.parent)
    for stream, path, flags in ((0, os.devnull, os.O_RDONLY), (1, output, os.O_WRONLY), (2, output, os.O_WRONLY)):
        file = os.open(path, flags | (os.O_APPEND | os.O_CREAT if stream else 0), 0o644)
        os.dup2(file, stream)
        os.close(file)
    if owner != "root":
        user = pwd.getpwnam(owner)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
    ends_with_its_parent()  # a change of the user takes it back
    sys.argv = ["planbatch", *words]
    main()
