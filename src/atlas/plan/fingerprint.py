"""Digests of the code that turns specs into results, and of files.

The digest of code covers a module and all of our own modules that it imports, directly or not;
these are found by reading import statements. Comments, docstrings and layout do not count: what
cannot change a result does not change a digest.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from atlas.io.specs import LENGTH, digest
from atlas.plan.cache import load, store


def digest_file(file: Path) -> str:
    """A short SHA-256 of a file's content, read in pieces."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:LENGTH]


def digest_sources(folders: Iterable[Path]) -> str:
    """The digest of the text of all code in some folders."""
    hashed = hashlib.sha256()
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            name = file.relative_to(folder).as_posix()
            hashed.update(f"{name}\0".encode() + file.read_bytes())
    return hashed.hexdigest()[:LENGTH]


CACHE = Path("results/plan/code.json")
# Nodes that may begin with a docstring.
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# What this process has read of files, by the digest of their text.
_SEEN: dict[str, dict[str, Any]] = {}


class CodeDigests:
    """Digests of modules found below some source folders.

    The imports of a file and the digest of its code are found once, and cached under the digest of
    its content.
    """

    @classmethod
    def below(cls, root: Path) -> CodeDigests:
        """The digests of the whole project at `root`."""
        return cls(root / part for part in ("scripts", "src", "benchmarks"))

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._read = cache(self._read)
        self._imports = cache(self._imports)
        self.digest = cache(self.digest)
        self._cached = load(CACHE, _reader())
        self._used: dict[str, dict[str, Any]] = {}

    def save(self) -> None:
        """Cache what was read of the files in their present state."""
        if not self._used.keys() <= self._cached.keys():
            store(CACHE, _reader(), self._used)

    def digest(self, *modules: str) -> str:
        """The digest of these modules (dotted names) and of all our modules that they import."""
        closure = self.closure(*modules)
        return digest(*(f"{name}\n{self._read(closure[name])['does']}" for name in sorted(closure)))

    def closure(self, *modules: str) -> dict[str, Path]:
        """The files of these modules and of all our modules that they import, by dotted name."""
        closure: dict[str, Path] = {}
        pending = list(modules)
        while pending:
            name = pending.pop()
            if name not in closure and name in self._files:
                closure[name] = self._files[name]
                pending += self._imports(name)
        missing = [name for name in modules if name not in closure]
        if missing:
            raise LookupError(f"no module {', '.join(missing)}")
        return closure

    def modules(self, package: str) -> list[str]:
        """The dotted names of a package's public modules."""
        files = [file for f in self._folders for file in sorted((f / package).glob("[!_]*.py"))]
        return [f"{package.replace('/', '.')}.{file.stem}" for file in files]

    @cached_property
    def sources(self) -> str:
        """The digest of the text of all code."""
        return digest_sources(self._folders)

    @property
    def compiled(self) -> str:
        """The digest of all code that is compiled, and of all our modules that it imports."""
        folders = ("multiserver/saturated", "multiserver/simulation")
        return self.digest(*(name for folder in folders for name in self.modules(folder)))

    @cached_property
    def _files(self) -> dict[str, Path]:
        """The files of all modules by dotted name; of equal names the first folder's counts, and a
        package before a module."""
        found: dict[str, Path] = {}
        for folder in self._folders:
            files = sorted(folder.rglob("*.py"), key=lambda file: file.name != "__init__.py")
            for file in files:
                path = file.relative_to(folder)
                path = path.parent if path.name == "__init__.py" else path.with_suffix("")
                found.setdefault(".".join(path.parts), file)
        return found

    def _imports(self, name: str) -> list[str]:
        """Our modules that one of them imports, and its packages."""
        imports = self._read(self._files[name])["imports"]
        return [other for other in [*imports, *_upwards(name)] if other in self._files]

    def _read(self, file: Path) -> dict[str, Any]:
        """The dotted names that a file may import, and the digest of its code."""
        text = file.read_text(encoding="utf-8")
        key = digest(text)
        found = self._cached.get(key) or _SEEN.get(key)
        if found is None:
            imports: list[ast.Import | ast.ImportFrom] = []
            does = digest(_dump(ast.parse(text), imports))
            found = {"imports": _name(imports, file), "does": does}
        self._used[key] = _SEEN[key] = found
        return found


def _name(imports: Iterable[ast.Import | ast.ImportFrom], file: Path) -> list[str]:
    """Dotted names that a module may import, their parent packages included."""
    names: list[str] = []
    for node in imports:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif node.level:
            raise ImportError(f"{file}: relative imports are not followed; import by full name")
        else:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return sorted({up for name in names for up in _upwards(name)})


def _upwards(name: str) -> list[str]:
    """A dotted name, and those of its parent packages."""
    parts = name.split(".")
    return [".".join(parts[:k]) for k in range(1, len(parts) + 1)]


def _dump(node: ast.AST, imports: list[ast.Import | ast.ImportFrom]) -> str:
    """A syntax tree as text, without docstrings; `imports` gathers its import statements. The text
    is the same under every version of Python: later versions add fields, which are empty in code
    that earlier versions accept."""
    kind, parts = type(node), []
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports.append(node)
    for name in kind._fields:
        # The place of a name already says whether it is read or set.
        value = None if name == "ctx" else getattr(node, name, None)
        if isinstance(value, ast.AST):
            parts.append(f"{name}={_dump(value, imports)}")
        elif isinstance(value, list):
            if name == "body" and isinstance(node, DOCUMENTED):
                value = _without_docstring(value)
            items = [_dump(v, imports) if isinstance(v, ast.AST) else repr(v) for v in value]
            parts += [f"{name}=[{', '.join(items)}]"] if items else []
        elif value is not None:
            parts.append(f"{name}={value!r}")
    return f"{kind.__name__}({', '.join(parts)})"


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[1:] or [ast.Pass()]
    return body


@cache
def _reader() -> str:
    """The digest of this module, which determines what is cached of the others."""
    return digest(Path(__file__).read_text(encoding="utf-8"))
