"""The pages as files: self-contained, complete, and the same for the same products."""

from __future__ import annotations

import datetime
import json
import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.drawings.legible import contrast

from atlas.config.read import read_yaml
from atlas.gallery.collect import Claim, Paper, measure
from atlas.gallery.render import VERDICTS, render
from atlas.gallery.typesetting import prose
from atlas.io.dark_mode import GROUND

from .conftest import PENDING, ROOT, arguments, build_products, publish, write_spec

pytestmark = pytest.mark.slow

SHEET = "data/alpha/fig6a.curve.html"
PAGES = (
    *("index.html", "ledger.html", "scores.html", "search.html", "explorer.html"),
    *("alpha.html", "beta.html", SHEET),
)
STYLE = (ROOT / "src/atlas/gallery/templates/page.css").read_text("utf-8")


class Page(HTMLParser):
    """The elements of a page, each with its attributes, and the text."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.source = file.read_text("utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, {key: value or "" for key, value in attributes}))

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for found, attributes in self.elements if found == tag]


@cache
def read(file: Path) -> Page:
    """A page that nothing changes any more, parsed once."""
    return Page(file)


@pytest.fixture(params=PAGES)
def page(request, gallery) -> Page:
    return read(gallery / request.param)


def article(gallery: Path, page: str, id: str) -> str:
    """The source of one figure's part of a page."""
    source = (gallery / page).read_text("utf-8")
    return re.search(rf'<article id="{id}".*?</article>', source, re.DOTALL)[0]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere_inside_the_figures_folder(gallery, name):
    page = read(gallery / name)
    ids = {name: {a.get("id") for _, a in read(gallery / name).elements} for name in PAGES}
    links = [a["href"] for a in page.all("a")] + [a["src"] for a in page.all("img") if "src" in a]
    assert len(links) > 5
    for link in links:
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https" and 'rel="external"' in page.source
            continue
        if not parts.path:
            assert parts.fragment in {a.get("id") for _, a in page.elements}
            continue
        target = (gallery / name / ".." / unquote(parts.path)).resolve()
        assert target.is_file() and target.is_relative_to(gallery.parent.resolve()), link
        if parts.fragment and "=" not in parts.fragment:
            assert parts.fragment in ids[target.relative_to(gallery.resolve()).as_posix()], link


def test_nothing_is_loaded_but_figures(page):
    assert not [a for a in page.all("script") if "src" in a]
    assert [a["href"] for a in page.all("link")] == ["data:,", "#end-of-page"]
    assert not {"iframe", "object", "embed", "base", "video", "audio"} & dict(page.elements).keys()
    assert "@import" not in page.source and "url(" not in page.source
    policy = next(a["content"] for a in page.all("meta") if "http-equiv" in a)
    assert policy.startswith("default-src 'none'")


def test_every_picture_has_words_and_a_size(page):
    for image in page.all("img"):
        if "src" in image:
            assert len(image["alt"]) > 8
            assert int(image["width"]) > 0 < int(image["height"])
    for drawing in (a for a in page.all("svg") if "role" in a):
        assert "z-scores between" in drawing["aria-label"] or drawing["id"].startswith("plot-")


def test_a_figure_is_described_by_its_number_title_and_caption(gallery):
    images = {a["src"]: a["alt"] for a in read(gallery / "alpha.html").all("img") if "src" in a}
    title, caption = "Jobs < 10 & more", "Mean jobs E[N] ≤ n against the load ρ."
    assert images["../alpha/fig6a.svg"] == f"Figure 6(a): {title}. {caption}"
    assert images["../alpha/extra.svg"].startswith("Further figure: ")


def test_every_table_names_its_rows_or_columns(page):
    for header in page.all("th"):
        assert header["scope"] in ("row", "col")
    assert len(page.all("thead")) == len(page.all("table"))


