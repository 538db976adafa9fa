"""The information boundary: what each interface may see, and what policies say they read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sealtrace.bundle.arrays import distinct
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.evidence.study import Study

OBSERVED = frozenset({"hero", "board", "position", "pot", "stack", "history", "legal"})
"""What both interfaces may see: the observation, never its id, split or block."""

VISIBLE = {
    "teacher-backed": OBSERVED | {"teacher.distribution"},
    "teacher-free": OBSERVED,
}
"""The contract: action values, scores, opponents' cards and identities are in neither."""


@check("boundary.interfaces", "fields")
def interfaces(study: Study, outcome: Outcome) -> None:
    if not study.protocol.get("interfaces"):
        outcome.not_applicable = "the protocol declares no interface"
        return
    for name, fields in study.protocol["interfaces"].items():
        outcome.inspected += len(fields)
        for index, field in enumerate(fields):
            if field not in VISIBLE.get(name, frozenset()):
                outcome.add(
                    "the interface declares a field that its contract hides",
                    source=study.protocol_path,
                    key={"interface": name},
                    field=f"/interfaces/{name}/{index}",
                    expected=", ".join(sorted(VISIBLE.get(name, ()))) or "a known interface",
                    found=field,
                )


@check("boundary.inputs", "traces")
def inputs(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    column = frame.column("inputs")
    outcome.inspected = frame.size
    names = column.values
    names = names if pa.types.is_dictionary(names.type) else names.dictionary_encode()
    texts = names.dictionary.to_pylist()
    offsets = column.offsets.to_numpy().astype(np.int64)
    codes = names.indices.to_numpy()[offsets[0] : offsets[-1]]
    owners = np.repeat(np.arange(frame.size), np.diff(offsets))
    declared = study.protocol["interfaces"]
    # One row per candidate, one column per input name; unknown candidates are join.trace's.
    shown = np.ones((len(study.candidates) + 1, max(len(texts), 1)), np.bool_)
    for index, one in enumerate(study.candidates):
        allowed = set(declared.get(one.interface, ())) & VISIBLE[one.interface]
        shown[index, : len(texts)] = [text in allowed for text in texts]
    hidden = np.flatnonzero(~shown[study.trace_candidate[owners], codes])
    bad = {int(owners[index]): texts[codes[index]] for index in hidden[::-1].tolist()}
    outcome.rows(
        frame,
        distinct(owners[hidden]),
        "/inputs",
        "the policy read a field that its interface does not show",
        expected=lambda row: ", ".join(sorted(set(declared.get(_interface(study, row), ())))),
        found=lambda row: bad[row],
    )


def _interface(study: Study, row: int) -> str:
    return study.candidates[int(study.trace_candidate[row])].interface
