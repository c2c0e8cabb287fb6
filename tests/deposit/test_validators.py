"""An archive passes the RO-Crate validator: only recommendations fail, and each is explained."""

from __future__ import annotations

import json
import socket

import pytest
from tests.deposit.validators import PROFILES, read_explained, validate

pytestmark = pytest.mark.slow

# What each profile recommends and an archive of one paper with authors does not follow.
FAILING = {
    "ro-crate-1.3": {
        *("ro-crate-1.2_56.1", "ro-crate-1.2_80.2", "ro-crate-1.2_80.3", "ro-crate-1.2_86.2"),
        *("ro-crate-1.2_89.0", "ro-crate-1.2_90.1", "ro-crate-1.2_91.0", "ro-crate-1.2_93.0"),
        "ro-crate-1.3_8.2",
    },
    "workflow-run-crate-0.5": {
        *("process-run-crate-0.5_3.2", "process-run-crate-0.5_5.1", "process-run-crate-0.5_8.6"),
        *("ro-crate-1.1_22.3", "ro-crate-1.1_30.2", "ro-crate-1.1_30.3", "ro-crate-1.1_31.2"),
        "workflow-ro-crate-1.0_7.1",
    },
}


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*arguments):
        raise AssertionError(f"a connection: {arguments}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_required_fails_and_what_is_recommended_is_explained(packed, tmp_path, profile):
    required, recommended = validate(packed, profile, tmp_path / "cache")
    assert required == []
    failing = {issue.partition(":")[0] for issue in recommended}
    assert failing == FAILING[profile], "\n".join(recommended)
    assert failing <= read_explained()


def test_every_explanation_is_of_a_check_that_fails():
    assert read_explained() == set.union(*FAILING.values())


def test_the_validator_finds_what_is_wrong(unpacked, tmp_path):
    """Without the licence that a workflow's crate must have."""
    file = unpacked / "ro-crate-metadata.json"
    content = json.loads(file.read_text("utf-8"))
    (root,) = (entity for entity in content["@graph"] if entity["@id"] == "./")
    del root["license"]
    file.write_text(json.dumps(content), "utf-8")
    required, _ = validate(unpacked, PROFILES[-1], tmp_path / "cache", "REQUIRED")
    assert required
    assert all("licen" in issue for issue in required)
