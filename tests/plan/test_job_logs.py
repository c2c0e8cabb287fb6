"""Messages about jobs: reasons are short, slips have a hint, and a failure ends with its cause."""

from __future__ import annotations

import logging

import pytest

from atlas.plan.job_logs import LOGGER, find_message, install_log_filter, propose, shorten

NAMES = ["all", "gallery", "tiny", "tiny_fig6b", "other_fig6b", "figures/tiny/fig6b.pdf"]


def test_a_reason_names_three_files_of_each_kind_and_counts_the_others():
    files = ", ".join(f"figures/tiny/fig{i}.pdf" for i in range(900, 0, -1))
    reason = f"Missing output files: a.csv; Input files updated by another job: {files}"
    assert shorten(reason) == (
        "Missing output files: a.csv; Input files updated by another job: figures/tiny/fig1.pdf,"
        " figures/tiny/fig10.pdf, figures/tiny/fig100.pdf, and 897 more"
    )
    assert shorten("Forced execution") == "Forced execution"


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("tiny_fig6", "did you mean 'tiny_fig6b'?"),
        ("fig6b", "did you mean 'tiny_fig6b' or 'other_fig6b'?"),
        ("fig6b.pdf", "did you mean 'figures/tiny/fig6b.pdf'?"),
        ("gallrey", "did you mean 'gallery'?"),
        ("zzz", ""),
        ("mine.yaml", "did you mean --configfile mine.yaml?"),
        ("config/papers/gallery.yaml", "did you mean gallery?"),
    ],
)
def test_a_slip_of_a_target_has_a_hint(target, hint):
    assert propose(target, NAMES) == hint


def test_what_snakemake_says_is_shortened_whoever_listens(caplog):
    install_log_filter(lambda: NAMES)
    install_log_filter(lambda: NAMES)
    logger = logging.getLogger(LOGGER)
    assert len(logger.filters) == 1
    logger.propagate = True
    with caplog.at_level(logging.INFO, LOGGER):
        logger.error("MissingRuleException:\nNo rule to produce gallrey (if you use input")
        logger.info(None, extra={"reason": "Missing output files: d, c, b, a"})
    logger.removeFilter(logger.filters[0])
    said, job = caplog.records
    assert said.getMessage().endswith("\ndid you mean 'gallery'?")
    assert job.reason == "Missing output files: a, b, c, and 1 more"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("reading\nTraceback (most recent call last):\n  File\nOSError: this\n", "OSError: this"),
        ("1 fault in a.yaml\n\na.yaml:3: key\n    found     x\n", "a.yaml:3: key\n    found     x"),
        ("", ""),
    ],
)
def test_the_last_that_a_job_said_is_found(tmp_path, text, message):
    (tmp_path / "part.log").write_text(text, "utf-8")
    assert find_message(tmp_path, "*.log") == find_message(tmp_path, "part.log") == message
    assert find_message(tmp_path, "none.log") == ""
