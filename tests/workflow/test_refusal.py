"""Errors that only solving can reveal are reported by the job, in the form of the plan's errors."""

from __future__ import annotations

SYSTEM = "{multiserver-jobs: {servers: 4, needs: [1, 4], probabilities: [0.5, 0.5],"
SYSTEM += " durations: [{exponential: 1.0}, {exponential: 1.0}]}}"
FILE = f"""\
paper: mine
tables:
  steep:
    title: Beyond the limit
    series:
      points:
        study: simulated-policy
        system: {SYSTEM}
        policy: fcfs
        loads:
          [0.5, 0.99]
        jobs: 1000
    columns:
      load: {{heading: load}}
"""


def test_a_load_beyond_the_limit_is_refused_with_line_key_found_and_expected(project):
    (project.root / "mine.yaml").write_text(FILE, "utf-8")
    # The target stands after a config file, where Snakemake would take it for another.
    done = project.run("--configfile", "mine.yaml", "mine_steep")
    assert done.returncode != 0
    refusal = "mine.yaml:10: tables.steep.series.points.loads\n    found     a load of 0.99\n"
    assert refusal + "    expected  loads below 0." in done.stdout
    assert "1 fault in mine.yaml; this series is not computed" in done.stdout
    assert "mine/steep is not made: simulated-policy was not computed" in done.stdout
    assert "Traceback" not in done.stdout
    # What is wrong stands at the end once more, not only where it can be read.
    assert "    expected  loads below 0." in done.stdout.rpartition(" is not made: ")[2]
    assert list(project.root.glob("results/series/*/*")) == []
