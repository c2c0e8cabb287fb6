"""Digests change with what can change a result, and with nothing else."""

from __future__ import annotations

import pytest

from atlas.io.specs import digest
from atlas.plan.fingerprint import CodeDigests

MAIN = '"""Doc."""\nfrom pack.part import f\n\n\ndef g(x):\n    """Doc."""\n    return f(x)\n'
PART = "def f(x):\n    return x + 1\n"


@pytest.fixture
def tree(tmp_path):
    """A module that imports from a package."""
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/__init__.py").write_text("")
    (tmp_path / "pack/part.py").write_text(PART)
    (tmp_path / "pack/other.py").write_text("y = 1\n")
    (tmp_path / "main.py").write_text(MAIN)
    return tmp_path


def code(tree):
    """The digest of `main`, read afresh."""
    return CodeDigests([tree]).digest("main")


@pytest.mark.parametrize(
    ("file", "old", "new", "counts"),
    [
        ("main.py", "return f(x)", "return f(2 * x)", True),
        ("pack/part.py", "x + 1", "x + 2", True),
        ("pack/__init__.py", "", "import pack.other\n", True),
        ("main.py", '"""Doc."""', '"""Other words."""', False),
        ("main.py", "return f(x)", "return f(\n        x\n    )  # comment", False),
        ("pack/other.py", "y = 1", "y = 2", False),
    ],
)
def test_code_changes_the_digest_but_no_comment_docstring_layout_or_stranger(
    tree, file, old, new, counts
):
    before = code(tree)
    (tree / file).write_text((tree / file).read_text().replace(old, new, 1))
    assert (code(tree) != before) == counts


def test_parts_of_a_digest_do_not_run_together():
    assert digest("ab", "c") != digest("a", "bc")


def test_an_unknown_module_is_an_error(tree):
    with pytest.raises(LookupError, match="no module nowhere"):
        CodeDigests([tree]).digest("nowhere")


def test_a_relative_import_is_refused(tree):
    (tree / "main.py").write_text("from . import pack\n")
    with pytest.raises(ImportError, match="relative imports"):
        code(tree)
