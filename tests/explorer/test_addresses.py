"""Links that were cut or changed on their way, and addresses with other fragments."""

from __future__ import annotations

import pytest

from .conftest import SETTLED, TEN, present

pytestmark = pytest.mark.slow
# The address has been read, though not all is drawn: the example of 200 servers takes seconds.
OPENED = "() => document.body.dataset.busy"
SERVERS = "() => explorer.present.servers"


@pytest.mark.parametrize(
    ("hash", "why"),
    [
        (TEN + ".", "λ/λ* must lie between 0 and 100 %"),
        (TEN.partition(",0.4")[0], "Every share must lie"),
        ("#servers=10&class=1,8.6,0.6", "shares must sum to 1"),
        ("#servers=<b>1</b>&class=1,1,1", "servers must be a whole number"),
        ("#preset=99", "no system of that number"),
        ("#%E0%A4%A", "servers must be a whole number"),
    ],
)
def test_a_link_without_a_system_does_not_pass_for_the_example(exploring, hash, why):
    with exploring(hash, until=OPENED) as page:
        said = page.locator("#address-fault").inner_text()
        assert why in said and said.endswith("Below is an example.")
        assert page.evaluate(SERVERS) == 200
        page.evaluate("() => { location.hash = 'servers=7&class=1,1,1' }")
        page.wait_for_function("() => explorer.present.servers === 7")
        assert page.locator("#address-fault").inner_text() == ""
        page.evaluate("(hash) => { location.hash = hash }", hash)
        page.wait_for_function("() => document.getElementById('address-fault').textContent")
        assert "from before" in page.locator("#address-fault").inner_text()
        assert present(page)["servers"] == 7 and "servers=7&" in page.url


@pytest.mark.parametrize("hash", ["", "#", "#main", TEN, "#preset=1"])
def test_other_links_say_nothing(exploring, hash):
    with exploring(hash, until=OPENED) as page:
        assert page.locator("#address-fault").inner_text() == ""


def test_the_link_to_the_content_leaves_the_system_in_the_address(exploring):
    with exploring(TEN) as page:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_function("() => document.activeElement.id === 'main'")
        page.wait_for_function("() => location.hash.startsWith('#servers=10&')")
        page.reload()
        page.wait_for_function(SETTLED)
        assert present(page)["servers"] == 10
        assert page.locator("#address-fault").inner_text() == ""
