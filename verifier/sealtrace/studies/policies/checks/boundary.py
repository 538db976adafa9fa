"""The information boundary: what each interface may see, and what policies say they read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import Mask
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.checks.gate import query_columns
from sealtrace.studies.policies.evidence.study import Candidate, Study
from sealtrace.studies.policies.records.policies import Affine
from sealtrace.studies.policies.records.protocol import QueryRule


def visible(study: Study, interface: str) -> frozenset[str]:
    """What an interface may show: the observation, never its id, split or block, and at most the teacher besides.

    Action values, scores and identities are in none.
    """
    taught = {"teacher.distribution"} if study.declared.shows_teacher(interface) else set[str]()
    return study.observed | {"legal"} | taught


@check("boundary.interfaces", "fields")
def interfaces(study: Study, outcome: Outcome) -> None:
    if not study.declared.interfaces:
        outcome.not_applicable = "the protocol declares no interface"
        return
    for name, fields in study.declared.interfaces.items():
        outcome.inspected += len(fields)
        for index, field in enumerate(fields):
            if field not in visible(study, name):
                outcome.at(study.protocol_path, {"interface": name}).error(
                    f"/interfaces/{name}/{index}",
                    "The interface declares a field that its contract hides.",
                    ", ".join(sorted(visible(study, name))),
                    field,
                )
            if field in fields[:index]:
                outcome.at(study.protocol_path, {"interface": name}).error(
                    f"/interfaces/{name}/{index}", "The interface lists a field twice.", "each field once", field
                )


@check("boundary.inputs", "traces")
def inputs(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    outcome.inspected = frame.size
    read, twice = _read_fields(study)
    outcome.rows(frame, twice, "/inputs", "The trace lists a field twice.", "each field once")
    declared = study.declared.interfaces
    accepted = query_columns(study)[1]
    for index, one in enumerate(study.candidates):
        rows = np.flatnonzero(study.trace_candidate == index)
        allowed = set(declared.get(one.interface, ())) & visible(study, one.interface)
        for name, names in read.items():
            if name not in allowed:
                outcome.rows(
                    frame,
                    rows[names[rows]],
                    "/inputs",
                    "The policy read a field that its interface does not show.",
                    ", ".join(sorted(allowed)) or "nothing",
                    name,
                )
        for name, needed in _needed(study, one, accepted[rows]).items():
            lacking = needed & ~read.get(name, np.zeros(frame.size, np.bool_))[rows]
            outcome.rows(
                frame,
                rows[lacking],
                "/inputs",
                "The policy cannot be computed without a field that it does not name.",
                name,
                lambda row: ", ".join(frame.column("inputs")[row].as_py()) or "nothing",
            )


def _read_fields(study: Study) -> tuple[dict[str, Mask], Mask]:
    """Field to the traces that name it among their inputs, and the traces that name one twice."""
    frame = study.frame("trace")
    column = frame.column("inputs")
    names = column.values
    names = names if pa.types.is_dictionary(names.type) else names.dictionary_encode()
    offsets = column.offsets.to_numpy().astype(np.int64)
    codes = names.indices.to_numpy()[offsets[0] : offsets[-1]]
    owners = np.repeat(np.arange(frame.size), np.diff(offsets))
    read = {}
    width = max(1, len(names.dictionary))
    times = np.bincount(owners * width + codes, minlength=frame.size * width)
    twice: Mask = np.asarray((times > 1).reshape(frame.size, width).any(axis=1))
    for code, name in enumerate(names.dictionary.to_pylist()):
        read[name] = np.zeros(frame.size, np.bool_)
        read[name][owners[codes == code]] = True
    return read, twice


def _needed(study: Study, one: Candidate, accepted: Mask) -> dict[str, Mask]:
    """Field to which of a candidate's traces cannot do without it."""
    every = np.ones(len(accepted), np.bool_)
    features, prior, query = study.declared.features, study.declared.prior, study.declared.gate(one.arm)
    rules: list[Affine | QueryRule] = []
    if one.policy == "tilt":
        rules = [*one.rules.values()]
    if one.policy == "query":
        rules = [*(prior.logits.values() if prior else ()), *([query] if query else ())]
    names = {name for rule in rules for name in rule.terms or {}}
    learned = study.gate_weights(query.learned) if query is not None and one.policy == "query" else None
    if (checkpoint := study.checkpoint_of(one) or learned) is not None:
        names |= set(checkpoint.document.value["features"])
    needed = {features[name].field: every for name in names if name in features}
    needed["legal"] = every
    if one.policy != "student":
        needed["teacher.distribution"] = accepted if one.policy == "query" else every
    return needed
