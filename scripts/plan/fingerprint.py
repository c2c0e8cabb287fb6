"""Digests of specs and of the code that turns them into results.

The digest of code is over a module and all of our own modules that it imports, directly or not,
found by reading import statements. Comments, docstrings and layout do not count: what cannot
change a result does not change a digest.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

LENGTH = 16


def canonical(value: Any) -> str:
    """JSON with sorted keys: equal values have equal texts."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(*parts: str) -> str:
    """A short SHA-256 over the parts, in order."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(hashlib.sha256(part.encode()).digest())
    return hashed.hexdigest()[:LENGTH]


def digest_file(file: Path) -> str:
    """A short SHA-256 of a file's content, read in pieces."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:LENGTH]


class CodeDigests:
    """Digests of modules found below some source folders."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._find = cache(self._find)

    def digest(self, *modules: str) -> str:
        """The digest of these modules (dotted names) and of all that they import of ours."""
        closure: dict[str, Path] = {}
        pending = list(modules)
        while pending:
            name = pending.pop()
            file = None if name in closure else self._find(name)
            if file is not None:
                closure[name] = file
                pending += _imports(file, name)
        missing = [name for name in modules if name not in closure]
        if missing:
            raise LookupError(f"no module {', '.join(missing)}")
        return digest(*(f"{name}\n{_normalise(closure[name])}" for name in sorted(closure)))

    def modules(self, package: str) -> list[str]:
        """The dotted names of a package's public modules."""
        return [f"{package.replace('/', '.')}.{file.stem}" for file in self._files(package)]

    def functions(self, package: str) -> list[str]:
        """The public functions of a package's modules, as module/function with hyphens."""
        return [
            f"{file.stem}/{node.name}".replace("_", "-")
            for file in self._files(package)
            for node in _parse(file).body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        ]

    def _files(self, package: str) -> list[Path]:
        return [file for f in self._folders for file in sorted((f / package).glob("[!_]*.py"))]

    def _find(self, name: str) -> Path | None:
        stem = Path(*name.split("."))
        candidates = (f / p for f in self._folders for p in (stem / "__init__.py", f"{stem}.py"))
        return next((file for file in candidates if file.is_file()), None)


@cache
def _parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def _imports(file: Path, module: str) -> tuple[str, ...]:
    """Dotted names that a module may import, its own parent packages included."""
    names: list[str] = [module]
    for node in ast.walk(_parse(file)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ImportError(f"{file}: relative imports are not followed; import by full name")
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    parts = [name.split(".") for name in names]
    return tuple({".".join(p[:k]) for p in parts for k in range(1, len(p) + 1)})


@cache
def _normalise(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    return _dump(tree)


def _dump(node: object) -> str:
    """A syntax tree as text that is the same under every version of Python: later ones add fields,
    which are empty in code that earlier ones accept."""
    if isinstance(node, ast.AST):
        fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
        return f"{type(node).__name__}({', '.join(f'{k}={_dump(v)}' for k, v in fields)})"
    if isinstance(node, list):
        return f"[{', '.join(map(_dump, node))}]"
    return repr(node)
