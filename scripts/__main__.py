"""Run a stage by its name: `python scripts STAGE ...`, from any folder.

Nothing need be installed: Python finds the scripts here, and the library is put beside them.
"""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    sys.path[:1] = [str(HERE), str(HERE.parent / "src")]
    import warm

    if sys.argv[1:2] == [warm.SERVE]:
        return warm.serve(sys.argv[2], sys.argv[3:], run)
    stages = sorted(file.stem for file in (HERE / "stages").glob("[!_]*.py"))
    if len(sys.argv) < 2 or sys.argv[1] not in stages:
        sys.exit(f"usage: python scripts STAGE ...; STAGE is one of {', '.join(stages)}")
    code = warm.ask(sys.argv)
    return run(sys.argv) if code is None else sys.exit(code)


def run(arguments: list[str]) -> None:
    """Run a stage in this process; `arguments` are those of the command line."""
    program, stage, *rest = arguments
    sys.argv = [program, *rest]
    try:
        runpy.run_module(f"stages.{stage}", run_name="__main__", alter_sys=True)
    except OSError as error:  # a full disk, a file that may not be written
        sys.exit(f"{stage}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
