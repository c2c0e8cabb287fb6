"""The pictures of the models on the documentation's pages."""

from __future__ import annotations

import pytest
from docs.pictures import PICTURES

pytestmark = pytest.mark.slow

# A margin for fonts that are somewhat wider than that of this browser.
CUT = """() => {
  const { width, height } = document.documentElement.viewBox.baseVal;
  return [...document.querySelectorAll("text")].filter((text) => {
    const box = text.getBBox();
    const [right, bottom] = [box.x + 1.03 * box.width, box.y + box.height];
    return box.x < 0 || right > width || box.y < 0 || bottom > height;
  }).map((text) => text.textContent);
}"""


def test_no_label_is_cut_off(browser, tmp_path):
    page = browser.new_page()
    for name, draw in PICTURES.items():
        file = tmp_path / f"{name}.svg"
        file.write_text(draw().svg(), "utf-8")
        page.goto(file.as_uri())
        assert page.evaluate("() => document.querySelectorAll('text').length") > 0
        assert page.evaluate(CUT) == [], name
    page.close()
