"""Config files that are not YAML are refused before Snakemake reads them."""

from __future__ import annotations

from tests.faults.tiny import make_tiny


def test_a_config_file_that_is_no_yaml_is_named_with_its_line(tmp_path):
    project = make_tiny(tmp_path / "atlas")
    (project.root / "broken.yaml").write_text("paper: mine\nfigures:\n\tfig1: {}\n", "utf-8")
    done = project.run("--dry-run", "--configfile", "broken.yaml")
    assert done.returncode == 1
    assert "broken.yaml:3: the whole file" in done.stdout
    assert "no job was started" in done.stdout and "Traceback" not in done.stdout
