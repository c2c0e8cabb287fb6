"""Series and products: what there is to make, and what determines it.

Each has a *spec*, which is everything that its script reads, names and order included: parameters,
captions and style, the digest of the code, the versions of the packages that can change its bytes,
and the digests of the data. The digest of the spec names the file of the spec itself; a *series*,
which is computed once and cached under it; and the *mark* of a *product*, of what a reader takes
away: a figure, a table, the ledger of claims. Its files have fixed names, and the mark says what
they were made from. Sums and marks tell what was written, so that damage is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from atlas.io.specs import canonical, digest
from atlas.plan.resources import count_parts, minutes, travels_with

# Of the files of a product, a page shows that of the first of these kinds.
SHOWN = ("svg", "png", "pdf", "csv", "tex")


class Specified:
    """What has a spec; its digest tells it from what is made otherwise."""

    text: str

    @cached_property
    def fingerprint(self) -> str:
        return digest(self.text)


class OneFile:
    """What is one file, and beside it the sum of what was written there."""

    file: str

    @property
    def sums(self) -> str:
        return f"{self.file.rpartition('.')[0]}.sha256"

    @property
    def files(self) -> list[str]:
        return [self.file]

    @property
    def targets(self) -> list[str]:
        """What must be there: a file whose sum is lost may be damaged."""
        return [self.file, self.sums]


@dataclass(frozen=True)
class Series(OneFile):
    """Data to compute: the study and its parameters, and the cached file they make.

    `code` is the digest of `modules` and all that they import; `place` is where config describes
    it, a file and the keys that lead there; `points` are those that it may be split into.
    """

    study: str
    parameters: Mapping[str, Any]
    modules: tuple[str, ...]
    code: str
    software: Mapping[str, str]
    used_by: str
    place: tuple[str, ...] = ()
    points: int = 1
    stage: ClassVar[str] = "compute"
    made_from: ClassVar[tuple[()]] = ()

    @cached_property
    def text(self) -> str:
        """The spec: all that the computation may depend on."""
        body = {"study": self.study, "parameters": self.parameters}
        return canonical(body | {"code": self.code, "software": self.software})

    @cached_property
    def digest(self) -> str:
        return digest(self.text)

    @property
    def file(self) -> str:
        return f"results/series/{self.study}/{self.digest}.csv"

    @property
    def parts(self) -> list[str]:
        """The files from which it is put together, if it is split."""
        count = count_parts(self.parameters, self.points)
        names = (f"{k}-of-{count}" for k in range(1, count + 1)) if count > 1 else ()
        return [f"results/parts/{self.study}/{self.digest}/{name}.csv" for name in names]

    @property
    def minutes(self) -> int:
        """The time that it may take, or each of its parts."""
        return minutes(self.parameters, self.points)

    @property
    def group(self) -> str | None:
        """The group in which it travels to a cluster, if it is small."""
        return travels_with(self.parameters, self.points)

    @property
    def log(self) -> str:
        return f"results/logs/compute/{self.study}/{self.digest}{'/*' if self.parts else ''}.log"

    @property
    def spec_file(self) -> str:
        return name_spec(self.study, self.digest)


def name_spec(study: str, digest: str) -> str:
    """The file of the spec of a series."""
    return f"results/specs/{study}/{digest}.json"


def list_modules(study: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The modules that compute a series; claims import by name what they are about."""
    rows = parameters["rows"] if study == "claims" else ()
    claims = sorted({row["quantity"].partition("/")[0] for row in rows})
    names = ("compute", f"atlas.studies.{study}", *(f"atlas.claims.{name}" for name in claims))
    return tuple(name.replace("-", "_") for name in names)


