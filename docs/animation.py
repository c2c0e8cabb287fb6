"""The first page's animation: the explorer's, for one system, with the exact mean to which the
average converges, from the library."""

from __future__ import annotations

import json
from pathlib import Path

import multiserver as ms

EXPLORER = Path(__file__).parents[1] / "src/atlas/gallery/templates/explorer"
SCRIPTS = ("model", "format", "axes", "plot", "simulation", "animation")
# Servers, and (need, rate, probability) of the classes: few enough to see which job holds which.
SERVERS, CLASSES = 24, ((1, 2.0, 0.9), (12, 1.0, 0.1))
STYLED = (".view .", ".view rect", ".view text", "#blocking")
STYLE = """
.explorer { --style0: #0b5f94; --style1: #b5480b; --style3: #4a4a4a; --plain: var(--font-stack);
  --ink: var(--color-foreground-primary); --muted: var(--color-foreground-secondary);
  --rule: var(--color-background-border); --edge: var(--color-foreground-muted); --link: #0b5f94; }
@media (prefers-color-scheme: dark) {
  body:not([data-theme="light"]) .explorer {
    --style0: #6cbcf0; --style1: #f2a266; --style3: #c0c0c0; }
}
body[data-theme="dark"] .explorer { --style0: #6cbcf0; --style1: #f2a266; --style3: #c0c0c0; }
.explorer { margin: 1.5rem 0; } .explorer svg { display: block; width: 100%; max-width: 620px; }
.explorer header { display: flex; gap: 0.5rem; align-items: baseline; }
"""


def write_animation() -> str:
    """The first page's figure, with its style and its scripts, which load nothing."""
    jobs = [
        ms.JobClass(need=need, duration=ms.Exponential(rate=rate), probability=probability)
        for need, rate, probability in CLASSES
    ]
    wastage = ms.System(servers=SERVERS, classes=jobs).under(ms.FCFS).stability().wastage
    classes = [dict(zip(("need", "rate", "probability"), row, strict=True)) for row in CLASSES]
    content = {"system": {"servers": SERVERS, "classes": classes}, "means": {"wastage": wastage}}
    sheet = (EXPLORER / "explorer.css").read_text("utf-8").splitlines()
    style = STYLE + "\n".join(x for x in sheet if x.startswith(STYLED))
    scripts = [(EXPLORER / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
    scripts.append(f"animation.show({json.dumps(content)});")
    # In a block, so that their names do not clash with those of the theme's scripts.
    script = "\n".join(["{", *scripts, "}"])
    return f"""```{{raw}} html
<style>{style}</style>
<noscript><style>#blocking {{ display: none; }}</style></noscript>
<figure class="explorer view" id="blocking" aria-label="One job holds up the line">
<header><button type="button" id="blocking-play">Play</button>
<button type="button" id="blocking-step">One event</button>
<label for="blocking-speed">Speed</label>
<input type="range" id="blocking-speed" min="0" max="11.5" step="0.1" value="0"></header>
<svg id="blocking-servers"></svg>
<svg id="blocking-average" aria-hidden="true"></svg>
<p class="sentence" id="blocking-sentence"></p>
</figure>
<script>
{script}
</script>
```
"""
