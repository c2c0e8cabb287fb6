"""Run a script by its name: `python scripts SCRIPT ...`, from any folder.

Nothing needs to be installed: the packages of `src` are found from here.
"""

import os
import sys

# Every job starts here; importing `pathlib` takes as long as all that is imported here.
HERE = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120


def main() -> None:
    sys.path[:1] = [os.path.join(os.path.dirname(HERE), "src")]  # noqa: PTH118, PTH120
    from prefork import client

    if sys.argv[1:2] == [client.SERVE]:
        from prefork import server

        return server.serve(sys.argv[2], sys.argv[3:], run)
    files = os.listdir(HERE)  # noqa: PTH208
    scripts = sorted(file[:-3] for file in files if file.endswith(".py") and file[0] != "_")
    if len(sys.argv) < 2 or sys.argv[1] not in scripts:
        sys.exit(f"usage: python scripts SCRIPT ...; SCRIPT is one of {', '.join(scripts)}")
    code = client.ask(sys.argv)
    return run(sys.argv) if code is None else sys.exit(code)


def run(arguments: list[str]) -> None:
    """Run a script in this process; `arguments` are those of the command line, as in `sys.argv`."""
    import runpy

    program, script, *rest = arguments
    sys.argv = [program, *rest]
    try:
        runpy.run_path(os.path.join(HERE, f"{script}.py"), run_name="__main__")  # noqa: PTH118
    except OSError as error:  # a full disk, a file that may not be written
        sys.exit(f"{script}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
