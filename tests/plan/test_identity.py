"""A product's mark is the digest of exactly what its script reads."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from atlas.config.read import read_yaml
from atlas.io.specs import LENGTH, canonical, digest, read_spec
from atlas.plan.environment import PACKAGES
from atlas.plan.resolve import Plan

ROOT = Path(__file__).resolve().parents[2]


def items(plan: Plan) -> list[Any]:
    """All that has a spec."""
    rest = (plan.agreement, plan.gallery, plan.archive)
    return [*plan.products, *plan.series.values(), *rest]


def test_a_spec_bears_the_digest_of_all_of_its_text(plan):
    for item in items(plan):
        whole = hashlib.sha256(hashlib.sha256(item.text.encode()).digest()).hexdigest()
        assert digest(item.text) == whole[:LENGTH]
        assert digest(item.text) in item.spec_file


def test_a_text_has_every_value_of_its_spec():
    spec = {"a": [1, -2.5e-7, True, None, [], {}], "b:": {"c": 'x":,[1] \\', "d": ""}, "ö": "ß"}
    assert repr(json.loads(canonical(spec))) == repr(spec)


def test_a_digest_is_long_enough_for_far_more_specs_than_there_are():
    assert len({digest(str(number)) for number in range(100_000)}) == 100_000


def test_nothing_else_counts(plan, tmp_path, monkeypatch):
    """Papers written without anchors, comments and layout, in another folder at another time."""
    for part in ("scripts", "src", "benchmarks", "workflow", "Snakefile", "pyproject.toml"):
        (tmp_path / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for file in (tmp_path / "config/papers").glob("*.yaml"):
        document, _ = read_yaml(file, file.name)
        document.pop("shared", None)
        file.write_text(json.dumps(document, ensure_ascii=False), "utf-8")
    monkeypatch.chdir(tmp_path)
    again = Plan.load({}, tmp_path)
    assert [p.mark for p in again.products] == [p.mark for p in plan.products]
    assert again.series.keys() == plan.series.keys()


def test_every_field_of_a_product_counts(plan):
    product = next(p for p in plan.products if p.stage == "draw" and len(p.series) > 1)
    changed = {
        "paper": "other",
        "id": "other",
        "stage": "tabulate",
        "content": {**product.content, "more": 1},
        "series": dict(list(product.series.items())[:1]),
        "code": "0",
        "software": {**product.software, "matplotlib": "0"},
        "suffixes": (*product.suffixes, "more"),
    }
    marks = {replace(product, **{key: value}).mark for key, value in changed.items()}
    assert len(marks | {product.mark}) == len(changed) + 1
    assert replace(product, pending="a trace", modules=()).fingerprint == product.fingerprint


def test_every_field_of_a_series_counts(plan):
    series = next(s for s in plan.series.values() if len(s.parameters) > 2)
    changed = {
        "study": "other",
        "parameters": {**series.parameters, "more": 1},
        "code": "0",
        "software": {**series.software, "scipy": "0"},
    }
    digests = {replace(series, **{key: value}).digest for key, value in changed.items()}
    assert len(digests | {series.digest}) == len(changed) + 1
    assert replace(series, used_by="another", modules=()).digest == series.digest


def test_names_and_order_of_series_count(plan):
    product = next(p for p in plan.products if p.stage == "draw" and len(p.series) > 1)
    names, series = list(product.series), list(product.series.values())
    renamed = dict(zip(["azure", *names[1:]], series, strict=True))
    swapped = dict(zip(names, reversed(series), strict=True))
    reordered = dict(reversed(product.series.items()))
    marks = {replace(product, series=s).mark for s in (renamed, swapped, reordered)}
    assert len(marks | {product.mark}) == 4


def test_order_of_keys_in_a_block_does_not_count(plan):
    product = next(p for p in plan.products if p.stage == "draw")
    turned = dict(reversed(product.content.items()))
    assert replace(product, content=turned).mark == product.mark


@pytest.mark.parametrize("stage", PACKAGES)
def test_another_release_of_a_package_changes_what_it_writes_and_nothing_else(
    plan, unedited, stage, monkeypatch
):
    from atlas.plan import cached_paper, environment, papers, resolve

    genuine = environment.software

    def upgraded(of):
        return dict.fromkeys(genuine(of), "99") if of == stage else genuine(of)

    for module in (papers, cached_paper, resolve):
        monkeypatch.setattr(module, "software", upgraded)
    config = YAML(typ="safe").load(ROOT / "config/config.yaml")
    config |= {"papers": ["product-form-saturated"], "previews": []}
    after = Plan.load(config, ROOT)
    before = {p.id: p for p in plan.products if p.paper == "product-form-saturated"}
    for product in after.products:
        touched = stage in (product.stage, "compute")
        assert (product.mark != before[product.id].mark) is touched
    assert (after.series.keys().isdisjoint(plan.series)) is (stage == "compute")
    assert (after.gallery.content["software"] != plan.gallery.content["software"]) is (
        stage == "publish"
    )
    assert (after.agreement.content["software"] != plan.agreement.content["software"]) is (
        stage == "agree"
    )


def test_matplotlib_draws_and_computes_nothing():
    assert set(PACKAGES["compute"]) == {"numba", "numpy", "scipy"}
    assert "matplotlib" in PACKAGES["draw"]


def test_a_spec_that_is_not_what_its_name_says_is_refused_and_rewritten(
    plan, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    plan.write_specs()
    series = next(iter(plan.series.values()))
    file = Path(series.spec_file)
    assert read_spec(file)["fingerprint"] == series.digest
    file.unlink()
    with pytest.raises(FileNotFoundError, match="a run writes it before its jobs"):
        read_spec(file)
    for damaged in ("", series.text[:-5], series.text.replace('"study"', '"stud"')):
        file.write_text(damaged, "utf-8")
        with pytest.raises(ValueError, match="not as it was written"):
            read_spec(file)
        plan.write_specs()
        assert file.read_text("utf-8") == series.text


def test_every_template_and_every_file_of_the_explorer_is_in_the_gallery_s_fingerprint(
    plan, tmp_path
):
    folder = Path("src/atlas/gallery/templates")
    shutil.copytree(ROOT / folder, tmp_path / folder)

    def fingerprint() -> str:
        """That of the gallery made from the templates in the copy."""
        moved = copy.copy(plan)
        moved.__dict__["_root"] = tmp_path
        moved.__dict__.pop("gallery", None)
        return moved.gallery.fingerprint

    before = fingerprint()
    assert before == plan.gallery.fingerprint
    files = [file for file in (tmp_path / folder).rglob("*") if file.is_file()]
    assert sum(file.parent.name == "explorer" for file in files) > 20
    for file in files:
        text = file.read_text("utf-8")
        file.write_text(f"{text} ", "utf-8")
        assert fingerprint() != before, file.name
        file.write_text(text, "utf-8")
    assert fingerprint() == before
