"""Choices that doubles cannot make: equal to the last digit is not equal."""

from __future__ import annotations

import math
from pathlib import Path

from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.studies.policies.evidence.calibration import Calibration, declared_setting
from sealtrace.studies.policies.evidence.choice import choose, selector_named
from sealtrace.studies.policies.evidence.outcomes import states_of, twin
from sealtrace.studies.policies.evidence.partitions import frozen_partitions
from sealtrace.studies.policies.evidence.study import Study
from studies.certified_study import Parts, certified_study


def _same_but_for_one_bit(parts: Parts) -> None:
    """`meek` at every scale is `bold`, and one probability of one calibration state is a bit larger at scale 1."""
    rows = parts["trace"]["calibration"]
    bold = {(row["state"], row["scale"]): row["probabilities"] for row in rows if row["arm"] == "bold"}
    for row in rows:
        if row["arm"] == "meek":
            row["probabilities"] = dict(bold[row["state"], row["scale"]])
    last = next(row for row in rows if row["arm"] == "meek" and row["scale"] == "1")
    last["probabilities"]["move"] = math.nextafter(last["probabilities"]["move"], 1.0)


def test_one_bit_decides(tmp_path: Path) -> None:
    """The larger mean wins, however little it is larger than that of the earlier family."""
    study = Evidence(read_bundle(certified_study(tmp_path / "bundle", _same_but_for_one_bit))).view(Study)
    places = {study.candidates[one].name: one for one in study.bank.competing()}
    assert twin(study, places["meek@1"]) != twin(study, places["bold@1"])
    calibration = Calibration(
        study, declared_setting(study), frozen_partitions(study.states)["global"], states_of(study, "calibration")
    )
    rows = [calibration.candidates.index(places[name]) for name in ("bold@1", "meek@1")]
    means = [calibration.exact_mean(row, 0) for row in rows]
    assert 0 < means[1] - means[0] < 1e-15
    setting = declared_setting(study)
    selector = selector_named(study, "mean-strong").model_copy(update={"limit": "100"})
    chosen = choose(study, selector, setting, calibration.states)
    assert [study.candidates[one].name for one in chosen.assigned if one is not None] == ["meek@1"]
