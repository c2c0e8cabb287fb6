"""The search finds figures, theorems and sections under any spelling of their names."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from atlas.gallery import render

FILTERS = Path(render.__file__).parent / "templates/filters.js"
TEXTS = [
    "Figure 2. As in Figs. 8 and 9",
    "Figure 9. Waste",
    "Figure 9(a). Waste",
    "Section 10, Theorem 8.1",
    "Theorem 8",
    "Theorem 4.2 (Fig. 10)",
    "Sections 9–11, Eqs. (3) and (4)",
    "fig9b of Appendix A.2",
]
FIGURE_9 = {0: 2, 1: 2, 2: 1, 7: 1}


FOUND = {
    **dict.fromkeys(("Fig. 9", "Fig 9", "Fig.9", "fig9", "Figure 9"), FIGURE_9),
    "Figure 9(a)": {2: 2},
    "Theorem 8": {3: 1, 4: 2},
    "theorem 8.1": {3: 2},
    "Eq. (4)": {6: 2},
    "Section 9": {6: 2},
    "appendix a": {7: 1},
    '"Figure 9"': {1: 2, 2: 2},
    "waste fig. 9": {1: 2, 2: 1},
    "Theorem 5": {},
}


def test_a_place_is_found_by_its_kind_and_number():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the path")
    source = FILTERS.read_text("utf-8").partition("// The fields of a form")[0]
    script = f"""{source}
      const [texts, asked] = {json.dumps([TEXTS, list(FOUND)])};
      console.log(JSON.stringify(asked.map((words) => {{
        const tests = query.parse(words);
        return texts.map((text) => Math.min(...tests.map((test) => test(query.prepare(text)))));
      }})));"""
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, check=True)
    for words, ranks in zip(FOUND, json.loads(done.stdout), strict=True):
        assert {i: rank for i, rank in enumerate(ranks) if rank} == FOUND[words], words
