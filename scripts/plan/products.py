"""Series and products: what there is to make, and what determines it.

A *series* is computed once and cached under a name that holds the digest of its parameters and of
the code that computes it, so that a cached file is right by construction. A *product* is what a
reader takes away: a figure, a table, the ledger of claims or the values for LaTeX. Its name is
fixed, so a *mark* is left beside it whose name holds the fingerprint of everything upstream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plan.fingerprint import canonical, digest


@dataclass(frozen=True, slots=True)
class Series:
    """Data to compute: the study and its parameters, and the cached file they make."""

    study: str
    parameters: Mapping[str, Any]
    digest: str
    used_by: str

    @property
    def file(self) -> str:
        return f"results/series/{self.study}/{self.digest}.csv"

    @property
    def spec_file(self) -> str:
        return f"results/specs/{self.study}/{self.digest}.json"

    @property
    def spec(self) -> dict[str, Any]:
        """All that the computation may depend on."""
        return {"study": self.study, "parameters": self.parameters, "digest": self.digest}


@dataclass(frozen=True, slots=True)
class Product:
    """A figure, table, ledger or set of values, and all that determines it.

    `stage` is the rule and script that makes it; `pending` says what it still lacks, in which case
    it is built by name only.
    """

    paper: str
    id: str
    stage: str
    content: Mapping[str, Any]
    series: Mapping[str, Series]
    code: str
    suffixes: tuple[str, ...]
    pending: str = ""

    @property
    def fingerprint(self) -> str:
        upstream = [s.digest for _, s in sorted(self.series.items())]
        return digest(canonical(self.content), self.code, *upstream, *self.suffixes)

    @property
    def spec_file(self) -> str:
        return f"results/specs/{self.paper}/{self.id}.{self.fingerprint}.json"

    @property
    def mark(self) -> str:
        """The file whose presence says that the product as it now stands was made from `spec`."""
        return f"results/made/{self.paper}/{self.id}.{self.fingerprint}"

    @property
    def targets(self) -> list[str]:
        """What must be there and up to date: a file that nothing asks for may be missing."""
        return [*self.files, self.mark]

    @property
    def spec(self) -> dict[str, Any]:
        """All that the product may depend on, series by file."""
        series = {name: {**s.spec, "file": s.file} for name, s in self.series.items()}
        head = {"paper": self.paper, "id": self.id, "stage": self.stage}
        tail = {"fingerprint": self.fingerprint, "code": self.code}
        return {**head, **self.content, "series": series, **tail}

    @property
    def files(self) -> list[str]:
        """What a reader takes away, and the sidecar that says how it was made."""
        return [f"figures/{self.paper}/{self.id}.{suffix}" for suffix in (*self.suffixes, "json")]


@dataclass(frozen=True, slots=True)
class Gallery:
    """The pages over all products, those that lack something included."""

    products: tuple[Product, ...]
    code: str

    @property
    def entries(self) -> list[dict[str, str]]:
        """All that the pages are made from: specs bear fingerprints in their names."""
        return [
            {
                "paper": p.paper,
                "id": p.id,
                "stage": p.stage,
                "spec": p.spec_file,
                "pending": p.pending,
            }
            for p in self.products
        ]

    @property
    def fingerprint(self) -> str:
        return digest(canonical(self.entries), self.code)

    @property
    def spec_file(self) -> str:
        return f"results/specs/gallery.{self.fingerprint}.json"

    @property
    def mark(self) -> str:
        return f"results/made/gallery.{self.fingerprint}"

    @property
    def spec(self) -> dict[str, Any]:
        return {"products": self.entries, "fingerprint": self.fingerprint}
