"""Features in doubles and exactly, the gate that reads them, and what ledgers charge."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.recipes.metrics import MissingEvidenceError
from sealtrace.studies.policies.checks.access import gate_requests
from sealtrace.studies.policies.evidence.bank import ObservedFeature
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.policy_metrics import charged
from sealtrace.studies.policies.records.protocol import Feature
from support import FIXTURE, read_rows

OBSERVATIONS = [
    row for split in ("calibration", "held-out") for row in read_rows(FIXTURE / f"declare/observation.{split}.jsonl")
]
FIRST = {"form": "first-lookup", "field": "board", "table": {row["board"][0]: "0.3" for row in OBSERVATIONS}}
RULES: dict[str, dict[str, Any]] = {
    "lookup": {"form": "lookup", "field": "position", "table": {row["position"]: "1/3" for row in OBSERVATIONS}},
    "first-lookup": FIRST,
    "capped-length": {"form": "capped-length", "field": "board", "cap": "7"},
    "capped-ratio": {"form": "capped-ratio", "field": "pot", "cap": "1.7"},
    "number": {"form": "number", "field": "pot"},
}


@pytest.fixture
def study() -> Study:
    """The shipped fixture, whose protocol a test may change."""
    return Evidence(read_bundle(FIXTURE)).view(Study)


@pytest.mark.parametrize("form", RULES)
def test_a_feature_is_the_same_in_doubles_and_exactly(study: Study, form: str) -> None:
    """A decision near a threshold asks for the exact value of what the column holds."""
    feature, frame = ObservedFeature(Feature(**RULES[form])), study.frame("observation")
    assert feature.fits(frame.table.schema)
    values = feature.of_each(frame)
    exactly = [feature.of_one(frame, row) for row in range(frame.size)]
    assert np.allclose(values, [float(value) for value in exactly], rtol=1e-15, atol=0)
    assert all(isinstance(value, Fraction) for value in exactly)


@pytest.mark.parametrize(
    ("form", "changed"),
    [
        ("lookup", {"field": "board"}),
        ("first-lookup", {"field": "position"}),
        ("first-lookup", {"table": {}}),
        ("capped-ratio", {"cap": "0"}),
        ("capped-length", {"field": "pot"}),
        ("number", {"field": "state"}),
    ],
)
def test_a_field_that_does_not_fit_gives_nothing(study: Study, form: str, changed: dict[str, Any]) -> None:
    """A rule that its field cannot follow is no number anywhere, and no error."""
    rule = Feature(**{**RULES[form], **changed})
    assert np.isnan(ObservedFeature(rule).of_each(study.frame("observation"))).all()


@pytest.mark.parametrize(("distance", "asks"), [("1e-10", False), ("0", True), ("-1e-10", True)])
@pytest.mark.parametrize("entropy", ["0", "1/1000000000000000000000000000000"])
def test_a_near_gate_score_of_a_first_lookup_is_decided(study: Study, distance: str, asks: bool, entropy: str) -> None:
    """Within 1e-9 of the threshold the exact feature decides; it is a list's first item."""
    study.evidence.protocol["features"]["first"] = FIRST
    threshold = Fraction("0.3") + Fraction(distance)
    study.evidence.protocol["query"] |= {"entropy": entropy, "terms": {"first": "1"}, "threshold": str(threshold)}
    score, requested, decided = gate_requests(study, "query")
    assert np.abs(score - 0.3).max() < 1e-9
    assert decided.all()
    assert (requested == asks).all()


def test_a_ledger_sums_declared_decimals(study: Study) -> None:
    """A thousand times 0.1 is a hundred: the decimal was declared, and the double only stands for it."""
    rows = np.flatnonzero(study.joined.candidate == 0)
    charges = study.evidence.protocol["charges"]
    ledgers = [ledger for row in rows.tolist() for ledger in study.frame("trace").column("ledger")[row].as_py()]
    for quantity in ("tokens", "latency_ms", "tool_calls"):
        due = sum((Fraction(charges[event["event"]][quantity]) for event in ledgers), Fraction(0))
        assert charged(study, quantity, rows) == due
        assert charged(study, quantity, rows[::-1]) == due
    assert charged(study, "latency_ms", rows[:0]) == 0


def test_a_charge_that_was_not_declared_counts_as_stored(study: Study) -> None:
    """What a ledger holds is what was charged, also where the protocol says otherwise."""
    rows = np.arange(study.frame("trace").size)
    for charge in study.evidence.protocol["charges"].values():
        charge["latency_ms"] = "123456"
    stored = [event["latency_ms"] for ledger in study.frame("trace").column("ledger").to_pylist() for event in ledger]
    assert charged(study, "latency_ms", rows) == sum(map(Fraction, stored), Fraction(0))


def test_a_charge_that_is_left_out_makes_the_sum_missing(study: Study) -> None:
    """Absent is not zero; a protocol may declare costs that can be absent."""
    frame = study.frame("trace")
    ledgers = frame.column("ledger").to_pylist()
    ledgers[0][0]["latency_ms"] = None
    frame.replace_column("ledger", pa.array(ledgers, frame.column("ledger").type))
    with pytest.raises(MissingEvidenceError, match="a ledger leaves out its latency_ms"):
        charged(study, "latency_ms", np.arange(frame.size))
    assert charged(study, "latency_ms", np.arange(1, frame.size)) > 0
