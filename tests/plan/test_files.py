"""A file that is not a config file is refused with its line, whatever it contains."""

from __future__ import annotations

import re
import shutil

import pytest
from tests.conftest import ROOT
from tests.plan.test_hostile import OWN

from atlas.config.errors import ConfigError
from atlas.config.read import read_config
from atlas.config.tolerances import read_tolerances
from atlas.plan.resolve import Plan

pytestmark = pytest.mark.usefixtures("unedited")

STYLE, PAPERS = "config/atlas.mplstyle", "config/papers"


@pytest.fixture
def root(tmp_path):
    for folder in ("config", "workflow/rules", "src/atlas/gallery/templates"):
        shutil.copytree(ROOT / folder, tmp_path / "root" / folder)
    shutil.copy(ROOT / "Snakefile", tmp_path / "root")
    (tmp_path / "root/src/atlas/studies").symlink_to(ROOT / "src/atlas/studies")
    return tmp_path / "root"


def refused(root, *given) -> str:
    with pytest.raises(ConfigError) as error:
        Plan.load({"papers": ["product-form-saturated"]}, root, given)
    assert re.fullmatch(r"\d+ faults? in \S+; no job was started", str(error.value).split("\n")[0])
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("own.yaml", text) for text in ("", "null\n", "- 1\n", "7\n", "text\n")),
        *(("config/config.yaml", text) for text in ("", "- 1\n")),
        *(("config/tolerances.yaml", text) for text in ("", "- 1\n")),
        *((f"{PAPERS}/product-form-saturated.yaml", text) for text in ("", "- 1\n")),
    ],
)
def test_what_is_no_mapping_is_refused_at_its_first_line(root, name, text):
    (root / name).write_text(text, "utf-8")
    if "tolerances" in name:
        with pytest.raises(ConfigError) as error:
            read_tolerances(root / name, name)
        said = str(error.value)
    else:
        said = refused(root, *[root / name] * (name == "own.yaml"))
    assert re.search(
        rf"{name}:1: the whole file\n    found     \S.*\n    expected  a mapping", said
    )


@pytest.mark.parametrize(
    "content", [b"font.size: 7\n# Gr\xf6\xdfe\n", b"a: 1\nnonsense\n", b"a: 1\n: 7\n"]
)
def test_a_style_file_that_is_none_is_refused_at_its_line(root, content):
    (root / STYLE).write_bytes(content)
    own = root / "own.yaml"
    own.write_text(OWN % ("own", "fig1", "curve"), "utf-8")
    assert f"{STYLE}:2: the whole file" in refused(root, own)


@pytest.mark.parametrize(
    ("old", "new", "line", "column"),
    [("  fig1", "\tfig1", 4, 1), ("    title: ", "    title:\t", 5, 11)],
)
def test_a_tab_is_named_with_its_place_and_what_to_write(tmp_path, old, new, line, column):
    own = tmp_path / "own.yaml"
    text = OWN % ("own", "fig1", "curve")
    assert old in text
    own.write_text(text.replace(old, new, 1), "utf-8-sig")
    with pytest.raises(ConfigError) as error:
        read_config(own, "own.yaml")
    place = f"own.yaml:{line}: the whole file\n    found     a tab in column {column}\n"
    assert place in str(error.value)
    assert str(error.value).endswith("write spaces in its place")


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("Wasted", "Wast\x08ed", 5, "found     the character U+0008"),
        ("Wasted", "Wasted\u2028", 5, "found     the character U+2028, at which a line would end"),
        ("title: ", "title:\xa0", 6, "    line 5 has a no-break space (U+00A0): write a plain one"),
    ],
)
def test_a_character_that_is_not_seen_is_named_with_its_line(tmp_path, old, new, line, said):
    own = tmp_path / "own.yaml"
    own.write_text((OWN % ("own", "fig1", "curve")).replace(old, new, 1), "utf-8")
    with pytest.raises(ConfigError) as error:
        read_config(own, "own.yaml")
    assert f"own.yaml:{line}: " in str(error.value) and said in str(error.value)


def test_a_number_that_yaml_1_1_has_as_octal_is_refused(plan_of):
    with pytest.raises(ConfigError, match=r"own.yaml:1: (.|\n)*found +010\n +expected  10, or the"):
        plan_of("seed: 010\n" + OWN % ("own", "fig1", "curve"))


@pytest.mark.parametrize(
    "value", ["\tWasted", "2026-13-45", "0000-00-00", "1:60:99", "0b2", "=", "<<"]
)
def test_what_yaml_1_1_has_as_a_date_a_time_or_a_tab_is_text_or_refused(plan_of, value):
    text = OWN % ("own", "fig1", "curve")
    try:
        plan_of(text.replace("title: Wasted servers", f"title:{value:>{len(value) + 1}}"))
    except ConfigError as error:
        assert "own.yaml:5" in str(error)
