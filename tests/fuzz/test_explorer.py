"""After any user input, the explorer's text agrees with the library for the system shown.

Each step is drawn from a seed: a number is typed, a slider is moved by keys or dragged, a class is
added or removed, the pointer drags in a plot, a step is undone. Then the rate that FCFS sustains,
the wasted servers and the utilisation are read from the page, in as many digits as it shows.

`python -m tests.fuzz.test_explorer COUNT SEED` counts steps by kind, and what was too large.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.browser import chromium, watched
from tests.explorer.conftest import paper, product

from atlas.gallery.render import render
from multiserver import MultiserverJobSystem
from multiserver.errors import TooLargeError
from multiserver.saturated import dispatch

PLOTS = ("mix", "ratio", "region", "bell")
KEYS = ("ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")
# Half a unit of the last of four digits, or of three where it is a share.
SHOWN = {"#limit": 6e-4, "#wastage": 6e-4, "#utilisation": 6e-3}
# The numbers above the plots are those of the system that is set; plots of large ones take longer.
SUMMARY_IS_CURRENT = """() => explorer.context && !explorer.context.dragging
  && !document.body.classList.contains("solving")
  && state.to_hash(explorer.context.state) === state.to_hash(explorer.present)"""
ORDINARY = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def value(text: str) -> float:
    """The number that a text of the page begins with, without its unit."""
    text = text.split(" of ")[0].removesuffix("/s").removesuffix("jobs").removesuffix("job")
    share = 0.01 if text.endswith("%") else 1.0
    text = text.removesuffix("%").replace("\u202f", "").strip()
    whole, minus, rest = text.partition("−") if text.startswith("100") else (text, "", "")
    if minus:
        return 1 - share * value(rest.strip())
    factor, times, power = whole.rpartition("·")
    if times or (power.startswith("10") and power[2:3] in tuple("⁻⁰¹²³⁴⁵⁶⁷⁸⁹")):
        exponent = int(power.strip().removeprefix("10").translate(ORDINARY))
        return share * float(factor.strip() or 1) * 10.0**exponent
    return share * float(whole)


def type_number(page, rng: random.Random) -> None:
    box = rng.choice(page.locator(".control input[type=text]:enabled").all())
    exponent = rng.uniform(-4, 5)
    text = rng.choice(
        (str(rng.randint(1, 400)), f"{10**exponent:.4g}", "1,000", "abc", "−3", "1e5")
    )
    box.fill(text)
    box.press("Enter")


def press_key(page, rng: random.Random) -> None:
    slider = rng.choice(page.locator(".control input[type=range]:enabled").all())
    slider.focus()
    for _ in range(rng.randint(1, 4)):
        page.keyboard.press(rng.choice(KEYS))


def drag(page, box: dict[str, float], rng: random.Random) -> None:
    """Drag from one place in a box to another."""
    places = [
        (
            box["x"] + rng.uniform(0.15, 0.9) * box["width"],
            box["y"] + rng.uniform(0.2, 0.8) * box["height"],
        )
        for _ in range(2)
    ]
    page.mouse.move(*places[0])
    page.mouse.down()
    page.mouse.move(*places[1], steps=3)
    page.mouse.up()


def drag_slider(page, rng: random.Random) -> None:
    slider = rng.choice(page.locator(".control input[type=range]:enabled").all())
    slider.scroll_into_view_if_needed()
    drag(page, slider.bounding_box(), rng)


def drag_plot(page, rng: random.Random) -> None:
    plot = page.locator(f"#plot-{rng.choice(PLOTS)}")
    plot.scroll_into_view_if_needed()
    if (box := plot.bounding_box()) and box["height"] > 100:
        drag(page, box, rng)


def add_class(page, rng: random.Random) -> None:
    if (
        page.evaluate("() => explorer.present.classes.length") < 4
        and page.locator("#add").is_enabled()
    ):
        page.locator("#add").click()


def remove_class(page, rng: random.Random) -> None:
    if buttons := page.locator("button.remove:enabled").all():
        rng.choice(buttons).click()


def undo(page, rng: random.Random) -> None:
    button = page.locator(rng.choice(("#undo", "#redo")))
    if button.is_enabled():
        button.click()


def take_preset(page, rng: random.Random) -> None:
    page.locator("#preset").select_option(rng.choice(("0", "1")))


STEPS: dict[str, tuple[Callable, int]] = {
    "a number typed": (type_number, 8),
    "keys on a slider": (press_key, 5),
    "a slider dragged": (drag_slider, 4),
    "a plot dragged": (drag_plot, 3),
    "a class added": (add_class, 1),
    "a class removed": (remove_class, 1),
    "a step undone": (undo, 2),
    "a system taken": (take_preset, 2),
}


def differences(page) -> list[str] | None:
    """What the page says of its system and the library does not, or None where one cannot tell."""
    page.wait_for_function(SUMMARY_IS_CURRENT, timeout=120_000)
    shown = page.evaluate("() => explorer.present")
    columns = [[c[key] for c in shown["classes"]] for key in ("need", "rate", "probability")]
    if page.locator("#limit").inner_text() == "–":
        assert "Too large" in page.locator("#headline").inner_text()
        return None
    try:
        solved = dispatch.solve(MultiserverJobSystem.of(shown["servers"], *columns))
    except TooLargeError:
        return None
    expected = (solved.throughput, solved.wastage, solved.utilisation)
    wrong = []
    for (place, close), exact in zip(SHOWN.items(), expected, strict=True):
        text = page.locator(place).inner_text()
        if value(text) != pytest.approx(exact, rel=close, abs=1e-9 * shown["servers"]):
            wrong.append(f"{shown}: {place} says {text}, which is {exact!r}")
    return wrong


def search(page, count: int, rng: random.Random) -> tuple[Counter, list[str]]:
    """So many steps on an open page: how often each, and what was wrong."""
    found, wrong, said = Counter(), [], []
    for _ in range(count):
        kind = rng.choices(list(STEPS), [weight for _, weight in STEPS.values()])[0]
        if said is None:
            kind = "a system taken"
        STEPS[kind][0](page, rng)
        said = differences(page)
        found[kind] += 1
        found["too large for the page or the library"] += said is None
        wrong += [f"{kind}: {line}" for line in said or ()]
    return found, wrong


def open_page(browser, folder: Path):
    jobs = {"servers": 200, "needs": [1, 200], "rates": [2.0, 1.0]}
    three = {
        "servers": 12,
        "needs": [1, 3, 8],
        "rates": [1.0, 1.0, 0.5],
        "probabilities": [0.6, 0.3, 0.1],
    }
    run = [paper("alpha", product("fig6b", "6(b)", region=jobs), product("red", "3", red=three))]
    file = folder / "explorer.html"
    file.write_text(render(run)["explorer.html"], "utf-8")
    return file, watched(browser, file)


@pytest.mark.slow
def test_whatever_hands_do_the_text_is_what_the_library_says(browser, tmp_path):
    file, opened = open_page(browser, tmp_path)
    with opened as (page, _):
        page.goto(file.as_uri())
        found, wrong = search(page, 40, random.Random(20261124))
    assert not wrong
    assert found["too large for the page or the library"] < 15


def main(count: int, seed: int) -> None:
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        file, opened = open_page(browser, Path(folder))
        with opened as (page, _):
            page.goto(file.as_uri())
            found, wrong = search(page, count, random.Random(seed))
    for kind, times in sorted(found.items()):
        print(f"{times:6}  {kind}")
    print(f"{len(wrong):6}  wrong", *wrong, sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
