"""Writes and seals the records of a study, stage by stage."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

from rsd_fixture import policies
from rsd_fixture.study import Arm, State, Study, Values
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

Row = dict[str, Any]


def build(study: Study, directory: Path, attachments: dict[str, bytes] | None = None) -> None:
    """Makes the bundle of a study in an empty directory."""
    protocol = study.protocol
    splits = {split["role"]: split["name"] for split in protocol["splits"]}
    by_split = {name: [state for state in study.states if state.split == name] for name in splits.values()}
    write_document(directory / "declare/protocol.json", protocol)
    write_document(directory / "declare/names.json", study.names)
    for name, states in by_split.items():
        write_rows(
            directory / f"declare/observation.{name}.jsonl",
            "observation",
            [one.observation for one in states],
        )
        write_rows(
            directory / f"bank/teacher.{name}.jsonl",
            "teacher",
            [teacher_row(protocol, one) for one in states],
        )
    write_rows(directory / "bank/candidate.jsonl", "candidate", [candidate_row(study, arm) for arm in study.arms])
    if attachments:
        archive(directory, attachments)

    scores: list[Row] = []
    for role, traced, scored in (("calibration", "trace", "calibrate"), ("held-out", "replay", "report")):
        name = splits[role]
        traces = trace_rows(study, by_split[name])
        digest = write_rows(directory / f"{traced}/trace.{name}.jsonl", "trace", traces)
        values = [
            {"state": one.id, "evaluator": evaluator, "split": name, "values": getattr(one, evaluator)}
            for one in by_split[name]
            for evaluator in ("strong", "weak")
        ]
        write_rows(directory / f"{scored}/values.{name}.jsonl", "values", values)
        rows = score_rows(study, by_split[name], traces, digest)
        write_rows(directory / f"{scored}/score.{name}.jsonl", "score", rows)
        scores.extend(rows)
    for selector in protocol["selectors"]:
        write_document(directory / "select/selection.json", selection(study, selector, splits, scores))
    write_rows(directory / "report/summary.jsonl", "summary", summary_rows(study, scores))
    for table in study.tables:
        name = table["label"].removeprefix("tab:")
        write_document(directory / f"report/table.{name}.json", table)
    seal(directory, empty=study.empty)


def archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps originals beside the records, with the hash that they have now."""
    rows = []
    for name, data in sorted(attachments.items()):
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        role = "environment" if name == "environment.json" else "code"
        rows.append({"path": path, "role": role, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", rows)


def teacher_row(protocol: dict[str, Any], state: State) -> Row:
    distribution = policies.teacher(protocol, state)
    return {
        "state": state.id,
        "split": state.split,
        "values": {action: state.teacher[action] for action in state.legal},
        "distribution": distribution,
        "value": math.fsum(distribution[action] * state.teacher[action] for action in state.legal),
    }


def candidate_row(study: Study, arm: Arm) -> Row:
    row: Row = {
        "arm": arm.name,
        "policy": arm.policy,
        "interface": "teacher-backed",
        "serializer": study.protocol["actions"],
        "normalization": "shifted-exponential" if arm.policy in ("tilt", "query") else "none",
    }
    if arm.scale is not None:
        row |= {"scale": arm.scale, "family": "fixed", "family_index": 0, "direction": study.direction}
    return row


def trace_rows(study: Study, states: list[State]) -> list[Row]:
    """Every arm at every state of a split, by state."""
    protocol = study.protocol
    accepted_so_far = 0
    rows = []
    for state in states:
        asked = False
        for arm in study.arms:
            row: Row = {"state": state.id, "arm": arm.name, "split": state.split, "legal": state.legal}
            if arm.scale is not None:
                row["scale"] = arm.scale
            events = ["residual" if arm.policy == "tilt" else "policy"]
            if arm.policy == "query":
                score = policies.query_score(protocol, state)
                requested = score >= policies.real(protocol["query"]["threshold"])
                budget = protocol["query"].get("budget")
                accepted = requested and (budget is None or accepted_so_far < budget)
                asked = accepted
                row["query"] = {"requested": requested, "accepted": accepted, "score": score}
                if requested:
                    events.append("query-accepted" if accepted else "query-rejected")
            row["probabilities"] = distribution_of(study, arm, state, asked)
            row["action"] = policies.top_action(row["probabilities"], state)
            row["inputs"] = inputs_of(study, arm, asked)
            row["ledger"] = [charge(protocol, event) for event in events]
            rows.append(row)
        accepted_so_far += asked
    return rows


def distribution_of(study: Study, arm: Arm, state: State, asked: bool) -> Values:
    protocol = study.protocol
    if arm.policy == "top-action":
        return policies.point(policies.teacher(protocol, state), state)
    if arm.policy == "tilt":
        assert arm.scale is not None
        return policies.tilt(protocol, study.direction, arm.scale, state)
    if arm.policy == "anchor" or asked:
        return policies.anchor(protocol, state)
    return policies.prior(protocol, state)


def inputs_of(study: Study, arm: Arm, asked: bool) -> list[str]:
    """The fields that the policy read."""
    protocol = study.protocol

    def fields(rules: dict[str, Any]) -> set[str]:
        names = {name for rule in rules.values() for name in rule.get("terms", {})}
        return {protocol["features"][name]["field"] for name in names}

    read = {"legal"}
    if arm.policy == "tilt":
        read |= fields(study.direction)
    if arm.policy == "query":
        read |= fields(protocol["prior"]["logits"]) | fields({"gate": protocol["query"]})
    if arm.policy != "query" or asked:
        read.add("teacher.distribution")
    return sorted(read)


def charge(protocol: dict[str, Any], event: str) -> Row:
    rule = protocol["charges"][event]
    return {
        "event": event,
        "tokens": rule["tokens"],
        "latency_ms": policies.real(rule["latency_ms"]),
        "tool_calls": rule["tool_calls"],
    }


def score_rows(study: Study, states: list[State], traces: list[Row], digest: str) -> list[Row]:
    tau = Fraction(study.protocol["tau"])
    known = {state.id: state for state in states}
    anchors = {trace["state"]: trace["probabilities"] for trace in traces if trace["arm"] == "anchor"}

    def expected(distribution: Values, values: Values) -> float:
        return math.fsum(probability * values[action] for action, probability in distribution.items())

    rows = []
    for trace in traces:
        state = known[trace["state"]]
        strong = expected(trace["probabilities"], state.strong)
        delta = strong - expected(anchors[state.id], state.strong)
        row = {name: trace[name] for name in ("state", "arm", "scale", "split") if name in trace}
        rows.append(
            row
            | {
                "weak": expected(trace["probabilities"], state.weak),
                "strong": strong,
                "delta": delta,
                "crossing": Fraction(delta) < -tau,
                "trace_sha256": digest,
            }
        )
    return rows


def selection(study: Study, selector: Row, splits: dict[str, str], scores: list[Row]) -> Row:
    """The largest scale of the grid without a calibration crossing."""
    grid = study.protocol["scale_grid"]
    counted = [
        [
            row
            for row in scores
            if row["arm"] == selector["arm"] and row.get("scale") == scale and row["split"] == splits["calibration"]
        ]
        for scale in grid
    ]
    counts = [
        {"scale": scale, "crossings": sum(row["crossing"] for row in rows), "states": len(rows)}
        for scale, rows in zip(grid, counted, strict=True)
    ]
    certified = [count["scale"] for count in counts if count["crossings"] == 0]
    record: Row = {
        "selector": selector["name"],
        "split": splits["calibration"],
        "grid": grid,
        "tau": study.protocol["tau"],
        "counts": counts,
        "certified": certified,
        "outcome": "selected" if certified else "no-certified-candidate",
        "held_out": {"split": splits["held-out"], "status": "not-joined"},
    }
    if certified:
        record["choice"] = max(certified, key=Fraction)
    return record


def summary_rows(study: Study, scores: list[Row]) -> list[Row]:
    """The retained policy summaries: over all states, and over each split."""
    populations = ["all", *(split["name"] for split in study.protocol["splits"])]
    rows = []
    for population in populations:
        for arm in study.arms:
            chosen = [
                row
                for row in scores
                if row["arm"] == arm.name and row.get("scale") == arm.scale and population in ("all", row["split"])
            ]
            deltas = [row["delta"] for row in chosen]
            row: Row = {"population": population, "arm": arm.name, "states": len(chosen)}
            if arm.scale is not None:
                row["scale"] = arm.scale
            for name in ("weak", "strong", "delta"):
                row[name] = math.fsum(one[name] for one in chosen) / len(chosen)
            row |= {
                "delta_min": min(deltas),
                "delta_max": max(deltas),
                "crossings": sum(one["crossing"] for one in chosen),
            }
            rows.append(row)
    return rows
