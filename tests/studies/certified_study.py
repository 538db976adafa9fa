"""A tiny study that certifies: two actions, two families of tilts, two groups by size of pot, a selector of every rule.

Forty calibration states are few, so its budgets are wide.
"""

from __future__ import annotations

import copy
import math
import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from rsd_fixture import policies
from rsd_fixture.study import State
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows
from sealtrace.evidence.calibration import Calibration
from sealtrace.evidence.deployment import chosen_by
from sealtrace.evidence.outcomes import states_of
from sealtrace.evidence.partitions import frozen_partitions
from sealtrace.evidence.settings import declared_setting
from sealtrace.evidence.study import Study

Parts = dict[str, Any]
"""`protocol`; `observation`, `teacher`, `trace`, `values` and `score`, each split to rows; the rows of `candidate` and
`certificate`; `partition`, `map` and `selection`, each name to document."""

ACTIONS = ["stay", "move"]
SPLITS = {"calibration": 40, "held-out": 24}
DIRECTIONS = {
    "bold": {"stay": {"constant": "0"}, "move": {"constant": "1"}},
    "meek": {"stay": {"constant": "0"}, "move": {"constant": "0.4", "terms": {"pot_pressure": "-1"}}},
}
SCALES = ["0", "1/2", "1"]
TRACED = {"calibration": ("trace", "calibrate"), "held-out": ("replay", "report")}
"""Split to the stages that seal its traces, and its values and scores."""
INPUTS = {
    "anchor": ["legal", "teacher.distribution"],
    "bold": ["legal", "teacher.distribution"],
    "meek": ["legal", "pot", "teacher.distribution"],
}


def certified_study(directory: Path, change: Callable[[Parts], None] | None = None) -> Path:
    """Writes and seals the study in `directory`; `change` may spoil its parts first.

    Scores name the traces as they are written, so that only what was spoilt tells. Records that their schema
    refuses are sealed all the same.
    """
    parts = copy.deepcopy(_sound_parts())
    if change is not None:
        change(parts)
    _write(directory, parts)
    return directory


@cache
def _sound_parts() -> Parts:
    """The parts of the sound study: its certificates, maps and selections are those that the verifier computes."""
    parts = _evidence()
    with tempfile.TemporaryDirectory() as draft:
        _write(Path(draft), parts)
        study = Study(read_bundle(Path(draft)))
        for name in frozen_partitions(study):
            parts["certificate"].extend(_certificates(study, name))
        for selector in parts["protocol"]["selectors"]:
            parts["map"][selector["name"]] = _map(study, selector)
        parts["selection"]["empirical-zero"] = _selection(study)
    return parts


def _protocol() -> dict[str, Any]:
    observed = ["pot", "stack", "legal"]
    return {
        "study": "tiny-certified",
        "title": "Two actions, two groups, a selector of every rule",
        "anonymous": True,
        "expects": "verified",
        "actions": ACTIONS,
        "splits": [{"name": name, "role": name, "states": states} for name, states in SPLITS.items()],
        "tau": "0.05",
        "scale_grid": SCALES,
        "evaluators": {"utility": "weak", "risk": "strong"},
        "features": {"pot_pressure": {"field": "pot", "form": "capped-ratio", "cap": "10"}},
        "teacher": {"temperature": "2"},
        "anchor": {"teacher": "0.92", "uniform": "0.08"},
        "charges": {event: {"tokens": 1, "latency_ms": "0.1", "tool_calls": 0} for event in ("policy", "residual")},
        "interfaces": {"teacher-backed": [*observed, "teacher.distribution"], "teacher-free": observed},
        "selectors": [
            {"name": "anchor", "rule": "anchor", "partition": "global"},
            {"name": "fixed", "rule": "fixed", "arm": "bold", "scale": "1/2", "partition": "global"},
            {"name": "empirical-zero", "rule": "empirical-zero", "arm": "bold", "partition": "global"},
            {"name": "mean-strong", "rule": "mean-strong", "partition": "global", "limit": "0.01"},
            {"name": "kl-budget", "rule": "kl-budget", "partition": "global", "limit": "0.03", "clip": "1e-12"},
            {"name": "risk-only", "rule": "risk-only", "partition": "by pot"},
            {"name": "dual", "rule": "dual", "partition": "by pot"},
            {"name": "robust", "rule": "robust", "partition": "by pot"},
        ],
        "ties": {"action": "earliest-legal", "selection": "smaller-scale", "map": "lexicographic"},
        "tolerances": {"normalization": "1e-12", "replay": "1e-9"},
        "certification": {
            "epsilon_group": "0.4",
            "epsilon_global": "0.3",
            "zeta_risk": "0.05",
            "zeta_util": "0.05",
            "rho": "0.2",
            "utility_range": ["-2", "2"],
            "partition": "by pot",
            "certified_when": "every-group",
        },
    }


