"""Check the config files of the run, then start Snakemake.

    python -m atlas [TARGET OR SNAKEMAKE OPTION ...]

This works around four habits of Snakemake.

It reads the config files before the plan does, and of a broken one it says only that it is not
valid YAML. It also takes everything after `--configfile` for config files and everything after
`--config` for choices, even a target.

Each job that ends leaves a timer that asks once in a time span which jobs may start, until the run
ends. With hundreds of jobs this takes a tenth of a core. So the span is made long, and the timers
are cancelled when the run ends.

Any run that ends or is refused removes the folder of Snakemake's locks, in which another run that
has just begun would write. A run that holds the driver's lock has the working folder to itself
(`plan.locks`) and runs without Snakemake's locks.

It makes a folder in the user's cache before anything else, and where it cannot, as in a home that
is read-only, it ends in a traceback. There its cache is in the working folder, and matplotlib's
settings, about which each command would warn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

CONFIG = "config/config.yaml"
OPTIONS, CHOICES = ("--configfile", "--configfiles"), ("--config", "-C")
ENDINGS = (".yaml", ".yml", ".json")
RATE = "--max-jobs-per-timespan"


def arrange(arguments: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The arguments, reordered so that targets after a config file or a choice come first, the
    config files, and the choices."""
    targets, files, choices, rest = [], [], [], []
    among_files = among_choices = False
    for argument in arguments:
        if argument.startswith("-"):
            among_files, among_choices = argument in OPTIONS, argument in CHOICES
            choices += [argument.removeprefix("--config=")] * argument.startswith("--config=")
            rest.append(argument)
        elif (among_choices and "=" not in argument) or (
            among_files and not (argument.endswith(ENDINGS) or Path(argument).is_file())
        ):
            targets.append(argument)
        else:
            files += [argument] * among_files
            choices += [argument] * among_choices
            rest.append(argument)
    return targets + rest, files, choices


def place_cache() -> None:
    """Place the caches in the working folder if they cannot be in the user's."""
    usual = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))  # noqa: PTH111
    wanted = usual.absolute() / "snakemake/snakemake/source-cache/snakemake-runtime-cache"
    there = next(folder for folder in (wanted, *wanted.parents) if folder.exists())
    if not (there.is_dir() and os.access(there, os.W_OK | os.X_OK)):
        os.environ["XDG_CACHE_HOME"] = str(Path(".snakemake/cache").absolute())
        os.environ.setdefault("MPLCONFIGDIR", str(Path(".snakemake/cache/matplotlib").absolute()))


def main(arguments: Sequence[str]) -> None:
    """Run Snakemake, or exit with a message about a faulty config file or choice."""
    # Here, so that an interrupt while they are imported shows no traceback.
    from atlas.config.errors import ConfigError
    from atlas.config.read import read_config
    from atlas.config.run_config import require_choices
    from atlas.plan.locks import HELD

    arguments, files, choices = arrange(arguments)
    try:
        for file in (CONFIG, *files):
            read_config(Path(file), file)
        require_choices(word.partition("=")[0] for word in choices)
    except ConfigError as error:
        sys.exit(str(error))
    place_cache()
    from snakemake.cli import main as run

    from atlas.plan.environment import cancel_timers

    added = [] if RATE in arguments else [RATE, "1000000/1h"]
    if HELD in os.environ:
        added.append("--nolock")
    try:
        run([*added, *arguments])
    finally:
        cancel_timers()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
