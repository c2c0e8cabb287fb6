"""Data beside the figures and on pages of its own."""

from __future__ import annotations

import pandas as pd
import pytest

from atlas.gallery.collect import Exhibit, Paper, Table
from atlas.gallery.render import ROWS, ROWS_OF_A_PAGE, render

from .test_pages import SHEET, article

pytestmark = pytest.mark.slow


def test_data_is_copied_once_and_all_of_it_is_shown(gallery):
    products = gallery.parents[1]
    copies = sorted(file.name for file in (gallery / "data/alpha").iterdir())
    assert copies == ["fig6a.curve.csv", "fig6a.curve.html", "fig6a.points.csv"]
    source = products / "results/series/curve/0.csv"
    assert (gallery / "data/alpha/fig6a.curve.csv").read_bytes() == source.read_bytes()
    extra = article(gallery, "alpha.html", "extra")
    assert 'href="data/alpha/fig6a.curve.csv"' in extra
    assert f'the first {ROWS} of <a href="{SHEET}">150 rows</a>' in extra
    assert extra.count("<tr>") == 1 + ROWS
    assert extra.count(f"<td>{(ROWS - 1) ** 2}\n") == 1
    whole = (gallery / SHEET).read_text("utf-8")
    for number in range(150):
        assert f"<tr>{f'<td>{number**2}' * 10}\n" in whole
    for column, unit in (("response time of class 7", "s"), ("mean jobs", "jobs")):
        assert f'>{column} <span class="unit">{unit}</span></th>' in whole


def test_a_page_of_data_is_no_longer_than_a_person_reads():
    data = pd.DataFrame({"load": range(ROWS_OF_A_PAGE + 1)})
    table = Table(name="long", file="data/p/f.long.csv", data=data, units={"load": "1"})
    series = {"long": {"study": "s", "parameters": {}}}
    spec = {"series": series, "faithful": True, "software": {"multiserver-atlas": "0"}}
    about = ("p", "f", "draw", "Title", "Caption", {"certainty": "stated"}, spec)
    paper = Paper("p", {"title": "P"}, (Exhibit(*about, tables=(table,)),), (), (), (), {})
    page = render([paper])["data/p/f.long.html"]
    assert f"the first {ROWS_OF_A_PAGE} of {len(data)} rows, numbers to six digits" in page
    assert page.count("<tr><td>") == ROWS_OF_A_PAGE