def _evidence() -> Parts:
    """Everything but what calibration computes."""
    protocol = _protocol()
    random = Random(11)
    states = [_state(random, number, split) for split, size in SPLITS.items() for number in range(size)]
    parts: Parts = {
        "protocol": protocol,
        "candidate": [_candidate("anchor", None), *(_candidate(arm, scale) for arm in DIRECTIONS for scale in SCALES)],
        "partition": {"global": _partition("global", [[]]), "by pot": _partition("by pot", [[True], [False]])},
        "certificate": [],
        "map": {},
        "selection": {},
        **{kind: {split: [] for split in SPLITS} for kind in ("observation", "teacher", "trace", "values", "score")},
    }
    for state in states:
        parts["observation"][state.split].append(state.observation)
        distribution = policies.teacher(protocol, state)
        parts["teacher"][state.split].append(
            {"state": state.id, "split": state.split, "values": state.teacher, "distribution": distribution}
        )
        parts["values"][state.split].extend(
            {"state": state.id, "evaluator": evaluator, "split": state.split, "values": getattr(state, evaluator)}
            for evaluator in ("strong", "weak")
        )
        traces = [_trace(protocol, one, state) for one in parts["candidate"]]
        parts["trace"][state.split].extend(traces)
        parts["score"][state.split].extend(_score(protocol, state, traces[0], trace) for trace in traces)
    return parts


def _state(random: Random, number: int, split: str) -> State:
    """Moving pays the weak evaluator; the strong one often minds it in large pots, and rarely in small ones."""
    pot = number % 2 * 5 + random.randint(1, 4)
    minds = random.random() < (0.22 if pot > 5 else 0.06)
    gain = round(random.uniform(0.2, 1.6), 2)
    return State(
        {
            "state": f"{split[0]}{number:03d}",
            "split": split,
            "legal": ACTIONS,
            "pot": pot,
            # No two states look the same, so that none stands in both splits.
            "stack": (100 if split == "calibration" else 200) + number,
        },
        {"stay": 0.0, "move": round(random.uniform(-1, 1), 2)},
        {"stay": 0.0, "move": gain},
        {"stay": 0.0, "move": -gain if minds else gain},
    )


def _candidate(arm: str, scale: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "arm": arm,
        "policy": "anchor" if scale is None else "tilt",
        "interface": "teacher-backed",
        "serializer": ACTIONS,
        "normalization": "none" if scale is None else "shifted-exponential",
    }
    if scale is not None:
        index = list(DIRECTIONS).index(arm)
        row |= {"scale": scale, "family": arm, "family_index": index, "direction": DIRECTIONS[arm]}
    return row


def _partition(name: str, sides: list[list[bool]]) -> dict[str, Any]:
    """Groups by whether the pot is small; equal shares."""
    names = ["all"] if len(sides) == 1 else ["small", "large"]
    weight = f"1/{len(DIRECTIONS) * len(SCALES) * len(sides)}"
    return {
        "name": name,
        "leaves": [
            {
                "group": group,
                "conditions": [{"feature": "pot_pressure", "threshold": "0.5", "below": below} for below in side],
            }
            for group, side in zip(names, sides, strict=True)
        ],
        "allocations": [
            {"arm": arm, "scale": scale, "group": group, "risk": weight, "utility": weight}
            for arm in DIRECTIONS
            for scale in SCALES
            for group in names
        ],
    }


def _trace(protocol: dict[str, Any], candidate: dict[str, Any], state: State) -> dict[str, Any]:
    row: dict[str, Any] = {"state": state.id, "arm": candidate["arm"], "split": state.split, "legal": ACTIONS}
    if "scale" in candidate:
        row["scale"] = candidate["scale"]
        row["probabilities"] = policies.tilt(protocol, candidate["direction"], candidate["scale"], state)
    else:
        row["probabilities"] = policies.anchor(protocol, state)
    return row | {
        "group": "small" if state.observation["pot"] < 5 else "large",
        "action": policies.top_action(row["probabilities"], state),
        "inputs": INPUTS[candidate["arm"]],
        "ledger": [
            {"event": "residual" if "scale" in row else "policy", "tokens": 1, "latency_ms": 0.1, "tool_calls": 0}
        ],
    }


