"""One named way to break the tiny certified study for every check that the fixture does not exercise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sealtrace.studies.policies.mathematics.partitions.exact import objective
from studies.certified_study import SPLITS, Parts, certified_study

Change = Callable[[Parts], None]

BY_POT = "structure/partition.by-pot.json"
LEARNED = "structure/partition.learned.json"
CERTIFICATES = "calibrate/certificate.jsonl"
DUAL = "select/map.dual.json"
TRACES = "trace/trace.calibration.jsonl"


@dataclass(frozen=True)
class CertifiedMutation:
    """How to spoil the parts of the certified study, and what must be found."""

    check: str
    change: Change
    source: str
    pointer: str | None
    key: dict[str, str] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """Arguments of `verify`."""

    def broken(self, directory: Path) -> Path:
        """The spoilt study, sealed."""
        return certified_study(directory / "bundle", self.change)


CERTIFIED_MUTATIONS: dict[str, CertifiedMutation] = {}


def mutation(
    check: str, source: str, where: str | None, key: dict[str, str] | None = None
) -> Callable[[Change], Change]:
    """Registers a function as the mutation of a check."""

    def register(change: Change) -> Change:
        assert check not in CERTIFIED_MUTATIONS, f"{check} has a mutation already"
        CERTIFIED_MUTATIONS[check] = CertifiedMutation(check, change, source, where, key)
        return change

    return register


def certificate(parts: Parts, partition: str, group: str, arm: str, scale: str) -> dict[str, Any]:
    """One certificate."""
    wanted = {"partition": partition, "group": group, "arm": arm, "scale": scale}
    (row,) = [row for row in parts["certificate"] if wanted.items() <= row.items()]
    found: dict[str, Any] = row
    return found


def merged(parts: Parts) -> None:
    """Makes the learned partition one group, with the objective that one group reaches."""
    learned, declared = parts["partition"]["learned"], parts["protocol"]["partition_classes"]["aware"]
    scores = [row for row in parts["score"]["structure"] if "scale" in row]
    deltas = np.array([row["delta"] for row in scores]).reshape(SPLITS["structure"], -1)
    learned["leaves"] = [{"group": "g1", "conditions": []}]
    learned["objective"] = objective(
        np.zeros(len(deltas), np.int64), 1, deltas, Fraction(declared["lambda_cert"]), Fraction(declared["lambda_comp"])
    )
    learned["allocations"] = [
        {**one, "risk": "1/9", "utility": "1/9"} for one in learned["allocations"] if one["group"] == "g1"
    ]


# The bank


@mutation("bank.checkpoints", "bank/checkpoint.calm.json", None)
def other_weights(parts: Parts) -> None:
    parts["checkpoint"]["calm"]["residual"][1]["bias"][1] += 0.25


@mutation("split.rule", "declare/observation.structure.jsonl", "/split", {"state": "s000"})
def another_seed(parts: Parts) -> None:
    parts["protocol"]["assignment"]["seed"] += 1


# Replay


@mutation(
    "replay.student",
    TRACES,
    "/probabilities/stay",
    {"state": "s002", "arm": "free", "scale": "1", "split": "calibration"},
)
def teacher_free_trace_moved(parts: Parts) -> None:
    row = next(row for row in parts["trace"]["calibration"] if row["arm"] == "free")
    row["probabilities"] = {"stay": row["probabilities"]["stay"] - 1e-6, "move": row["probabilities"]["move"] + 1e-6}


@mutation("replay.residual", "trace/residual.calibration.jsonl", "/direction/move", {"family": "calm", "state": "s002"})
def other_direction(parts: Parts) -> None:
    parts["residual"]["calibration"][0]["direction"]["move"] += 1e-6


# Partitions


@mutation("partition.rule", BY_POT, "/leaves/0/conditions/0/feature", {"partition": "by pot", "group": "small"})
def undeclared_feature(parts: Parts) -> None:
    parts["partition"]["by pot"]["leaves"][0]["conditions"][0]["feature"] = "mood"


@mutation("partition.labels", TRACES, "/group", {"state": "s002", "arm": "anchor", "split": "calibration"})
def label_of_another_group(parts: Parts) -> None:
    row = parts["trace"]["calibration"][0]
    row["group"] = "large" if row["group"] == "small" else "small"


@mutation("partition.support", LEARNED, "/leaves/0", {"partition": "learned", "group": "g1"})
def more_support_demanded(parts: Parts) -> None:
    parts["protocol"]["partition_classes"]["aware"]["minimum_support"] = 20


@mutation("partition.class", LEARNED, "/leaves", {"partition": "learned"})
def threshold_withdrawn(parts: Parts) -> None:
    used = parts["partition"]["learned"]["leaves"][0]["conditions"][0]
    thresholds = parts["protocol"]["partition_classes"]["aware"]["thresholds"]
    left = [text for text in thresholds[used["feature"]] if Fraction(text) != Fraction(used["threshold"])]
    thresholds[used["feature"]] = left


@mutation("partition.objective", LEARNED, "/objective", {"partition": "learned"})
def better_objective(parts: Parts) -> None:
    parts["partition"]["learned"]["objective"] -= 1e-6


@mutation("partition.optimal", LEARNED, "/leaves", {"partition": "learned"})
def groups_merged(parts: Parts) -> None:
    merged(parts)
    # What the table prints is of two groups.
    parts["table"].clear()


@mutation("partition.allocations", BY_POT, "/allocations", {"partition": "by pot"})
def share_doubled(parts: Parts) -> None:
    parts["partition"]["by pot"]["allocations"][0]["risk"] = "1/9"


# Certificates


@mutation("certificate.complete", BY_POT, None, {"partition": "by pot", "group": "large", "candidate": "meek@1/2"})
def certificate_removed(parts: Parts) -> None:
    parts["certificate"].remove(certificate(parts, "by pot", "large", "meek", "1/2"))


_LARGE = {"partition": "by pot", "group": "large", "arm": "bold", "scale": "1"}


@mutation("certificate.counts", CERTIFICATES, "/crossings", _LARGE)
def crossing_forgotten(parts: Parts) -> None:
    certificate(parts, **_LARGE)["crossings"] -= 1


@mutation("certificate.risk", CERTIFICATES, "/risk_upper", _LARGE)
def lower_risk(parts: Parts) -> None:
    certificate(parts, **_LARGE)["risk_upper"] -= 1e-6


@mutation(
    "certificate.range",
    TRACES,
    "/probabilities",
    {"state": "s046", "arm": "bold", "scale": "1/2", "split": "calibration"},
)
def narrower_range(parts: Parts) -> None:
    parts["protocol"]["certification"]["utility_range"] = ["-1", "1"]


@mutation("certificate.utility", CERTIFICATES, "/utility_lower", _LARGE)
def higher_utility(parts: Parts) -> None:
    certificate(parts, **_LARGE)["utility_lower"] += 1e-6


@mutation("certificate.certified", CERTIFICATES, "/certified", _LARGE)
def called_certified(parts: Parts) -> None:
    certificate(parts, **_LARGE)["certified"] = True


# Maps


@mutation("map.selector", DUAL, "/partition", {"selector": "dual"})
def map_of_another_partition(parts: Parts) -> None:
    parts["map"]["dual"]["partition"] = "global"


@mutation("map.groups", DUAL, "/assignments", {"selector": "dual"})
def groups_in_another_order(parts: Parts) -> None:
    parts["map"]["dual"]["assignments"].reverse()


@mutation("map.certified", DUAL, "/assignments/1", {"selector": "dual", "group": "large"})
def uncertified_candidate(parts: Parts) -> None:
    parts["map"]["dual"]["assignments"][1] |= {"arm": "bold", "scale": "1"}


@mutation("map.choice", DUAL, "/assignments/0/arm", {"selector": "dual", "group": "small"})
def another_certified_candidate(parts: Parts) -> None:
    parts["map"]["dual"]["assignments"][0] |= {"arm": "meek", "scale": "1"}


@mutation("map.bounds", DUAL, "/utility_lower", {"selector": "dual"})
def higher_bound(parts: Parts) -> None:
    parts["map"]["dual"]["utility_lower"] += 1e-6


@mutation("map.held-out", DUAL, "/held_out/status", {"selector": "dual"})
def map_after_the_scores(parts: Parts) -> None:
    parts["map"]["dual"]["held_out"] = {"split": "held-out", "status": "joined"}
