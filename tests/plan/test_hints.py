"""What is suggested for an unknown or missing key exists where it is suggested, and is meant."""

from __future__ import annotations

import re

import pytest

from atlas.config.errors import RENAMED, suggest
from atlas.config.kinds import kinds, module
from atlas.config.series import complete_series
from atlas.config.validate import check, schema_of
from atlas.models.networks import NetworkBlock, QueueBlock
from atlas.models.workloads import GeneratedBlock

MODELS = {kind: module("studies", kind).Parameters for kind in kinds("studies")}
MODELS |= {f"drawing {kind}": module("drawings", kind).Options for kind in kinds("drawings")}
KEYS = {kind: set(schema_of(model).get("properties", {})) for kind, model in MODELS.items()}
EVERY = sorted(set().union(*KEYS.values()))
# What may be suggested for a key of others: another form of it, or a word that replaces it.
STEMS = re.compile("need|job|load|probabilit|label|larg|size|state|system|network|class|fraction")
# Keys of one study each that are as alike as misspellings.
ALIKE = {"target": "largest", "largest": "target", "room": "zoom", "zoom": "room"}


@pytest.mark.parametrize("kind", MODELS)
def test_a_key_of_others_is_taken_for_no_misspelling_of_another_word(kind):
    for key in (key for key in EVERY if key not in KEYS[kind]):
        if hint := suggest(key, KEYS[kind]):
            (known,) = re.findall("'(.+)'", hint)
            stem = STEMS.search(key)
            alike = stem and stem[0] in known
            assert alike or known in RENAMED.get(key, {}) or ALIKE[key] == known, (key, hint)


@pytest.mark.parametrize("typed", ["servrs", "sevrers", "server", "Servers"])
def test_a_misspelt_key_is_recognised(typed):
    faults = complete_series({"study": "wastage-by-need", typed: 7}, ())[2]
    assert [f.hint for f in faults if f.path == (typed,)] == ["did you mean 'servers'?"]


def test_what_replaces_a_key_of_others_is_told():
    faults = complete_series({"study": "response-time", "durations": [1]}, ())[2]
    assert [f.hint for f in faults if f.path == ("durations",)] == [
        "1/duration of exponentials (policies-by-load takes others) is called 'rates'"
    ]


def test_a_missing_key_is_not_said_to_be_called_what_was_written_in_its_place():
    """For a missing `load` it was told that λ/λ* is called `fraction_of_limit`, which was there."""
    given = {"study": "time-tail", "fraction_of_limit": 0.5}
    _, _, faults = complete_series(given, ())
    assert [f.hint for f in faults if f.found == "no key 'load'"] == [""]


def test_a_key_that_has_its_own_meaning_is_not_taken_for_a_missing_one():
    given = {"jobs": 9, "needs": [1], "probabilities": [1], "median": 1, "spread": 0}
    _, faults = check(GeneratedBlock, given | {"correlation": 0, "needs": [1]}, ())
    assert [fault.hint for fault in faults if "'seed'" in fault.found] == [""]


@pytest.mark.parametrize(
    ("model", "required", "written"),
    [(GeneratedBlock, "seed", "sed"), (MODELS["response-time"], "rates", "durations")],
)
def test_a_required_key_by_another_name_is_one_fault(model, required, written):
    _, faults = check(model, {written: 1}, ())
    assert [f"'{required}'" in fault.hint for fault in faults if fault.path == (written,)] == [True]
    assert f"no key '{required}'" not in {fault.found for fault in faults}
    # A key with another meaning is no fault, so that the missing one is told.
    _, faults = check(model, {written: 1}, (), beside=[written])
    assert f"no key '{required}'" in {fault.found for fault in faults}


@pytest.mark.parametrize("word", ["station", "stations"])
def test_a_word_of_the_library_leads_to_that_of_config(word):
    block = {"arrivals": [0.1], "routing": [[0]], word: [{"speeds": [1]}]}
    _, faults = check(NetworkBlock, block, ())
    assert [fault.hint for fault in faults if fault.path == (word,)] == [
        "the list of stations is called 'queues'"
    ]


def test_the_servers_of_a_class_have_another_name_in_a_network():
    queue = {"capacities": [1], "compatible": [[1]]}
    _, faults = check(QueueBlock, queue, ())
    hints = [fault.hint for fault in faults if fault.path == ("compatible",)]
    assert hints == [
        "in a network or cluster, the list of the servers of each class is called 'servers'"
    ]
