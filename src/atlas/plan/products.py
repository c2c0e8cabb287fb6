"""Series and products: what there is to make, and what determines it.

Each has a *spec*: everything that its script reads, names and order included. The spec holds the
parameters, captions and style, the digest of the code, the versions of the packages that can change
its bytes, and the digests of the data. The digest of the spec is part of three file names: the spec
file; the data of a *series*, which is computed once and cached; and the *mark* of a *product*. A
product is what a reader takes away: a figure, a table, the ledger of claims. Its files have fixed
names, and the mark says from which spec they were made. Sums and marks hold the checksums of what
was written, so that damage is found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from atlas.io.specs import canonical, digest
from atlas.plan.resources import count_parts, job_group, minutes


class Specified:
    """A thing that has a spec; the digest of the spec is its fingerprint."""

    text: str

    @cached_property
    def fingerprint(self) -> str:
        return digest(self.text)


class OneFile:
    """A thing that is one file, with its checksum in a file beside it."""

    file: str

    @property
    def sums(self) -> str:
        return f"{self.file.rpartition('.')[0]}.sha256"

    @property
    def files(self) -> list[str]:
        return [self.file]

    @property
    def targets(self) -> list[str]:
        """The files that must be there: a file whose checksum is lost may be damaged."""
        return [self.file, self.sums]


@dataclass(frozen=True)
class Series(OneFile):
    """Data to compute: the study and its parameters, and the cached file that holds the result.

    `code` is the digest of `modules` and all that they import; `place` is where config describes
    the series, a file and the keys that lead there; `points` is the number of its points, over
    which it may be split; `further` is how many jobs a point simulates beyond those that it is to.
    """

    study: str
    parameters: Mapping[str, Any]
    modules: Sequence[str]
    code: str
    software: Mapping[str, str]
    used_by: str
    place: Sequence[str | int] = ()
    points: int = 1
    further: int = 0
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
        """The files from which it is combined, if it is split."""
        count = count_parts(self.parameters, self.points, self.further)
        names = (f"{k}-of-{count}" for k in range(1, count + 1)) if count > 1 else ()
        return [f"results/parts/{self.study}/{self.digest}/{name}.csv" for name in names]

    @property
    def minutes(self) -> int:
        """The time limit of its job, or of each part, in minutes."""
        return minutes(self.parameters, self.points, self.further)

    @property
    def group(self) -> str | None:
        """Its group on a cluster, if it is small."""
        return job_group(self.parameters, self.points, self.further)

    @property
    def log(self) -> str:
        return f"results/logs/compute/{self.study}/{self.digest}{'/*' if self.parts else ''}.log"

    @property
    def spec_file(self) -> str:
        return name_spec(self.study, self.digest)


def name_spec(study: str, digest: str) -> str:
    """The file of the spec of a series."""
    return f"results/specs/{study}/{digest}.json"


def list_modules(study: str, parameters: Mapping[str, Any]) -> list[str]:
    """The modules that compute a series. For claims these include the modules of their quantities,
    which are imported by name."""
    rows = parameters["rows"] if study == "claims" else ()
    claims = sorted({row["quantity"].partition("/")[0] for row in rows})
    names = ("compute", f"atlas.studies.{study}", *(f"atlas.claims.{name}" for name in claims))
    return [name.replace("-", "_") for name in names]


@dataclass(frozen=True)
class Product(Specified):
    """A figure, table, ledger or set of values, and all that determines it.

    `stage` is the rule and script that makes it. `pending` says what it still lacks; a pending
    product is built only when it is asked for by name.
    """

    paper: str
    id: str
    stage: str
    content: Mapping[str, Any]
    series: Mapping[str, Series]
    modules: Sequence[str]
    code: str
    software: Mapping[str, str]
    suffixes: Sequence[str]
    pending: str = ""

    @property
    def made_from(self) -> tuple[Series, ...]:
        return tuple(self.series.values())

    @property
    def place(self) -> list[str | int]:
        """Where config describes a table or the claims of a ledger: a file and keys."""
        file = [part for series in self.made_from for part in series.place[:1]][:1]
        return file and [*file, *(["tables", self.id] if self.stage == "tabulate" else ["claims"])]

    @cached_property
    def text(self) -> str:
        """The spec: all that the product may depend on, with its series by name and file."""
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
        """The file that says that the present product was made from its spec."""
        return f"results/made/{self.paper}/{self.id}.{self.fingerprint}"

    sums = mark

    @property
    def files(self) -> list[str]:
        """The files for the reader, and the sidecar that says how they were made."""
        return [f"figures/{self.paper}/{self.id}.{suffix}" for suffix in (*self.suffixes, "json")]

    targets = files

    @property
    def caption(self) -> str:
        """Its title and caption as reStructuredText."""
        texts = (self.content.get(key) for key in ("title", "caption"))
        return "\n\n".join(re.sub(r"([\\*`_|])", r"\\\1", text) for text in texts if text)

    @property
    def entry(self) -> dict[str, str]:
        """Its entry in the spec of the gallery."""
        head = {"paper": self.paper, "id": self.id, "stage": self.stage}
        return head | {"spec": self.spec_file, "pending": self.pending}


@dataclass(frozen=True)
class RunWide(Specified):
    """What a run has once, from or about all its products; `content` determines it."""

    content: Mapping[str, Any]
    name: ClassVar[str]

    @cached_property
    def text(self) -> str:
        return canonical(self.content)

    @property
    def spec_file(self) -> str:
        return f"results/specs/{self.name}.{self.fingerprint}.json"


class Gallery(RunWide):
    """The pages over all products, including pending ones."""

    name = "gallery"
    stage = "publish"
    made_from = ()
    log = "results/logs/publish.log"
    files = None

    @property
    def mark(self) -> str:
        return f"results/made/gallery.{self.fingerprint}"

    sums = mark

    @property
    def targets(self) -> list[str]:
        return [self.mark]


@dataclass(frozen=True)
class Agreement(RunWide, OneFile):
    """The check that these products are what they should be."""

    made_from: tuple[Product, ...]
    name = "agreed"
    stage = "agree"
    log = "results/logs/agree.log"

    @property
    def file(self) -> str:
        return f"results/agreed/{self.fingerprint}.txt"


class Archive(RunWide):
    """The archive of a run."""

    name = "archive"

    @property
    def file(self) -> str:
        project = self.content["project"]
        return f"archive/{project['name']}-{project['version']}-{self.fingerprint}.crate.zip"


class Inventory(RunWide):
    """The files that something asks for."""

    name = "inventory"


# What a job makes: `files`, or None if they are not known beforehand, and a file of their `sums`.
BuildTarget = Series | Product | Gallery | Agreement


def unite(products: Iterable[Product]) -> dict[str, Series]:
    """All series by file name; a series that several products share appears once."""
    return {s.file: s for product in products for s in product.series.values()}
