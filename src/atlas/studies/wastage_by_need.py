"""The worst mix of a two-class system for every need n2 of class 2, from n1 + 1 to n."""

from __future__ import annotations

import pandas as pd

from atlas.fields.block import Block, require, requirement
from atlas.fields.vocabulary import Need, Servers, TwoRates
from atlas.models.feasibility import require_states
from atlas.models.sampling import Progress
from multiserver.saturated.peak import find_peak_wastage

UNITS = {
    "need2": "servers",
    "p2": "1",
    "load_share_2": "1",
    "wastage": "servers",
    "utilisation": "1",
    "utilisation_class_2_only": "1",
}

# Neighbouring needs have neighbouring peaks, so a coarse grid finds each peak.
POINTS = 501


class Parameters(Block):
    servers: Servers
    need_1: Need
    rates: TwoRates

    @requirement
    def _leaves_room(self) -> None:
        found = f"need {self.need_1} of {self.servers} servers"
        require(
            self.need_1 < self.servers, found, "a need that leaves room for a larger one", "need_1"
        )
        require_states(self.servers, self.need_1, POINTS * (self.servers - self.need_1))


def compute(parameters: Parameters, progress: Progress = iter) -> pd.DataFrame:
    """One row per need."""
    servers, need_1, rates = parameters.servers, parameters.need_1, parameters.rates
    rows = []
    for need_2 in progress(range(need_1 + 1, servers + 1)):
        peak = find_peak_wastage(servers, (need_1, need_2), rates, POINTS)
        rows.append(
            {
                "need2": need_2,
                "p2": peak.probability_2,
                "load_share_2": peak.load_share_2,
                "wastage": peak.wastage,
                "utilisation": peak.utilisation,
                "utilisation_class_2_only": 1 - servers % need_2 / servers,
            }
        )
    return pd.DataFrame(rows)