def test_ids_stand_once_and_headings_do_not_skip(page):
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_claims_and_scores_stand_beside_the_figure_they_are_about(gallery):
    first, extra = (article(gallery, "alpha.html", id) for id in ("fig6a", "extra"))
    assert "the quote of direct" in first and "the quote of named" in first
    assert "How many <code>mean_jobs</code>" in first
    assert "it is 3 &amp; not 2" in first and "≠</span> erratum" in first
    assert "the quote of elsewhere" not in first
    assert "6 points, largest |z| 6.50" in first
    assert "the quote of" not in extra and "largest |z|" not in extra
    assert (gallery / "ledger.html").read_text("utf-8").count("the quote of") == 3


def test_a_figure_comes_with_what_runs_and_cites_it(gallery):
    first = article(gallery, "alpha.html", "fig6a")
    assert 'data-copy="snakemake alpha_fig6a"' in first
    assert 'data-copy="alpha.html#fig6a"' in first
    assert "“On alpha” (2024). Figure 6(a), “Jobs &lt; 10 &amp; more”, computed by" in first


def test_downloads_are_those_that_are_there(gallery):
    found = re.findall(r'href="([^"]*)" download', article(gallery, "alpha.html", "fig6a"))
    suffixes = ("pdf", "svg", "png", "figure.tex", "frame.tex", "json")
    data = ["data/alpha/fig6a.curve.csv", "data/alpha/fig6a.points.csv"]
    assert found == [f"../alpha/fig6a.{suffix}" for suffix in suffixes] + data
    assert "few.svg" not in article(gallery, "alpha.html", "few"), "left by a former run"


def test_a_table_is_typeset_from_its_own_file(gallery):
    few = article(gallery, "alpha.html", "few")
    assert '<th scope="col"><i>ρ</i><sub>max</sub></th>' in few
    assert '<th scope="row">50.0%</th><td>1.2 · 10<sup>3</sup></td>' in few
    assert 'href="../alpha/few.csv" download' in few


def test_a_figure_without_its_data_says_what_it_lacks(gallery):
    card = article(gallery, "beta.html", "fig1")
    assert PENDING in card and "<code>snakemake beta_fig1</code>" in card
    assert "<img" not in card and "download" not in card
    assert "lacks data" in (gallery / "index.html").read_text("utf-8")


def test_equal_products_make_equal_pages_that_say_nothing_of_where_or_when(gallery, tmp_path):
    elsewhere = build_products(tmp_path / "elsewhere")
    command = [sys.executable, ROOT / "scripts", *arguments(elsewhere)]
    subprocess.run(command, cwd=elsewhere, env=os.environ | {"PYTHONHASHSEED": "7"}, check=True)
    again = elsewhere / "figures/gallery"
    files = sorted(file.relative_to(again) for file in again.rglob("*") if file.is_file())
    assert files == sorted(f.relative_to(gallery) for f in gallery.rglob("*") if f.is_file())
    for file in files:
        assert (again / file).read_bytes() == (gallery / file).read_bytes(), file
    for name in PAGES:
        text = (gallery / name).read_text("utf-8")
        assert str(tmp_path) not in text and str(gallery.parents[1]) not in text
        assert datetime.date.today().isoformat() not in text


def test_what_a_former_run_left_goes_and_a_claim_stands_beside_the_figures_that_it_names(tmp_path):
    def name(spec):
        for claim in spec.get("claims", ()):
            claim |= {"figures": ["extra"]} if claim["id"] == "elsewhere" else {}

    products = build_products(tmp_path, change=name)
    (products / "results/made").mkdir(parents=True)
    (products / "results/made/gallery.0").touch()
    stale = products / "figures/gallery/data/gone/fig1.csv"
    stale.parent.mkdir(parents=True)
    stale.touch()
    spec = json.loads(next(products.glob("spec.*.json")).read_text("utf-8"))
    write_spec(products, [entry for entry in spec["products"] if entry["paper"] == "alpha"])
    gallery = publish(products)
    assert not stale.exists() and not (gallery / "beta.html").exists()
    assert [mark.name for mark in (products / "results/made").iterdir()] == ["gallery.1"]
    assert "the quote of elsewhere" in article(gallery, "alpha.html", "extra")
    assert "the quote of elsewhere" not in article(gallery, "alpha.html", "fig6a")


