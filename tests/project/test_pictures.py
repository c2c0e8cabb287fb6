"""The pictures of the models on the documentation's pages."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from docs.pictures import PICTURES
from PIL import Image

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


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_follow_the_theme_that_the_reader_chose(browser, tmp_path, theme, system):
    """The ink on the ground of the page, whatever the theme of the system."""
    ground = {"light": "#ffffff", "dark": "#131416"}[theme]
    css = (Path(__file__).resolve().parents[2] / "docs/styles/wide.css").read_text("utf-8")
    (tmp_path / "picture.svg").write_text(PICTURES["network"]().svg(), "utf-8")
    (tmp_path / "page.html").write_text(
        f"<style>{css} body {{ background: {ground} }}</style>"
        f'<body data-theme="{theme}"><img src="picture.svg">',
        "utf-8",
    )
    page = browser.new_page(color_scheme=system)
    page.goto((tmp_path / "page.html").as_uri())
    with Image.open(io.BytesIO(page.locator("img").screenshot())) as picture:
        leaves = picture.crop((384, 46, 428, 66))
        darkest, lightest = leaves.convert("L").getextrema()
    page.close()
    assert darkest < 60 and lightest > 200, "the word differs from the ground"
