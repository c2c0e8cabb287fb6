"""The front page of the gallery, and the small pictures on it."""

from __future__ import annotations

import numpy as np
from PIL import Image

from .test_pages import Page


def test_the_front_page_invites(gallery):
    page = Page(gallery / "index.html")
    links = [a["href"] for a in page.all("a") if "href" in a]
    wanted = ("explorer.html", "ledger.html#show=erratum", "../atlas.bib", "alpha.html#extra")
    assert set(wanted) <= set(links)
    assert "1 erratum in the papers" in page.source
    assert "<code>snakemake alpha_extra</code>" in page.source
    # The order is that of the titles: the second paper comes first.
    assert page.source.index(">The second</a>") < page.source.index(">The first</a>")
    assert [link for link in links if link in ("alpha.html", "beta.html")][:2] == [
        "beta.html",
        "alpha.html",
    ]


def test_small_pictures_are_copies_of_the_figures(gallery):
    page = Page(gallery / "index.html")
    small = [a["src"] for a in page.all("img") if a.get("src", "").startswith("thumbnails/")]
    assert small == ["thumbnails/alpha/fig6a.png", "thumbnails/alpha/extra.png"]
    for name in small:
        with Image.open(gallery / name) as picture:
            whole = Image.open(gallery / ".." / name.removeprefix("thumbnails/"))
            assert picture.size == (420, round(420 * whole.height / whole.width))
            # The same picture, but for what fewer dots and colours can show.
            same = whole.convert("L").resize(picture.size, Image.Resampling.LANCZOS)
            differences = np.abs(np.subtract(picture.convert("L"), same, dtype=float))
            assert differences.mean() < 2
            assert picture.convert("L").getpixel((0, 0)) == 255
        assert (gallery / name).stat().st_size < 30_000