def test_names_are_set_as_names(gallery):
    text = (gallery / "ledger.html").read_text("utf-8").partition("<main")[2].partition("</main")[0]
    assert "How many <code>mean_jobs</code>" in text
    assert "`" not in text
    assert str(prose("`a_b` of E[N_idle^*], 2`")) == (
        "<code>a_b</code> of E[N<sub>idle</sub><sup>*</sup>], 2`"
    )


@pytest.mark.parametrize("paper", sorted((ROOT / "config/papers").glob("*.yaml")), ids=str)
def test_captions_and_titles_are_plain_text_for_every_medium(paper):
    blocks = read_yaml(paper, paper.name)[0]
    for kind in ("figures", "tables"):
        for id, block in blocks.get(kind, {}).items():
            assert "`" not in f"{block['title']} {block.get('caption', '')}", id


def test_pictures_are_measured(gallery):
    # 3.4 by 2.4 inches, at 96 pixels an inch and at the 100 of the PNG.
    assert measure(gallery.parent / "alpha/fig6a.svg") == (326, 230)
    assert measure(gallery.parent / "alpha/fig6a.png") == (340, 240)


def colours(theme: str) -> dict[str, str]:
    """The variables of the style sheet in a theme."""
    blocks = {
        "light": r":root \{\n(.*?)\n\}",
        "system": r"prefers-color-scheme: dark\).*?\{.*?\{(.*?)\}",
        "dark": r'\n:root\[data-theme="dark"\] \{(.*?)\}',
    }
    block = re.search(blocks[theme], STYLE, re.DOTALL)[1]
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_meets_level_aa(theme):
    found = colours(theme)
    for ground in (found["ground"], found["panel"]):
        for name in ("ink", "muted", "link", "agreement", "deviation", "alarm"):
            assert contrast(found[name], ground) >= 4.5, name
        # Outlines of controls and of the focus.
        for name in ("edge", "focus"):
            assert contrast(found[name], ground) >= 3, name


def test_both_ways_to_the_dark_theme_are_one_and_its_ground_is_that_of_figures():
    assert colours("system") == colours("dark")
    assert colours("dark")["ground"] == "#" + "".join(f"{channel:02x}" for channel in GROUND)
    assert colours("light").keys() == colours("dark").keys()


def test_a_paper_says_what_was_read_and_what_is_ours_is_not_quoted(gallery):
    page = (gallery / "alpha.html").read_text("utf-8")
    assert "Read in arXiv v1; not checked in arXiv v2." in page
    ledger = (gallery / "ledger.html").read_text("utf-8")
    assert '<q class="quote">the quote of direct</q>' in ledger
    assert (
        "the quote of elsewhere" in ledger
        and '<q class="quote">the quote of elsewhere' not in ledger
    )


def test_a_run_without_claims_and_scores_says_so_and_offers_no_filters():
    """A cluster of one's own: what it simulates has no exact value beside it."""
    run = render([Paper("own", {"title": "own"}, (), (), (), (), {})])
    for name, words in (("ledger.html", "No claims are stated"), ("scores.html", "No simulated")):
        assert words in run[name]
        assert "<form" not in run[name] and "<table" not in run[name]


@pytest.mark.parametrize("word", [word for word, mark in VERDICTS.items() if mark != "✗"])
def test_the_ledger_says_what_each_of_its_verdicts_means(word):
    """Those of a run that has no fault: what it does not know has its reason too."""
    texts = dict.fromkeys(("where", "quote", "quantity", "stated", "recomputed", "how"), "")
    rest = {"repeats": "", "reason": "", "details": (), "parameters": {}, "about": frozenset()}
    claim = Claim(paper="own", id="one", verdict=word, sound=True, **texts, **rest)
    run = render([Paper("own", {"title": "own"}, (), (), (claim,), (), {})])
    lead = run["ledger.html"].partition('<p class="lead">')[2].partition("</p>")[0]
    assert f"<em>{word}</em>" in lead
