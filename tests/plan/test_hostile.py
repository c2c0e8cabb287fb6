"""No name in a config file of a stranger's leads out of the folders that runs write to."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan import ConfigError, Plan

ROOT = Path(__file__).resolve().parents[2]
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


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", range(3))
def test_a_name_that_is_a_path_or_a_command_is_refused(tmp_path, place, name):
    names = ["own", "fig1", "curve"]
    file = tmp_path / "own.yaml"
    file.write_text(OWN % tuple(names), "utf-8")
    Plan.load({}, ROOT, [file])
    names[place] = f"'{name}'"
    file.write_text(OWN % tuple(names), "utf-8")
    with pytest.raises(ConfigError, match="no job was started"):
        Plan.load({}, ROOT, [file])
