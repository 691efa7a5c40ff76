"""Accounts of the lab: slurmdbd and its database, in the lab's folder, for users with rights of their own."""

import subprocess
from pathlib import Path

#: Where slurm.conf says that there are accounts.
NO_ACCOUNTS = "AccountingStorageType=accounting_storage/none"

_SLURMDBD = """\
AuthType=auth/munge
AuthInfo=socket={folder}/run/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser={owner}
CommunicationParameters=NoInAddrAny
LogFile={folder}/log/slurmdbd.log
PidFile={folder}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StoragePass=none
"""
_SLURM = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={port}
AccountingStoragePass={folder}/run/munge.sock"""


def with_accounts(conf: str, folder: Path, port: int, owner: str) -> str:
    """Write slurmdbd's configuration, beside slurm.conf; return slurm.conf's text with accounts."""
    path = folder / "slurmdbd.conf"
    path.write_text(_SLURMDBD.format(folder=folder, port=port, owner=owner))
    path.chmod(0o600)
    return conf.replace(NO_ACCOUNTS, _SLURM.format(port=port, folder=folder))


def database_socket(folder: Path) -> Path:
    """Where the database listens, nowhere else; the environment variable MYSQL_UNIX_PORT says so to slurmdbd."""
    return folder / "run" / "database.sock"


def database_command(folder: Path) -> list[str]:
    """Make an empty database, and give the command that serves it, without rights of its own and without a network."""
    data = folder / "database"
    subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--user=root", "--skip-test-db",
         "--auth-root-authentication-method=normal"], check=True, capture_output=True,
    )  # fmt: skip
    return ["mariadbd", "--no-defaults", f"--datadir={data}", "--user=root", "--skip-networking",
            "--skip-grant-tables", f"--socket={database_socket(folder)}", f"--pid-file={data}/pid",
            "--innodb-flush-log-at-trx-commit=0"]  # fmt: skip


def give_rights(environment: dict[str, str], user: str, level: str) -> bool:
    """Give a user rights, Operator or Admin, as the runbook says; whether slurmdbd answered, and did so."""
    for words in (["add", "cluster", "lab"], ["add", "user", user, "account=root"]):
        _sacctmgr(environment, *words)  # refused if it is there
    return _sacctmgr(environment, "modify", "user", user, "set", f"adminlevel={level}")


def _sacctmgr(environment: dict[str, str], *words: str) -> bool:
    command = ["sacctmgr", "-i", *words]
    return not subprocess.run(command, env=environment, capture_output=True, check=False).returncode
