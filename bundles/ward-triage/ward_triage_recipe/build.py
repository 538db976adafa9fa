"""Writes and seals the records of the study, stage by stage."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from rsd_stratified.drawing import deal
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows
from ward_triage_recipe import certification, policies
from ward_triage_recipe.arrivals import Arrival, arrivals
from ward_triage_recipe.certification import Traced
from ward_triage_recipe.declared import ACTIONS, ARMS, COMPLAINTS, COSTS, DESK, FEATURES, RULES, SIZES, Row, protocol
from ward_triage_recipe.names import NAMES


def build(directory: Path, attachments: dict[str, bytes]) -> None:
    """Builds the study in an empty directory; each stage is sealed before the next one is computed."""
    declared = protocol()
    people = arrivals()
    seen = {one.state: policies.features(one.seen) for one in people}
    split_of = deal(declared["assignment"], seen, SIZES)
    by_split = {
        split: [Traced(one, policies.distributions(one)) for one in people if split_of[one.state] == split]
        for split in SIZES
    }

    def rows(path: str, kind: str, written: list[Row]) -> str:
        return write_rows(directory / path, kind, written, declared)

    write_document(directory / "declare/protocol.json", declared)
    write_document(directory / "declare/names.json", NAMES)
    for split, traced in by_split.items():
        rows(
            f"declare/observation.{split}.jsonl",
            "observation",
            [{"state": o.arrival.state, "split": split, "legal": ACTIONS, **o.arrival.seen} for o in traced],
        )
    _archive(directory, attachments)
    seal(directory, ["declare"])

    rows("bank/candidate.jsonl", "candidate", [_candidate(arm, scale) for arm, scale in policies.BANK])
    write_document(directory / "bank/checkpoint.desk.json", DESK)
    for split, traced in by_split.items():
        taught = [(one.arrival, policies.nurse(one.arrival)) for one in traced]
        rows(
            f"bank/teacher.{split}.jsonl",
            "teacher",
            [{"state": o.state, "split": split, "values": o.nurse, "distribution": said} for o, said in taught],
        )
    digests = {"structure": rows("bank/trace.structure.parquet", "trace", _traces(by_split["structure"], "structure"))}
    seal(directory, ["bank"])

    def scored(stage: str, split: str) -> None:
        traced = by_split[split]
        rows(f"{stage}/values.{split}.parquet", "values", _values(traced, split))
        rows(f"{stage}/score.{split}.parquet", "score", _scores(declared, traced, split, digests[split]))

    scored("structure", "structure")
    frozen = certification.partitions(declared, by_split["structure"])
    for record in frozen:
        write_document(directory / f"structure/partition.{record['name']}.json", record)
    seal(directory, ["structure"])

    def traced_in(stage: str, split: str) -> None:
        written = _traces(by_split[split], split, frozen[-1])
        digests[split] = rows(f"{stage}/trace.{split}.parquet", "trace", written)
        seal(directory, [stage])

    traced_in("trace", "calibration")
    scored("calibrate", "calibration")
    calibration = by_split["calibration"]
    listed = {record["name"]: certification.certificates(declared, record, calibration) for record in frozen}
    bounds = [one.record for groups in listed.values() for ones in groups.values() for one in ones]
    rows("calibrate/certificate.jsonl", "certificate", bounds)
    seal(directory, ["calibrate"])

    maps = []
    for selector in declared["selectors"]:
        if "partition" in selector:
            maps.append(certification.map_record(declared, selector, listed[selector["partition"]]))
            write_document(directory / f"select/map.{selector['name']}.json", maps[-1])
            record = certification.group_selection(declared, selector, listed[selector["partition"]], maps[-1])
        else:
            record = certification.selection_record(declared, selector, calibration)
        write_document(directory / f"select/selection.{selector['name']}.json", record)
    seal(directory, ["select"])

    traced_in("replay", "held-out")
    scored("report", "held-out")
    partitions = {record["name"]: record for record in frozen}
    held_out = by_split["held-out"]
    for table in (_arrivals_table(people), _maps_table(maps, partitions, listed, held_out), _policies_table(held_out)):
        write_document(directory / f"report/table.{table['label'].removeprefix('tab:')}.json", table)
    seal(directory, ["report"])


def _archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps the recipe beside the records, with the hash that it has now."""
    listed = []
    for name, data in attachments.items():
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        listed.append({"path": path, "role": "code", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", listed)


def _candidate(arm: str, scale: str | None) -> Row:
    policy = "anchor" if scale is None else "student" if arm == "desk" else "tilt"
    row: Row = {
        "arm": arm,
        "policy": policy,
        "interface": "desk" if arm == "desk" else "bedside",
        "serializer": ACTIONS,
        "normalization": "none" if scale is None else "shifted-exponential",
    }
    if scale is not None:
        row |= {"scale": scale, "family": arm, "family_index": ARMS.index(arm)}
        row |= {"checkpoint_sha256": document_digest(DESK)} if arm == "desk" else {"direction": RULES[arm]}
    return row


def _traces(traced: list[Traced], split: str, partition: Row | None = None) -> list[Row]:
    """What every candidate did; groups are named once they are frozen."""
    written = []
    for one in traced:
        for (arm, scale), policy in one.policies.items():
            event = "rule" if scale is None else "desk model" if arm == "desk" else "adjustment"
            minutes, pages = COSTS[event]
            row: Row = {
                "state": one.arrival.state,
                "arm": arm,
                "split": split,
                "inputs": _inputs(arm),
                "legal": ACTIONS,
            }
            row |= {} if scale is None else {"scale": scale}
            if partition is not None:
                row["group"] = certification.group_of(partition, policies.features(one.arrival.seen))
            charge = {"event": event, "minutes": float(minutes), "pages": pages}
            top = max(ACTIONS, key=lambda action: policy[action])
            written.append(row | {"probabilities": policy, "action": top, "ledger": [charge]})
    return written


def _inputs(arm: str) -> list[str]:
    """The fields that a policy read."""
    if arm == "desk":
        return ["age", "arrival", "legal", "oxygen"]
    names = {name for rule in RULES.get(arm, {}).values() for name in rule.get("terms", {})}
    fields = {FEATURES[name]["field"] for name in names}
    return sorted(fields | {"legal", "teacher.distribution"})


def _values(traced: list[Traced], split: str) -> list[Row]:
    return [
        {"state": one.arrival.state, "evaluator": evaluator, "split": split, "values": getattr(one.arrival, evaluator)}
        for one in traced
        for evaluator in ("safety", "throughput")
    ]


def _scores(declared: Row, traced: list[Traced], split: str, digest: str) -> list[Row]:
    return [
        {
            "state": one.arrival.state,
            "arm": arm,
            **({} if scale is None else {"scale": scale}),
            "split": split,
            "expected": {
                evaluator: policies.expected(policy, getattr(one.arrival, evaluator))
                for evaluator in ("safety", "throughput")
            },
            "delta": one.delta((arm, scale)),
            "crossing": one.crosses((arm, scale), Fraction(declared["tau"])),
            "trace_sha256": digest,
        }
        for one in traced
        for (arm, scale), policy in one.policies.items()
    ]


def _arrivals_table(people: list[Arrival]) -> Row:
    """Who came: by query, since a study's own fields are columns like any others."""
    where = "FROM observation WHERE arrival = '{label}'"
    means = {"Age": "age", "Pulse": "pulse", "Saturation": "saturation"}
    columns = [{"label": "Arrivals", "recipe": {"sql": f"SELECT count(*) {where}"}}]
    columns += [{"label": name, "recipe": {"sql": f"SELECT avg({field}) {where}"}} for name, field in means.items()]
    columns.append({"label": "Oxygen", "recipe": {"sql": f"SELECT count(*) FILTER (oxygen) {where}"}})
    columns += [
        {"label": name.title(), "recipe": {"sql": f"SELECT count(*) {where} AND list_contains(complaints, '{name}')"}}
        for name in COMPLAINTS
    ]
    rows = []
    for arrival in ("on foot", "ambulance"):
        seen = [one.seen for one in people if one.seen["arrival"] == arrival]
        cells = [str(len(seen)), *(_mean([float(one[field]) for one in seen]) for field in means.values())]
        cells += [str(sum(one["oxygen"] for one in seen))]
        cells += [str(sum(name in one["complaints"] for one in seen)) for name in COMPLAINTS]
        rows.append({"label": arrival, "cells": cells})
    return {"label": "tab:arrivals", "caption": "Arrivals and what they complain of.", "columns": columns, "rows": rows}


def _maps_table(maps: list[Row], partitions: Row, listed: Row, traced: list[Traced]) -> Row:
    """What each selector chose, what is certified of it, and what it reached on arrivals nobody had looked at."""
    columns = {
        "Map": "map_name",
        "Throughput": "map_utility",
        "Degradation": "map_delta",
        "Crossing": "map_crossing_rate",
        "Risk bound": "map_risk_upper",
        "Largest group bound": "map_largest_risk",
        "Utility bound": "map_utility_lower",
    }
    rows = []
    for one in maps:
        groups = {given["group"]: (given["arm"], given.get("scale")) for given in one["assignments"]}
        partition = partitions[one["partition"]]
        picked = [groups[certification.group_of(partition, policies.features(t.arrival.seen))] for t in traced]
        bounds = {
            (c.record["group"], c.record["arm"], c.record["scale"]): c
            for ones in listed[one["partition"]].values()
            for c in ones
        }
        largest = max(
            bounds[group, arm, scale].record["risk_upper"] if scale else 0.0 for group, (arm, scale) in groups.items()
        )
        names = [arm if scale is None else f"{arm}@{scale}" for arm, scale in groups.values()]
        pairs = list(zip(traced, picked, strict=True))
        cells = [
            " / ".join(names),
            _mean([policies.expected(t.policies[p], t.arrival.throughput) for t, p in pairs]),
            _mean([t.delta(p) for t, p in pairs]),
            _mean([float(t.crosses(p, Fraction("0.25"))) for t, p in pairs]),
            *(_mean([value]) for value in (one["risk_upper"], largest, one["utility_lower"])),
        ]
        rows.append({"label": one["selector"], "arguments": {"selector": one["selector"]}, "cells": cells})
    reached = {"map_utility", "map_delta", "map_crossing_rate"}
    recipes = [
        _column(label, metric, {"selector": "{selector}"} | ({"population": "held-out"} if metric in reached else {}))
        for label, metric in columns.items()
    ]
    caption = "What each selector deploys, its certificates, and what it reaches on held-out arrivals."
    return {"label": "tab:triage", "caption": caption, "columns": recipes, "rows": rows}


def _policies_table(traced: list[Traced]) -> Row:
    """Single policies on held-out arrivals."""
    anchor = ("anchor", None)
    columns: dict[str, tuple[str, Row, Callable[[Traced, tuple[str, str | None]], float]]] = {
        "Throughput": ("expected_utility", {}, lambda t, p: policies.expected(t.policies[p], t.arrival.throughput)),
        "Safety": ("expected_risk", {}, lambda t, p: policies.expected(t.policies[p], t.arrival.safety)),
        "Degradation": ("degradation", {}, lambda t, p: t.delta(p)),
        "Minutes": ("cost", {"quantity": "minutes"}, lambda _, p: float(_cost(p)[0])),
        "Pages": ("cost", {"quantity": "pages"}, lambda _, p: float(_cost(p)[1])),
    }
    given = {"policy": "{policy}", "population": "held-out"}
    rows = []
    for policy in [anchor, *((arm, scale) for arm in ARMS for scale in ("1/2", "1"))]:
        name = policy[0] if policy[1] is None else f"{policy[0]}@{policy[1]}"
        cells = [_mean([value(one, policy) for one in traced]) for _, _, value in columns.values()]
        rows.append({"label": name, "arguments": {"policy": name}, "cells": cells})
    recipes = [_column(label, metric, {**given, **more}) for label, (metric, more, _) in columns.items()]
    caption = "Policies on held-out arrivals: minutes saved, points of safety, and what the ledger counts."
    return {"label": "tab:policies", "caption": caption, "columns": recipes, "rows": rows}


def _column(label: str, metric: str, arguments: dict[str, str]) -> Row:
    return {"label": label, "recipe": {"metric": metric, "arguments": arguments}}


def _cost(policy: tuple[str, str | None]) -> tuple[str, int]:
    arm, scale = policy
    return COSTS["rule" if scale is None else "desk model" if arm == "desk" else "adjustment"]


def _mean(values: list[float]) -> str:
    # Rounded before the zero is added, so that no number that rounds to zero keeps its sign.
    return f"{round(math.fsum(values) / len(values), 4) + 0.0:.4f}"
