"""Start Snakemake, having read the config files that are named on the command line.

    python -m plan.start [TARGET OR SNAKEMAKE OPTION ...]

Snakemake reads these files before the plan does and says of a broken one only that it is no YAML;
and it takes all that follows `--configfile` for config files, a target too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from plan.errors import ConfigError
from plan.read import read_yaml

OPTIONS = ("--configfile", "--configfiles")
ENDINGS = (".yaml", ".yml", ".json")


def arrange(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments, with targets that follow a config file put first, and the config files."""
    targets, files, rest = [], [], []
    among_files = False
    for argument in arguments:
        if argument.startswith("-"):
            among_files = argument in OPTIONS
            rest.append(argument)
        elif among_files and not (argument.endswith(ENDINGS) or Path(argument).is_file()):
            targets.append(argument)
        else:
            files += [argument] if among_files else []
            rest.append(argument)
    return targets + rest, files


def main(arguments: Sequence[str]) -> None:
    """Become Snakemake, or end with what is wrong with a config file."""
    arguments, files = arrange(arguments)
    try:
        for file in files:
            read_yaml(Path(file), file)
    except ConfigError as error:
        sys.exit(str(error))
    from snakemake.cli import main as run

    run(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
