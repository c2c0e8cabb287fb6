"""A product's mark is the digest of exactly what its script reads."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from atlas.config.read import read_yaml
from atlas.io.specs import LENGTH, canonical, digest, read_spec
from atlas.plan.environment import PACKAGES
from atlas.plan.resolve import Plan

ROOT = Path(__file__).resolve().parents[2]


# A string or another value of canonical JSON, and whether it is a key; or an empty mapping or list.
TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")(:?)|[^\[\]{}:,"]+|\[\]|\{\}')


def leaves(text: str) -> Iterator[tuple[int, int]]:
    """Where everything in a spec's text stands that is neither a mapping nor a list, or is
    empty."""
    for token in TOKEN.finditer(text):
        if not token[2]:
            yield token.span()


def alter(leaf: str) -> str:
    """Another value of the same kind."""
    if leaf in ("true", "false"):
        return "false" if leaf == "true" else "true"
    if leaf[0] == '"':
        return f'{leaf[:-1]} "'
    return "0" if leaf in ("null", "[]", "{}") else f"1{leaf.lstrip('-')}"


def digests_of_changes(text: str) -> Iterator[str]:
    """The digest of a spec's text with one leaf changed, for every leaf; what stands before it is
    hashed once for all."""
    content, done, before = text.encode(), 0, hashlib.sha256()
    ends = (
        list(accumulate(len(character.encode()) for character in text))
        if not (text.isascii())
        else range(1, len(text) + 1)
    )
    for start, end in leaves(text):
        first, last = (ends[start - 1] if start else 0), ends[end - 1]
        before.update(content[done:first])
        done, changed = first, before.copy()
        changed.update(alter(text[start:end]).encode() + content[last:])
        yield hashlib.sha256(changed.digest()).hexdigest()[:LENGTH]


def items(plan: Plan) -> list[Any]:
    """All that has a spec."""
    rest = (plan.agreement, plan.gallery, plan.archive)
    return [*plan.products, *plan.series.values(), *rest]


def test_a_spec_bears_the_digest_of_its_text(plan):
    for item in items(plan):
        assert digest(item.text) in item.spec_file


@pytest.mark.slow
def test_every_leaf_of_every_spec_counts(plan):
    """Each change of one leaf gives a mark of its own; their digests are what `digest` gives."""
    counted = 0
    for item in items(plan):
        changed = list(digests_of_changes(item.text))
        assert len({*changed, digest(item.text)}) == len(changed) + 1
        counted += len(changed)
        start, end = next(leaves(item.text))
        first = item.text[:start] + alter(item.text[start:end]) + item.text[end:]
        assert digest(first) == changed[0] and json.loads(first) != json.loads(item.text)
    assert counted > 80_000


def test_the_leaves_of_a_text_are_those_of_its_spec():
    spec = {"a": [1, -2.5e-7, True, None, [], {}], "b:": {"c": 'x":,[1] \\', "d": ""}, "ö": "ß"}
    text = canonical(spec)
    found = [json.loads(text[start:end]) for start, end in leaves(text)]
    assert found == [1, -2.5e-7, True, None, [], {}, 'x":,[1] \\', "", "ß"]
    for k, (start, end) in enumerate(leaves(text)):
        other = text[:start] + alter(text[start:end]) + text[end:]
        assert json.loads(other) != spec
        assert digest(other) == list(digests_of_changes(text))[k]


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
    plan, stage, monkeypatch
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
