#!/usr/bin/env python3
"""Set up .venv if needed and hand over; needs only Python 3.11 and the package index.

python3 run.py [TARGET OR SNAKEMAKE OPTION ...]     draw (everything, if nothing is named)
python3 run.py test [--all | --verification ...]    run the tests: some, all, the statistical suite
python3 run.py whence FILE                          say how a figure or table was made
python3 run.py score FILE                           compare results with the reference systems

SNAKEMAKE OPTIONs are those of `.venv/bin/snakemake --help`, once .venv is there.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
STAMP = VENV / ".ready"
CONFIG = (".yaml", ".yml")
ALL_CORES = ("-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder")


def main(arguments: list[str]) -> None:
    if sys.version_info < (3, 11):
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return
    here = Path.cwd()
    os.chdir(ROOT)
    sources = b"".join(Path(f).read_bytes() for f in ("requirements.lock", "pyproject.toml"))
    wanted = hashlib.sha256(sources).hexdigest()
    if not STAMP.exists() or STAMP.read_text() != wanted:
        set_up()
        STAMP.write_text(wanted)
    os.environ["PATH"] = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = str(ROOT / "src")
    if arguments[:1] == ["test"]:
        hand_over([str(PYTHON), "-m", "pytest", *ALL_CORES, *arguments[1:]])
    if arguments[:1] in (["whence"], ["score"]):
        os.chdir(here)  # FILE is relative to the caller's folder
        hand_over([str(PYTHON), str(ROOT / "scripts"), *arguments])
    if here != ROOT:  # config files are relative to it too
        files = {word for word in arguments if word.endswith(CONFIG) and (here / word).is_file()}
        arguments = [str(here / word) if word in files else word for word in arguments]
    if os.name != "nt":
        unlock(arguments)
    hand_over([str(PYTHON), "-m", "atlas", *arguments])


def set_up() -> None:
    print("Setting up .venv (once; about 250 MB to download) ...", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    try:
        venv.create(VENV, with_pip=True)
    except (subprocess.CalledProcessError, ImportError):
        sys.exit("Python's venv lacks pip here; on Debian or Ubuntu: apt-get install python3-venv")
    uv = re.search(r"^uv==(.*\\\n)+.*\n", Path("requirements.lock").read_text("utf-8"), re.M)
    Path(VENV, "uv.lock").write_text(uv[0])  # installs the rest several times faster than pip
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    hashed = ["--require-hashes", "-r"]
    fast = subprocess.run([*pip, *hashed, f"{VENV}/uv.lock"], stderr=subprocess.DEVNULL)
    quick = [BIN / "uv", "pip", "install", "--quiet", "--compile-bytecode", "--python", PYTHON]
    tools = [pip] if fast.returncode else [quick, pip]
    for what in ([*hashed, "requirements.lock"], ["--no-deps", "--no-build-isolation", "-e", "."]):
        # pip may trust a company's certificates that uv does not.
        if all(subprocess.run([*tool, *what]).returncode for tool in tools):
            sys.exit("The packages could not be installed; is the package index within reach?")


def unlock(arguments: list[str]) -> None:
    """Clear the lock of a run that was killed, and refuse to start beside a run that is alive. Such
    a run holds the driver's lock, even a plain `snakemake` run (`plan.locks`). A dry run writes
    nothing, so it may start beside another run and does not block one."""
    import fcntl

    dry = any(re.fullmatch("-[pqFkr]*n[pqFkr]*|--dry-?run", word) for word in arguments)

    Path(".snakemake").mkdir(exist_ok=True)
    driver = os.open(".snakemake/driver.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(driver, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if dry:
            return
        sys.exit("Another run is going on in this folder; wait for it, or stop it, and try again.")
    if not dry:
        os.set_inheritable(driver, True)  # held until the run that replaces this process ends
        os.environ["MULTISERVER_DRIVER"] = str(driver)
    if any(Path(".snakemake/locks").glob("*")):
        subprocess.run([str(PYTHON), "-m", "snakemake", "--unlock", "--quiet", "all"], check=True)
    if dry:
        os.close(driver)


def hand_over(command: list[str]) -> None:
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
