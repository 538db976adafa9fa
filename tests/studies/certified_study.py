"""A tiny study that certifies: two actions, three families of tilts, groups by size of pot, a selector of every rule.

One family is learned, with its weights, its sealed directions and a teacher-free arm; one partition is learned on a
structure split; states are dealt by a declared rule; a table prints maps, repeated splits and measurements. Forty
calibration states are few, so its budgets are wide.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from rsd_fixture import policies
from rsd_fixture.study import State
from sealtrace.bundle.content import document_digest, table_digest
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.stores import read_rows
from sealtrace.bundle.writing import write_document
from sealtrace.evidence import Evidence
from sealtrace.mathematics import resampling
from sealtrace.recipes.metrics import Value, compute
from sealtrace.studies.policies import map_metrics  # noqa: F401 - imported for its registrations
from sealtrace.studies.policies.checks.partitions import structure_degradations
from sealtrace.studies.policies.evidence.calibration import Calibration, declared_setting
from sealtrace.studies.policies.evidence.deployment import chosen_by
from sealtrace.studies.policies.evidence.outcomes import states_of
from sealtrace.studies.policies.evidence.partitions import frozen_partitions
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics.partitions.rules import TreeClass
from sealtrace.studies.policies.mathematics.partitions.search import best_partition

Parts = dict[str, Any]
"""`protocol`; `observation`, `teacher`, `residual`, `trace`, `values` and `score`, each split to rows; the rows of
`candidate`, `certificate` and `measurement`; `checkpoint`, `partition`, `map`, `selection` and `table`, each name to
document."""

ACTIONS = ["stay", "move"]
SPLITS = {"calibration": 40, "held-out": 24, "structure": 24}
DIRECTIONS = {
    "bold": {"stay": {"constant": "0"}, "move": {"constant": "1"}},
    "meek": {"stay": {"constant": "0"}, "move": {"constant": "0.4", "terms": {"pot_pressure": "-1"}}},
}
CHECKPOINT: dict[str, Any] = {
    "family": "calm",
    "features": ["pot_pressure", "seat"],
    "actions": ACTIONS,
    "residual": [
        {"weights": [[0.5, -0.25], [0.125, 1.0]], "bias": [0.0, 0.25], "activation": "tanh"},
        {"weights": [[0.0, 0.25], [0.0, -0.125]], "bias": [0.0, -0.0625], "activation": "identity"},
    ],
    "base": [{"weights": [[0.0, 0.5], [0.25, 0.0]], "bias": [0.0, -0.125], "activation": "identity"}],
}
"""The weights of the learned family, which has a base policy of its own."""
ARMS = [*DIRECTIONS, "calm"]
"""The arms that compete, each a family."""
SCALES = ["0", "1/2", "1"]
FREE_SCALES = ["1"]
"""The scales of the teacher-free arm, which does not compete."""
TRACED = {"calibration": ("trace", "calibrate"), "held-out": ("replay", "report"), "structure": ("bank", "structure")}
"""Split to the stages that seal its traces and directions, and its values and scores."""
INPUTS = {
    "anchor": ["legal", "teacher.distribution"],
    "bold": ["legal", "teacher.distribution"],
    "meek": ["legal", "pot", "teacher.distribution"],
    "calm": ["legal", "position", "pot", "teacher.distribution"],
    "free": ["legal", "position", "pot"],
}
SEATS = ["early", "late"]
MEASURED = [0.5, 0.375, 0.75]


def certified_study(directory: Path, change: Callable[[Parts], None] | None = None) -> Path:
    """Writes and seals the study in `directory`; `change` may spoil its parts first.

    Scores name the traces as they are written, so that only what was spoilt tells. Records that their schema
    refuses are sealed all the same.
    """
    parts = sound_parts()
    if change is not None:
        change(parts)
    _write(directory, parts)
    return directory


def sound_parts() -> Parts:
    """The parts of the sound study, to be changed."""
    parts: Parts = pickle.loads(_sound_parts())
    return parts


@cache
def _sound_parts() -> bytes:
    """The parts of the sound study: what calibration computes and tables print is what the verifier computes.

    Pickled, because a copy is made of them for every bundle.
    """
    parts = _evidence()
    parts["partition"]["learned"] = _learned(_draft(parts))
    study = _draft(parts)
    for name in ("global", "by pot"):
        parts["certificate"].extend(_certificates(study, name))
    for selector in parts["protocol"]["selectors"]:
        parts["map"][selector["name"]] = _map(study, selector)
    parts["selection"]["empirical-zero"] = _selection(study)
    parts["table"]["certified"] = _table(study)
    return pickle.dumps(parts)


def _draft(parts: Parts) -> Study:
    """The study as far as it goes."""
    with tempfile.TemporaryDirectory() as draft:
        _write(Path(draft), parts)
        return Evidence(read_bundle(Path(draft))).view(Study)


def _protocol() -> dict[str, Any]:
    observed = ["pot", "stack", "position", "legal"]
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
        "features": {
            "pot_pressure": {"field": "pot", "form": "capped-ratio", "cap": "10"},
            "seat": {"field": "position", "form": "lookup", "table": {"early": "0", "late": "1"}},
        },
        "teacher": {"temperature": "2"},
        "anchor": {"teacher": "0.92", "uniform": "0.08"},
        "charges": {
            event: {"tokens": 1, "latency_ms": "0.1", "tool_calls": 0}
            for event in ("policy", "residual", "residual-calm", "student")
        },
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
        "ties": {
            "action": "earliest-legal",
            "selection": "smaller-scale",
            "map": "lexicographic",
            "partition": "fewer-leaves",
        },
        "tolerances": {"normalization": "1e-12", "replay": "1e-9"},
        "certification": {
            "epsilon_group": "0.4",
            "epsilon_global": "0.3",
            "zeta_risk": "0.075",
            "zeta_util": "0.075",
            "rho": "0.2",
            "utility_range": ["-2", "2"],
            "partition": "by pot",
            "certified_when": "every-group",
        },
        "partition_classes": {
            "aware": {
                "depth": 2,
                "thresholds": {"pot_pressure": ["0.3", "0.5", "0.7"], "seat": ["1/2"]},
                "minimum_support": 6,
                "lambda_cert": "0.0001",
                "lambda_comp": "0.0001",
            }
        },
        "assignment": {
            "seed": 5,
            "generator": "python-random",
            "strata": ["seat"],
            "order": ["held-out", "calibration", "structure"],
        },
        "resampling": {
            "pool": ["calibration", "held-out"],
            "repeats": 4,
            "seed": 70,
            "generator": "python-random",
            "strata": ["seat", "pot_pressure"],
            "calibration": 40,
            "held_out": 24,
        },
        "variants": {
            "declared": {"tau": "0.05"},
            "loose": {"epsilon": "1/2", "tau": "0.1"},
            "calm only": {"families": ["calm"], "rho": "0.5"},
            "in the learned": {"partition": "learned", "calibration": 36},
        },
    }


def _evidence() -> Parts:
    """Everything but what calibration computes."""
    protocol = _protocol()
    random = Random(11)
    numbers = _dealt(protocol)
    states = [_state(random, place, split, number) for split in SPLITS for place, number in enumerate(numbers[split])]
    kinds = ("observation", "teacher", "residual", "trace", "values", "score")
    parts: Parts = {
        "protocol": protocol,
        "candidate": [
            _candidate("anchor", None),
            *(_candidate(arm, scale) for arm in ARMS for scale in SCALES),
            *(_candidate("free", scale) for scale in FREE_SCALES),
        ],
        "checkpoint": {"calm": copy.deepcopy(CHECKPOINT)},
        "partition": {"global": _partition("global", [[]]), "by pot": _partition("by pot", [[True], [False]])},
        "certificate": [],
        "map": {},
        "selection": {},
        "measurement": [
            {"quantity": "map-search", "subject": "robust", "repeat": repeat, "value": value, "unit": "ms"}
            for repeat, value in enumerate(MEASURED)
        ],
        "table": {},
        **{kind: {split: [] for split in SPLITS} for kind in kinds},
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
        parts["residual"][state.split].append(
            {
                "family": "calm",
                "state": state.id,
                "split": state.split,
                "direction": _network(protocol, "residual", state),
                "checkpoint_sha256": document_digest(CHECKPOINT),
            }
        )
        traces = [
            _trace(protocol, one, state) for one in parts["candidate"] if state.split in one.get("splits", SPLITS)
        ]
        parts["trace"][state.split].extend(traces)
        parts["score"][state.split].extend(_score(protocol, state, traces[0], trace) for trace in traces)
    return parts


def _dealt(protocol: dict[str, Any]) -> dict[str, list[int]]:
    """The numbers of the states that the declared rule deals to each split: every other one sits early."""
    declared, total = protocol["assignment"], sum(SPLITS.values())
    seats = np.arange(total, dtype=np.float64) % 2
    taken = resampling.deal(
        resampling.stratified_order(declared["seed"], [seats], total), [SPLITS[name] for name in declared["order"]]
    )
    return {name: sorted(numbers.tolist()) for name, numbers in zip(declared["order"], taken, strict=True)}


def _state(random: Random, place: int, split: str, number: int) -> State:
    """Moving pays the weak evaluator; the strong one often minds it in large pots, and rarely in small ones."""
    pot = place % 2 * 5 + random.randint(1, 4)
    minds = random.random() < (0.22 if pot > 5 else 0.06)
    gain = round(random.uniform(0.2, 1.6), 2)
    return State(
        {
            "state": f"s{number:03d}",
            "split": split,
            "legal": ACTIONS,
            "pot": pot,
            "position": SEATS[number % 2],
            # No two states look the same, so that none stands in two splits.
            "stack": 100 + number,
        },
        {"stay": 0.0, "move": round(random.uniform(-1, 1), 2)},
        {"stay": 0.0, "move": gain},
        {"stay": 0.0, "move": -gain if minds else gain},
    )


def _candidate(arm: str, scale: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "arm": arm,
        "policy": "anchor" if scale is None else "student" if arm == "free" else "tilt",
        "interface": "teacher-free" if arm == "free" else "teacher-backed",
        "serializer": ACTIONS,
        "normalization": "none" if scale is None else "shifted-exponential",
    }
    if scale is not None:
        family = arm if arm in ARMS else "calm"
        row |= {"scale": scale, "family": family, "family_index": ARMS.index(family)}
        row |= (
            {"direction": DIRECTIONS[arm]} if arm in DIRECTIONS else {"checkpoint_sha256": document_digest(CHECKPOINT)}
        )
    return row | ({"splits": ["calibration", "held-out"]} if arm == "free" else {})


def _partition(name: str, sides: list[list[bool]]) -> dict[str, Any]:
    """Groups by whether the pot is small; equal shares."""
    names = ["all"] if len(sides) == 1 else ["small", "large"]
    return {
        "name": name,
        "leaves": [
            {
                "group": group,
                "conditions": [{"feature": "pot_pressure", "threshold": "0.5", "below": below} for below in side],
            }
            for group, side in zip(names, sides, strict=True)
        ],
        "allocations": _equal_shares(names),
    }


def _equal_shares(groups: list[str]) -> list[dict[str, str]]:
    weight = f"1/{len(ARMS) * len(SCALES) * len(groups)}"
    return [
        {"arm": arm, "scale": scale, "group": group, "risk": weight, "utility": weight}
        for arm in ARMS
        for scale in SCALES
        for group in groups
    ]


def _learned(study: Study) -> dict[str, Any]:
    """The best partition of the declared class on the structure split."""
    declared = study.evidence.protocol["partition_classes"]["aware"]
    degradations = structure_degradations(study)
    assert degradations is not None, "every structure state is scored"
    states = states_of(study, "structure")
    found = best_partition(
        {name: study.states.feature(name)[states] for name in declared["thresholds"]},
        degradations,
        TreeClass(
            declared["depth"],
            {name: [Fraction(text) for text in texts] for name, texts in declared["thresholds"].items()},
            declared["minimum_support"],
            Fraction(declared["lambda_cert"]),
            Fraction(declared["lambda_comp"]),
        ),
    )
    groups = [f"g{number}" for number in range(1, len(found.leaves) + 1)]
    return {
        "name": "learned",
        "learned_in": "aware",
        "leaves": [
            {
                "group": group,
                "conditions": [
                    {"feature": one.feature, "threshold": str(one.threshold), "below": one.below} for one in leaf
                ],
            }
            for group, leaf in zip(groups, found.leaves, strict=True)
        ],
        "objective": found.objective,
        "allocations": _equal_shares(groups),
    }


def _trace(protocol: dict[str, Any], candidate: dict[str, Any], state: State) -> dict[str, Any]:
    row: dict[str, Any] = {"state": state.id, "arm": candidate["arm"], "split": state.split, "legal": ACTIONS}
    if "scale" in candidate:
        row["scale"] = candidate["scale"]
    if state.split != "structure":
        # Structure traces are sealed before there is a partition.
        row["group"] = "small" if state.observation["pot"] < 5 else "large"
    probabilities = _distribution(protocol, candidate, state)
    event = {"anchor": "policy", "calm": "residual-calm", "free": "student"}.get(candidate["arm"], "residual")
    return row | {
        "probabilities": probabilities,
        "action": policies.top_action(probabilities, state),
        "inputs": INPUTS[candidate["arm"]],
        "ledger": [{"event": event, "tokens": 1, "latency_ms": 0.1, "tool_calls": 0}],
    }


def _distribution(protocol: dict[str, Any], candidate: dict[str, Any], state: State) -> dict[str, float]:
    if "scale" not in candidate:
        return policies.anchor(protocol, state)
    if "direction" in candidate:
        return policies.tilt(protocol, candidate["direction"], candidate["scale"], state)
    base = policies.anchor(protocol, state)
    if candidate["policy"] == "student":
        base = policies.normalize(policies.exponentials(_network(protocol, "base", state)))
    scale = policies.real(candidate["scale"])
    if scale == 0:
        return base
    direction = _network(protocol, "residual", state)
    return policies.normalize(
        policies.exponentials({action: math.log(base[action]) + scale * direction[action] for action in ACTIONS})
    )


def _network(protocol: dict[str, Any], head: str, state: State) -> dict[str, float]:
    """One head of the checkpoint, run forward in plain Python."""
    values = [policies.feature(protocol, name, state) for name in CHECKPOINT["features"]]
    for layer in CHECKPOINT[head]:
        sums = [
            math.fsum([bias, *(value * row[place] for value, row in zip(values, layer["weights"], strict=True))])
            for place, bias in enumerate(layer["bias"])
        ]
        values = [math.tanh(one) for one in sums] if layer["activation"] == "tanh" else sums
    return dict(zip(ACTIONS, values, strict=True))


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
        study, declared_setting(study), frozen_partitions(study.states)[name], states_of(study, "calibration")
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
        "tau": study.evidence.protocol["tau"],
        "counts": [{"scale": scale, "crossings": counts[scale], "states": SPLITS["calibration"]} for scale in SCALES],
        "certified": clean,
        "outcome": "selected",
        "choice": clean[-1],
        "held_out": _UNSEEN,
    }


def _table(study: Study) -> dict[str, Any]:
    """Maps, their bounds, repeated splits and measurements, printed to four digits."""
    columns: dict[str, tuple[str, dict[str, str]]] = {
        "Map": ("map_name", {"selector": "{selector}", "variant": "{variant}"}),
        "Weak EV": ("map_utility", {"selector": "{selector}", "variant": "{variant}"}),
        "Viol.": ("map_crossing_rate", {"selector": "{selector}", "variant": "{variant}"}),
        "UCB": ("map_risk_upper", {"selector": "{selector}", "variant": "{variant}"}),
        "Cert. rate": ("repeated_certification_rate", {"selector": "{selector}", "variant": "{variant}"}),
        "Repeated viol.": ("repeated_crossing_rate", {"selector": "{selector}", "variant": "{variant}"}),
        "Time of robust": ("measured_median", {"quantity": "map-search", "subject": "robust"}),
    }
    rows = [("robust", "declared"), ("dual", "loose"), ("robust", "calm only"), ("dual", "in the learned")]

    def cell(metric: str, arguments: dict[str, str], row: dict[str, str]) -> str:
        value: Value = compute(study.evidence, metric, {name: text.format(**row) for name, text in arguments.items()})
        return value.text if value.text is not None else f"{float(value.numbers[0]):.4f}"

    return {
        "label": "tab:certified",
        "columns": [
            {"label": label, "recipe": {"metric": metric, "arguments": arguments}}
            for label, (metric, arguments) in columns.items()
        ],
        "rows": [
            {
                "label": f"{selector}, {variant}",
                "arguments": (row := {"selector": selector, "variant": variant}),
                "cells": [cell(metric, arguments, row) for metric, arguments in columns.values()],
            }
            for selector, variant in rows
        ],
    }


def _write(directory: Path, parts: Parts) -> None:
    """Each record at its stage; what is empty is left out."""
    for path, held in files_of(parts).items():
        if isinstance(held, dict):
            write_document(directory / path, held)
        elif held:
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_bytes(_lines(held))
    seal(directory, empty={"all": "The tiny study has nothing here."}, lenient=True)


DOCUMENTS = [("bank", "checkpoint"), ("structure", "partition"), ("select", "map"), ("select", "selection")]
DOCUMENTS += [("report", "table")]


def files_of(parts: Parts) -> dict[str, Any]:
    """Path to document or rows. Scores name the traces as they are."""
    files: dict[str, Any] = {"declare/protocol.json": parts["protocol"], "bank/candidate.jsonl": parts["candidate"]}
    for split, (traced, scored) in TRACED.items():
        kinds = {"observation": "declare", "teacher": "bank", "residual": traced, "trace": traced}
        kinds |= {"values": scored, "score": scored}
        rows = {kind: parts[kind].get(split) or [] for kind in kinds}
        digest = _trace_digest(_lines(rows["trace"])) if rows["trace"] else ""
        rows["score"] = [{"trace_sha256": digest, **row} for row in rows["score"]]
        files |= {f"{stage}/{kind}.{split}.jsonl": rows[kind] for kind, stage in kinds.items()}
    files |= {"calibrate/certificate.jsonl": parts["certificate"], "select/measurement.jsonl": parts["measurement"]}
    for stage, kind in DOCUMENTS:
        for name, document in parts[kind].items():
            files[f"{stage}/{kind}.{name.replace(' ', '-')}.json"] = document
    return files


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@lru_cache(maxsize=64)
def _trace_digest(lines: bytes) -> str:
    """The content digest of traces, which few bundles change."""
    store = read_rows(lines, "trace.jsonl", "trace", "jsonl")
    return "0" * 64 if store.whole is None else table_digest(store.whole, "trace")
