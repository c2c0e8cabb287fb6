"""An untrusted config file cannot make a run write outside its folders, and is refused in the
standard form if it cannot be read or filled in."""

from __future__ import annotations

import time

import pytest

from atlas.config.errors import ConfigError
from atlas.config.read import read_config

pytestmark = pytest.mark.usefixtures("unedited")

OWN = """
paper: %s
figures:
  %s:
    title: Wasted servers
    series:
      %s: {study: wastage-by-rate-ratio, servers: 30, needs: [1, 10], probability_2: 0.5}
    drawing: {kind: wastage-by-rate-ratio}
"""
NAMES = ("../x", "/tmp/x", "a/b", "..", ".", "a\\b", "~", "C:x", "$(ls)", "{x}", "a b", "-x", "é")


@pytest.mark.parametrize("place", range(3))
def test_a_name_that_is_a_path_or_a_command_is_refused(plan_of, place):
    plan_of(OWN % ("own", "fig1", "curve"))
    for name in NAMES:
        names = ["own", "fig1", "curve"]
        names[place] = f"'{name}'"
        with pytest.raises(ConfigError, match="no job was started"):
            plan_of(OWN % tuple(names))


@pytest.mark.parametrize(
    "title",
    [
        "{{ curve.servers | size }}",
        "{{ curve.servers | jobs }}",
        "{{ curve.servers | system }}",
        "{{ curve.needs | count }}",
        "{{ 1e308 | percent }}",
        f"{{{{ {'(' * 3000}1{')' * 3000} }}}}",
    ],
)
def test_a_text_that_cannot_be_filled_in_is_refused_with_its_line(plan_of, title):
    text = OWN % ("own", "fig1", "curve")
    with pytest.raises(ConfigError, match=r"own.yaml:5: figures.fig1.title\n"):
        plan_of(text.replace("title: Wasted servers", f"title: '{title}'"))


@pytest.mark.parametrize("bracket", ["[", "{a: "])
def test_what_is_nested_deep_is_refused_in_no_time(plan_of, bracket):
    start = time.process_time()
    with pytest.raises(ConfigError, match="nested at most"):
        plan_of("paper: own\nfigures: " + 150_000 * bracket)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("paper: own\nyear:\t2020\n", 2),
        ("paper: own\nmade: [1,\n  2020-13-45]\n", 3),
        ("paper: own\nbits: {two: 0b_}\n", 2),
        ("paper: own\nsign: =\n", 2),
    ],
)
def test_a_config_file_that_snakemake_cannot_read_is_refused_with_its_line(tmp_path, text, line):
    file = tmp_path / "own.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=rf"own.yaml:{line}: (.|\n)*found (.|\n)*expected "):
        read_config(file, "own.yaml")


@pytest.mark.parametrize(
    "text", ['{"a":\t[2020]}', "a: 2020-12-31\nb: &b {c: 12:30}\nd: {<<: *b}\n"]
)
def test_a_config_file_that_snakemake_reads_is_taken(tmp_path, text):
    (tmp_path / "own.yaml").write_text(text, "utf-8")
    read_config(tmp_path / "own.yaml", "own.yaml")
