"""A Slurm cluster of two nodes on this machine, without root, accounting or cgroups.

All its daemons listen on free ports of the loopback device and keep their state in one folder. Its
nodes share the machine's cores, whatever number they declare.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
NODES = ("n1", "n2")
PATIENCE = 60.0
SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
CONFIG = """\
ClusterName=box
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,batch_sched_delay=1
ReturnToService=2
KillWait=2
MinJobAge=300
SlurmUser={user}
SlurmdUser={user}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
"""
NODE = "NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={cores} "
NODE += "RealMemory=8000 State=UNKNOWN\n"
PARTITION = "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"


def find(program: str) -> str | None:
    """Where a program of the system is; daemons are not on everyone's path."""
    return shutil.which(program, path=f"{os.environ['PATH']}:{SYSTEM}")


def lacks() -> str:
    """What this machine lacks for a cluster, if anything."""
    wanted = (*DAEMONS, "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "setpriv")
    return ", ".join(program for program in wanted if find(program) is None)


class Cluster:
    """The cluster, while this context lasts; `environment` is what its users have besides."""

    def __init__(self, cores: int = 4) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-"))
        self.folder.chmod(0o755)
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._cores = cores
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self) -> Cluster:
        try:
            self._configure()
            told = {name: f"{self.folder}/munge{end}" for name, end in MUNGE.items()}
            options = [f"--{name}={file}" for name, file in told.items()]
            self._start("munged", "munged", "--foreground", "--force", *options)
            wait_for((self.folder / "munge.sock").exists, "munged")
            self._start("slurmctld", "slurmctld", "-D", "-i")
            for node in NODES:
                self.revive(node)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if "slurmctld" in self._daemons:
            self.ask("scancel", "--user", getpass.getuser())
            wait_for(lambda: not self.ask("squeue", "--noheader", "--states=R,CG"), "scancel")
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
            daemon.wait(PATIENCE)
        shutil.rmtree(self.folder)

    def ask(self, program: str, *arguments: str) -> str:
        """What a command of Slurm's says."""
        done = subprocess.run(
            [find(program), *arguments],
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()

    def jobs(self) -> dict[str, tuple[str, str]]:
        """State and node of all jobs that Slurm still knows, by number."""
        said = self.ask("squeue", "--noheader", "--states=all", "--format=%i %T %N")
        rows = [[*line.split(), ""][:3] for line in said.splitlines()]
        return {number: (state, node) for number, state, node in rows}

    def kill(self, node: str) -> None:
        """Let a node die as by a power cut: the daemon and all that it started."""
        daemon = self._daemons.pop(f"slurmd {node}")
        steps = find_processes(self.folder / f"slurmd-{node}.log")
        doomed = {one for step in steps for one in (step, *descend(step))}
        for process in doomed:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        daemon.wait(PATIENCE)
        # What the controller finds out by itself, half a minute later.
        self.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=died")

    def revive(self, node: str) -> None:
        """Start a node, and wait until it takes jobs."""
        self._start(f"slurmd {node}", "slurmd", "-D", "-N", node)
        ready = ("idle", "mixed", "allocated")
        state = ("sinfo", "--noheader", f"--nodes={node}", "--format=%T")
        wait_for(lambda: self.ask(*state) in ready, f"node {node}")

    def _configure(self) -> None:
        folder = self.folder
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(secrets.token_bytes(128))
        (folder / "munge.key").chmod(0o600)
        port, *ports = free_ports(1 + len(NODES))
        text = CONFIG.format(folder=folder, port=port, user=getpass.getuser())
        for node, at in zip(NODES, ports, strict=True):
            text += NODE.format(name=node, port=at, cores=self._cores)
        (folder / "slurm.conf").write_text(text + PARTITION)

    def _start(self, name: str, program: str, *arguments: str) -> None:
        with (self.folder / f"{name.replace(' ', '-')}.said").open("wb") as said:
            self._daemons[name] = subprocess.Popen(
                [find("setpriv"), "--pdeathsig=TERM", find(program), *arguments],
                env=os.environ | self.environment,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )


MUNGE = {
    "key-file": ".key",
    "socket": ".sock",
    "pid-file": ".pid",
    "log-file": ".log",
    "seed-file": ".seed",
}


def free_ports(count: int) -> list[int]:
    """Ports of the loopback device that nobody uses."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def descend(process: int) -> list[int]:
    """The children of a process, theirs, and so on."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [one for child in map(int, children) for one in (child, *descend(child))]


def find_processes(file: Path) -> list[int]:
    """The processes that have a file open."""
    found = set()
    for opened in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if opened.readlink() == file:
                found.add(int(opened.parts[2]))
        except OSError:
            continue
    return sorted(found)


def wait_for(happens: Callable[[], bool], what: str) -> None:
    """Wait until something happens. Raises `TimeoutError` if it does not."""
    end = time.monotonic() + PATIENCE
    while not happens():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: nothing within {PATIENCE:.0f} s")
        time.sleep(0.2)