@dataclass(frozen=True)
class Product(Specified):
    """A figure, table, ledger or set of values, and all that determines it.

    `stage` is the rule and script that makes it; `pending` says what it still lacks, in which case
    it is built by name only.
    """

    paper: str
    id: str
    stage: str
    content: Mapping[str, Any]
    series: Mapping[str, Series]
    modules: tuple[str, ...]
    code: str
    software: Mapping[str, str]
    suffixes: tuple[str, ...]
    pending: str = ""

    @property
    def made_from(self) -> tuple[Series, ...]:
        return tuple(self.series.values())

    @cached_property
    def text(self) -> str:
        """The spec: all that the product may depend on, series by name and file."""
        series = {
            name: {"study": s.study, "parameters": s.parameters, "digest": s.digest, "file": s.file}
            for name, s in self.series.items()
        }
        head = {"paper": self.paper, "id": self.id, "stage": self.stage}
        tail = {"code": self.code, "software": self.software, "suffixes": self.suffixes}
        return canonical({**head, **dict(sorted(self.content.items())), "series": series, **tail})

    @property
    def spec(self) -> dict[str, Any]:
        """The spec as its script reads it."""
        return {**json.loads(self.text), "fingerprint": self.fingerprint}

    @property
    def spec_file(self) -> str:
        return f"results/specs/{self.paper}/{self.id}.{self.fingerprint}.json"

    @property
    def log(self) -> str:
        return f"results/logs/{self.stage}/{self.paper}/{self.id}.log"

    @property
    def mark(self) -> str:
        """The file that says that the product as it now stands was made from its spec."""
        return f"results/made/{self.paper}/{self.id}.{self.fingerprint}"

    sums = mark

    @property
    def files(self) -> list[str]:
        """What a reader takes away, and the sidecar that says how it was made."""
        return [f"figures/{self.paper}/{self.id}.{suffix}" for suffix in (*self.suffixes, "json")]

    targets = files

    @property
    def shown(self) -> str:
        """The file that a page shows of it."""
        found = (name for kind in SHOWN for name in self.files if name.endswith(f".{kind}"))
        return next(found)

    @property
    def caption(self) -> str:
        """Its title and caption as reStructuredText."""
        texts = (self.content.get(key) for key in ("title", "caption"))
        return "\n\n".join(re.sub(r"([\\*`_|])", r"\\\1", text) for text in texts if text)

    @property
    def entry(self) -> dict[str, str]:
        """What the gallery is told of it."""
        head = {"paper": self.paper, "id": self.id, "stage": self.stage}
        return head | {"spec": self.spec_file, "pending": self.pending}


@dataclass(frozen=True)
class Gallery(Specified):
    """The pages over all products, those that lack something included; `front` holds the `titles`
    of the papers, by id and in their order, and the figure that comes `first`, as paper/figure."""

    entries: tuple[Mapping[str, str], ...]
    front: Mapping[str, Any]
    code: str
    software: Mapping[str, str]
    stage: ClassVar[str] = "publish"
    made_from: ClassVar[tuple[()]] = ()
    log: ClassVar[str] = "results/logs/publish.log"

    @cached_property
    def text(self) -> str:
        """The spec: specs of products bear fingerprints in their names."""
        body = {"products": self.entries, **self.front}
        return canonical(body | {"code": self.code, "software": self.software})

    @property
    def spec_file(self) -> str:
        return f"results/specs/gallery.{self.fingerprint}.json"

    @property
    def mark(self) -> str:
        return f"results/made/gallery.{self.fingerprint}"

    sums = mark
    files = None

    @property
    def targets(self) -> list[str]:
        return [self.mark]


@dataclass(frozen=True)
class Agreement(Specified, OneFile):
    """That these products are what they should be."""

    products: tuple[Product, ...]
    code: str
    software: Mapping[str, str]
    stage: ClassVar[str] = "agree"
    log: ClassVar[str] = "results/logs/agree.log"

    @property
    def made_from(self) -> tuple[Product, ...]:
        return self.products

    @cached_property
    def text(self) -> str:
        """The spec: the mark and the fingerprint that each product should have, by sidecar."""
        expected = {p.files[-1]: [p.mark, p.fingerprint] for p in self.products}
        return canonical({"products": expected, "code": self.code, "software": self.software})

    @property
    def spec_file(self) -> str:
        return f"results/specs/agreed.{self.fingerprint}.json"

    @property
    def file(self) -> str:
        return f"results/agreed/{self.fingerprint}.txt"


@dataclass(frozen=True)
class Inventory:
    """The files that something asks for."""

    asked: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        return canonical({"asked": self.asked})

    @property
    def spec_file(self) -> str:
        return f"results/specs/inventory.{digest(self.text)}.json"


def unite(products: Iterable[Product]) -> dict[str, Series]:
    """All series by file name; a series that several products share stands here once."""
    return {s.file: s for product in products for s in product.series.values()}
