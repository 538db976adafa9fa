"""Metrics against plain loops over the records."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.examination import Examination
from sealtrace.recipes.arguments import filled_arguments
from sealtrace.recipes.entities import EntityNames
from sealtrace.recipes.forms import FORMS
from sealtrace.recipes.metrics import (
    MissingEvidenceError,
    RecipeError,
    Value,
    all_metrics,
    compute,
    metric_of,
    unless_fixed,
)
from sealtrace.studies.policies.evidence.study import Study
from support import FIXTURE, ROOT, read_rows

SCORES = [
    *read_rows(FIXTURE / "calibrate/score.calibration.jsonl"),
    *read_rows(FIXTURE / "report/score.held-out.jsonl"),
]


@pytest.fixture(scope="module")
def study() -> Study:
    """The shipped fixture."""
    return Evidence(read_bundle(FIXTURE)).view(Study)


def reported(name: str, arm: str, scale: str | None = None, split: str | None = None) -> list[float]:
    """What the score records say, by state: metrics never read them."""
    rows = [
        row
        for row in SCORES
        if row["arm"] == arm and row.get("scale") == scale and (split is None or row["split"] == split)
    ]
    return [row[name] for row in sorted(rows, key=lambda row: str(row["state"]))]


@pytest.mark.parametrize(("metric", "name"), [("weak_ev", "weak"), ("strong_ev", "strong"), ("strong_delta", "delta")])
@pytest.mark.parametrize("population", ["all", "calibration", "held-out"])
def test_means(study: Study, metric: str, name: str, population: str) -> None:
    """Means over a population."""
    values = reported(name, "residual", "0.08", None if population == "all" else population)
    found = compute(study.evidence, metric, {"policy": "residual@0.080", "population": population}).numbers
    assert float(found[0]) == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


def test_a_difference_draws_the_same_rows_for_both_arms(study: Study) -> None:
    """One set of draws per replicate, whichever arm; independent draws would be wider."""
    first, second = reported("weak", "residual", "0.08"), reported("weak", "anchor")
    generator = random.Random(13 + 10 * 2)
    means = []
    for _ in range(4000):
        chosen = [generator.randrange(24) for _ in range(24)]
        means.append(sum(first[place] - second[place] for place in chosen) / 24)
    means.sort()
    arguments = {"policy": "residual@0.08", "base": "anchor", "schedule": "full-fixture"}
    found = [float(number) for number in compute(study.evidence, "difference_interval", arguments).numbers]
    assert found == pytest.approx([means[99], means[3899]], abs=1e-12)


def test_counts_and_rates(study: Study) -> None:
    """Numerator and denominator, and their ratio."""
    arguments = {"policy": "residual@0.16", "population": "calibration"}
    assert compute(study.evidence, "crossings", arguments).numbers == (Fraction(5), Fraction(12))
    assert compute(study.evidence, "crossing_rate", arguments).numbers == (Fraction(5, 12),)


def test_top_action_imitation_agrees_with_the_teacher_everywhere(study: Study) -> None:
    """Perfect action agreement, as the paper says."""
    assert compute(study.evidence, "action_agreement", {"policy": "top-1"}).numbers == (Fraction(1),)


@pytest.mark.parametrize(
    ("metric", "arguments"),
    [
        ("nope", {}),
        ("weak_ev", {}),
        ("weak_ev", {"policy": "nobody"}),
        ("weak_ev", {"policy": "residual@0.07"}),
        ("weak_ev", {"policy": "residual@x"}),
        ("weak_ev", {"policy": "anchor", "population": "moon"}),
        ("weak_ev", {"policy": "anchor", "colour": "red"}),
        ("probability", {"policy": "anchor", "state": "0000", "action": "shout"}),
        ("probability", {"policy": "anchor", "state": "9999", "action": "fold"}),
        ("constant", {"path": "/nowhere"}),
        ("constant", {"path": "/actions/0"}),
        ("scale", {"policy": "anchor"}),
        ("observation", {"state": "0000", "field": "hero"}),
        ("delta_interval", {"policy": "anchor", "schedule": "nope"}),
        ("selected_scale", {"selector": "nope"}),
        ("teacher_kl", {"policy": "anchor", "clip": "1e9999"}),
    ],
)
def test_what_cannot_be_asked_for(study: Study, metric: str, arguments: dict[str, str]) -> None:
    """Each is a sentence, not a crash."""
    with pytest.raises((RecipeError, MissingEvidenceError), match=r"."):
        compute(study.evidence, metric, arguments)


def test_every_metric_says_what_it_is() -> None:
    """Formula and source stand in the list and in every explanation."""
    assert all(metric.formula and metric.source for metric in all_metrics())


@pytest.mark.parametrize("study", ["rsd-fixture", "leduc", "behaviour"])
def test_no_metric_of_a_pack_gives_the_same_whatever_the_records_hold(study: str) -> None:
    """With every kind of record altered or emptied in turn, a value is another one, or is refused."""
    examination = Examination(read_bundle(ROOT / "bundles" / study / "bundle"), frozenset())
    evidence = examination.evidence
    frames = [evidence.frame(kind) for kind in {store.kind for store in evidence.bundle.stores}]
    altered = [
        evidence.with_frames({one.kind: one.altered(FORMS[form](one.table, one.key_fields))})
        for one in frames
        for form in ("with other numbers", "without every third row", "no row")
    ]
    tried: set[str] = set()
    for cell in examination.printed.cells:
        metric = metric_of(cell.followed.get("metric"), cell.said)
        # A constant is of the protocol: whether anything uses it is asked elsewhere.
        if metric is None or metric.name in tried | {"constant"}:
            continue
        tried.add(metric.name)
        arguments = filled_arguments(cell, metric, EntityNames({}))
        value = compute(evidence, metric.name, arguments)
        assert any(moves(other, value, metric.name, arguments) for other in altered), metric.name
    assert tried


def moves(evidence: Evidence, value: Value, metric: str, arguments: dict[str, str]) -> bool:
    """Whether other records give another value, or none."""
    try:
        other = compute(evidence, metric, arguments)
    except (RecipeError, MissingEvidenceError):
        return True
    return (other.numbers, other.text) != (value.numbers, value.text)


def test_a_difference_from_itself_proves_nothing() -> None:
    """It is zero whatever the records hold."""
    examination = Examination(read_bundle(FIXTURE), frozenset())
    policy = {"policy": "residual@0.08", "base": "residual@0.080"}
    value = unless_fixed(examination.evidence, "weak_gain", policy)
    assert value.numbers == (Fraction(0),)
    assert value.fixed == "a difference of something from itself"
    assert unless_fixed(examination.evidence, "weak_gain", policy | {"base": "anchor"}).fixed is None


def test_what_is_so_by_definition_proves_nothing() -> None:
    """The anchor differs from itself by nothing; that nobody was asked is what the traces say, and not always so."""
    evidence = Examination(read_bundle(FIXTURE), frozenset()).evidence
    assert unless_fixed(evidence, "strong_delta", {"policy": "anchor"}).fixed is not None
    for metric in ("query_rate", "tool_calls", "teacher_regret"):
        value = unless_fixed(evidence, metric, {"policy": "top-1"})
        assert (value.numbers, value.fixed) == ((Fraction(0),), None)
