"""The validator of RO-Crates, without a network.

The validator would fetch the context of RO-Crate 1.3 from the web. The context is put into its
cache from the package `rocrate`, and in offline mode it loads nothing else. Of each entity it asks
the same queries: they are parsed once here, which else takes six sevenths of the time.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.processor import SPARQLProcessor
from requests_cache import CachedRequest, CachedResponse
from rocrate.vocabs import RO_CRATE

CONTEXT = "https://w3id.org/ro/crate/1.3/context"
# The base profile; and that of Workflow Runs, which includes those of Processes, of Workflows and
# RO-Crate 1.1.
PROFILES = ("ro-crate-1.3", "workflow-run-crate-0.5")
DOCUMENTED = Path(__file__).resolve().parents[2] / "docs/outputs.md"


def validate(
    crate: Path, profile: str, cache: Path, severity: str = "RECOMMENDED"
) -> tuple[list[str], list[str]]:
    """Required and recommended checks that fail, with their messages; `crate` is a folder or an
    archive, `cache` a file that may be written. With `severity` REQUIRED no others are made."""
    from rocrate_validator import services
    from rocrate_validator.models import Severity
    from rocrate_validator.utils.http import HttpRequester

    told = CachedRequest(method="GET", url=CONTEXT, headers={})
    kind = {"Content-Type": "application/ld+json"}
    answer = CachedResponse(status_code=200, url=CONTEXT, headers=kind, request=told)
    answer._content = json.dumps(RO_CRATE).encode()
    http = HttpRequester.initialize_cache(cache_path=str(cache), offline=True)
    http.session.cache.save_response(answer)
    settings = {
        **{"rocrate_uri": str(crate), "profile_identifier": profile, "offline": True},
        **{"cache_path": str(cache), "requirement_severity": Severity[severity]},
    }
    with patch.object(SPARQLProcessor, "query", _ask):
        issues = services.validate(settings).issues
    failed = {s: [_tell(i) for i in issues if i.severity == s] for s in Severity}
    return failed[Severity.REQUIRED], failed[Severity.RECOMMENDED]


_GENUINE = SPARQLProcessor.query
_PREPARED: dict[tuple, Any] = {}


def _ask(self, text: str, bindings: Any = None, names: Any = None, base: Any = None, *more: Any):
    key = (text, base, *sorted((names or {}).items()))
    if key not in _PREPARED:
        _PREPARED[key] = prepareQuery(text, names, base)
    return _GENUINE(self, _PREPARED[key], bindings, names, base, *more)


def _tell(issue) -> str:
    return f"{issue.check.identifier}: {issue.message} ({issue.violatingEntity})"


def read_explained() -> set[str]:
    """The recommended checks that the documentation says why we fail."""
    return set(re.findall(r"^\| `([a-z-]+-[\d.]+_[\d.]+)` \|", DOCUMENTED.read_text("utf-8"), re.M))
