"""The report of the statistical verification: the tests run, their numbers and their outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest

HEAD = """\
# Statistical verification

{passed} of {all} passed. Each test says in its own words how often it fails by chance; a test that
fails is to be run again under another seed before it is believed.

| test | outcome | seconds | numbers |
|---|---|---|---|
"""


class Report:
    """Collects what tests report, their `record_property` included, and writes it to a file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._told: list[pytest.TestReport] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self._told.append(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        passed = sum(report.passed for report in self._told)
        text = HEAD.format(passed=passed, all=len(self._told))
        for report in sorted(self._told, key=lambda report: report.nodeid):
            numbers = ", ".join(f"{name} {value}" for name, value in report.user_properties)
            cells = (report.nodeid, report.outcome, f"{report.duration:.1f}", numbers)
            text += "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
        self._file.parent.mkdir(exist_ok=True)
        self._file.write_text(text, encoding="utf-8")
        terminalreporter.write_line(f"report: {self._file}")
