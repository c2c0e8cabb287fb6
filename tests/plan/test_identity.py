"""A product's mark is the digest of everything that its script reads, and of nothing else."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from output.specs import canonical, digest, read_spec
from plan import Plan
from plan.environment import PACKAGES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan.load(YAML(typ="safe").load(ROOT / "config/config.yaml"), ROOT)


def leaves(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The places of everything in a spec that is neither a mapping nor a list, or is empty."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list) and item:
            yield from leaves(item, (*path, key))
        else:
            yield (*path, key)


def put(spec: Any, path: tuple, change) -> Any:
    """The spec with the leaf at a place changed; only what lies on the way there is copied."""
    changed = copy.copy(spec)
    changed[path[0]] = put(spec[path[0]], path[1:], change) if path[1:] else change(spec[path[0]])
    return changed


def alter(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return "another"
    if isinstance(value, int | float):
        return value + 1 if value + 1 != value else 0
    return f"{value} "


def test_a_spec_bears_the_digest_of_its_text(plan):
    for item in (*plan.products, *plan.series.values(), plan.agreement, plan.gallery, plan.archive):
        assert digest(item.text) in item.spec_file


def test_every_leaf_of_every_spec_counts(plan):
    """Two specs of equal text are equal: so it is enough that the text has every leaf, and that
    changing one changes the text. Large specs are probed at every 50th leaf."""
    probed = 0
    for item in (*plan.products, *plan.series.values()):
        spec = json.loads(item.text)
        places = list(leaves(spec))
        for place in places[:: max(1, len(places) // 50)]:
            assert canonical(put(spec, place, alter)) != item.text, place
            probed += 1
    assert probed > 5000


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
    plan, stage, monkeypatch
):
    from plan import environment, papers, resolve

    genuine = environment.software

    def upgraded(of):
        return dict.fromkeys(genuine(of), "99") if of == stage else genuine(of)

    for module in (papers, resolve):
        monkeypatch.setattr(module, "software", upgraded)
    config = YAML(typ="safe").load(ROOT / "config/config.yaml")
    config |= {"papers": ["product-form-saturated"], "previews": []}
    after = Plan.load(config, ROOT)
    before = {p.id: p for p in plan.products if p.paper == "product-form-saturated"}
    for product in after.products:
        touched = stage in (product.stage, "compute")
        assert (product.mark != before[product.id].mark) is touched
    assert (after.series.keys().isdisjoint(plan.series)) is (stage == "compute")
    assert (after.gallery.software != plan.gallery.software) is (stage == "publish")
    assert (after.agreement.software != plan.agreement.software) is (stage == "agree")


def test_a_spec_that_is_not_what_its_name_says_is_refused_and_rewritten(
    plan, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    plan.write_specs()
    series = next(iter(plan.series.values()))
    file = Path(series.spec_file)
    assert read_spec(file)["fingerprint"] == series.digest
    for damaged in ("", series.text[:-5], series.text.replace('"study"', '"stud"')):
        file.write_text(damaged, "utf-8")
        with pytest.raises(ValueError, match="not as it was written"):
            read_spec(file)
        plan.write_specs()
        assert file.read_text("utf-8") == series.text


def test_every_template_and_every_file_of_the_explorer_is_in_the_gallery_s_fingerprint(
    plan, tmp_path
):
    folder = Path("scripts/gallery/templates")
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
