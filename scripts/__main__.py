"""Run a stage by its name: `python scripts STAGE ...`, from any folder.

Nothing need be installed: Python finds the scripts here, and the library is put beside them.
"""

import os
import sys

# Every job starts here; `pathlib` takes as long to import as all that is.
HERE = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120


def main() -> None:
    sys.path[:1] = [HERE, os.path.join(os.path.dirname(HERE), "src")]  # noqa: PTH118, PTH120
    import warm

    if sys.argv[1:2] == [warm.SERVE]:
        import forks

        return forks.serve(sys.argv[2], sys.argv[3:], run)
    files = os.listdir(os.path.join(HERE, "stages"))  # noqa: PTH118, PTH208
    stages = sorted(file[:-3] for file in files if file.endswith(".py") and file[0] != "_")
    if len(sys.argv) < 2 or sys.argv[1] not in stages:
        sys.exit(f"usage: python scripts STAGE ...; STAGE is one of {', '.join(stages)}")
    code = warm.ask(sys.argv)
    return run(sys.argv) if code is None else sys.exit(code)


def run(arguments: list[str]) -> None:
    """Run a stage in this process; `arguments` are those of the command line."""
    import runpy

    program, stage, *rest = arguments
    sys.argv = [program, *rest]
    try:
        runpy.run_module(f"stages.{stage}", run_name="__main__", alter_sys=True)
    except OSError as error:  # a full disk, a file that may not be written
        sys.exit(f"{stage}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