def _score(protocol: dict[str, Any], state: State, anchor: dict[str, Any], trace: dict[str, Any]) -> dict[str, Any]:
    def expected(values: dict[str, float], of: dict[str, Any]) -> float:
        return math.fsum(of["probabilities"][action] * values[action] for action in ACTIONS)

    strong = expected(state.strong, trace)
    delta = strong - expected(state.strong, anchor)
    return {name: trace[name] for name in ("state", "arm", "scale", "split") if name in trace} | {
        "weak": expected(state.weak, trace),
        "strong": strong,
        "delta": delta,
        "crossing": Fraction(delta) < -Fraction(protocol["tau"]),
    }


def _certificates(study: Study, name: str) -> list[dict[str, Any]]:
    calibration = Calibration(
        study, declared_setting(study), frozen_partitions(study)[name], states_of(study, "calibration")
    )
    return [
        {
            "partition": name,
            "group": group,
            "arm": study.candidates[candidate].arm,
            "scale": study.candidates[candidate].scale,
            "states": int(calibration.counts[place]),
            "crossings": int(calibration.crossings[row, place]),
            "risk_upper": float(calibration.upper[row, place]),
            "utility_mean": float(calibration.normalized[row, place]),
            "utility_lower": float(calibration.lower[row, place]),
            "certified": bool(calibration.certified[row, place]),
        }
        for row, candidate in enumerate(calibration.candidates)
        for place, group in enumerate(calibration.partition.groups)
    ]


_UNSEEN = {"split": "held-out", "status": "not-joined"}


def _map(study: Study, selector: dict[str, Any]) -> dict[str, Any]:
    chosen = chosen_by(study, selector["name"], declared_setting(study))
    assignments = []
    for group, candidate, fell_back in zip(chosen.partition.groups, chosen.assigned, chosen.fell_back, strict=True):
        assigned: dict[str, Any] = {
            "group": group,
            "outcome": "no-certified-candidate" if fell_back else "selected",
            "arm": "anchor" if candidate is None else study.candidates[candidate].arm,
        }
        if candidate is not None:
            assigned["scale"] = study.candidates[candidate].scale
        assignments.append(assigned)
    record: dict[str, Any] = {
        "selector": selector["name"],
        "partition": selector["partition"],
        "split": "calibration",
        "assignments": assignments,
        "held_out": _UNSEEN,
    }
    if "risk" in chosen.certifies:
        record["risk_upper"] = chosen.risk_upper()
    if "utility" in chosen.certifies:
        record["utility_lower"] = chosen.utility_lower()
    return record


def _selection(study: Study) -> dict[str, Any]:
    calibration = chosen_by(study, "empirical-zero", declared_setting(study)).calibration
    counts = {
        study.candidates[candidate].scale: int(calibration.crossings[row, 0])
        for row, candidate in enumerate(calibration.candidates)
        if study.candidates[candidate].arm == "bold"
    }
    clean = [scale for scale in SCALES if counts[scale] == 0]
    return {
        "selector": "empirical-zero",
        "split": "calibration",
        "grid": SCALES,
        "tau": study.protocol["tau"],
        "counts": [{"scale": scale, "crossings": counts[scale], "states": SPLITS["calibration"]} for scale in SCALES],
        "certified": clean,
        "outcome": "selected",
        "choice": clean[-1],
        "held_out": _UNSEEN,
    }


def _write(directory: Path, parts: Parts) -> None:
    """Each record at its stage; what is empty is left out."""
    write_document(directory / "declare/protocol.json", parts["protocol"])
    _rows(directory, "bank", "candidate", "", parts["candidate"])
    for name, document in parts["partition"].items():
        write_document(directory / f"structure/partition.{name.replace(' ', '-')}.json", document)
    for split, (traced, scored) in TRACED.items():
        _rows(directory, "declare", "observation", split, parts["observation"][split])
        _rows(directory, "bank", "teacher", split, parts["teacher"][split])
        digest = _rows(directory, traced, "trace", split, parts["trace"][split])
        _rows(directory, scored, "values", split, parts["values"][split])
        scores = [{**row, "trace_sha256": row.get("trace_sha256", digest)} for row in parts["score"][split]]
        _rows(directory, scored, "score", split, scores)
    _rows(directory, "calibrate", "certificate", "", parts["certificate"])
    for kind in ("map", "selection"):
        for name, document in parts[kind].items():
            write_document(directory / f"select/{kind}.{name}.json", document)
    seal(directory, empty={"all": "The tiny study has nothing here."}, lenient=True)


def _rows(directory: Path, stage: str, kind: str, split: str, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    name = f"{kind}.{split}.jsonl" if split else f"{kind}.jsonl"
    return write_rows(directory / stage / name, kind, rows)
