"""What one check says of a few records: nothing is sealed or read from disk, and no other check runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.documents import declared_rows, fitted
from sealtrace.bundle.identity import SEALS, ListedFile, dataset_of, file_digest, kind_and_format
from sealtrace.bundle.model import Bundle, Document, UnfinishedBundle
from sealtrace.bundle.stores import read_rows
from sealtrace.checks import families  # noqa: F401 - registers the functions
from sealtrace.checks.catalogue import pack_of
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.contract.kinds import model_of
from sealtrace.evidence import Evidence, seen_by

Files = Mapping[str, Any]
"""Path to what is there: an object is a document, a list is rows, a text is a file of its own kind."""


def bundle_of(files: Files, **given: Any) -> Bundle:
    """A bundle that holds these, as if each were sound; `given` are further fields of it."""
    bundle, entries = UnfinishedBundle(manifest_readable=True), []
    for path, held in sorted(files.items(), key=lambda file: isinstance(file[1], list)):
        kind, file_format = ("seal", "json") if path.startswith(SEALS) else kind_and_format(path)
        data, split, rows = _written(held), None, None
        if isinstance(held, dict):
            bundle.documents.append(Document(path, kind, held, _said(kind, held)))
            bundle.contents[path] = document_digest(held)
            if kind == "dataset":
                bundle.declared[held["dataset"]] = declared_rows(held)
        elif isinstance(held, list):
            form = bundle.declared[dataset_of(path)] if kind == "rows" else kind
            bundle.stores.append(read_rows(data, path, form, file_format))
            assert (bundle.stores[-1].misfits.listed, bundle.stores[-1].syntax.listed) == ([], []), path
            split, rows = next((row.get("split") for row in held if kind != "rows"), None), len(held)
        elif kind == "manuscript" and isinstance(held, bytes):
            bundle.pages[path] = held
        elif kind == "manuscript":
            bundle.manuscripts[path] = held
        stage = path.partition("-")[2].removesuffix(".json") if kind == "seal" else path.partition("/")[0]
        bundle.digests[path], bundle.lengths[path] = file_digest(data), len(data)
        entries.append(ListedFile(path, kind, stage, file_format, len(data), bundle.digests[path], split, rows))
    return replace(bundle, **{"entries": entries, **given}).ended()


def _said(kind: str, held: Any) -> Any:
    """What a document says, also where its model would refuse it."""
    return fitted(kind, held)[1] or model_of(kind).model_construct(**held)


def _written(held: Any) -> bytes:
    if isinstance(held, list):
        return "".join(f"{json.dumps(row)}\n" for row in held).encode()
    if isinstance(held, bytes):
        return held
    return held.encode() if isinstance(held, str) else json.dumps(held).encode()


def evidence_of(files: Files, check: str = "", **given: Any) -> Any:
    """What a check is shown of these."""
    asked = given.pop("asked", None)
    evidence, pack = Evidence(bundle_of(files, **given), asked), pack_of(check)
    return evidence if pack is None else seen_by(evidence, pack)


def outcome_of(check: str, files: Files, **given: Any) -> Outcome:
    """What a check says of these."""
    function, unit = FUNCTIONS[check]
    outcome = Outcome(check, unit)
    function(evidence_of(files, check, **given), outcome)
    return outcome


def told(outcome: Outcome, *wanted: str) -> list[tuple[Any, ...]]:
    """Some fields of every finding; of its key, the values. Where it points to, and what was expected and found."""
    names: Iterable[str] = wanted or ("severity", "key", "field", "expected", "found")
    return [
        tuple(" ".join((finding.key or {}).values()) if name == "key" else getattr(finding, name) for name in names)
        for finding in outcome.findings
    ]
