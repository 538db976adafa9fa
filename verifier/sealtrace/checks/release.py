"""The release as a whole: archived originals, anonymity, and the manuscript's own log."""

from __future__ import annotations

import re

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check, lacking
from sealtrace.evidence import Evidence

_UNDEFINED = re.compile(r"LaTeX Warning: (Reference|Citation) [`'](?P<name>[^']*)'[^\n]*undefined")
_OVERFULL = re.compile(r"Overfull \\(?P<box>[hv])box \((?P<amount>[0-9.]+)pt too (?:wide|high)\)(?P<rest>[^\n]*)")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_REFERENCE = re.compile(r"\\(?:eq|page|auto|c|C|v|name)?ref\*?\{([^}]*)\}")


@check("source.preserved", "sources", unless=lacking("source", "the bundle archives no originals"))
def preserved(evidence: Evidence, outcome: Outcome) -> None:
    frame = evidence.frame("source")
    outcome.inspected = frame.size
    for row, record in enumerate(frame.table.to_pylist()):
        path = record["path"]
        if path not in evidence.bundle.digests:
            message = "The archived original is not in the bundle. Add it, or remove its record."
            outcome.on(frame, row).error("/path", message, "an attachment", "nothing")
            continue
        message = "The archived original changed after it was archived. Restore it."
        for field, found in (("bytes", evidence.bundle.lengths[path]), ("sha256", evidence.bundle.digests[path])):
            outcome.at(path, frame.key(row)).expect(f"/{field}", message, record[field], found)


@check("hygiene.anonymous", "files")
def anonymous(evidence: Evidence, outcome: Outcome) -> None:
    # Anonymous unless it is denied: a release that says nothing must not name anybody by accident.
    if not evidence.protocol.get("anonymous", True):
        outcome.not_applicable = "the release is not anonymous"
        return
    outcome.inspected = len(evidence.bundle.digests)


@check("manuscript.references", "manuscript files")
def references(evidence: Evidence, outcome: Outcome) -> None:
    if not evidence.bundle.manuscripts:
        outcome.not_applicable = "the bundle holds no manuscript source or log"
        return
    sources = {path: text for path, text in evidence.bundle.manuscripts.items() if path.endswith(".tex")}
    _unresolved(sources, outcome)
    for path, text in evidence.bundle.manuscripts.items():
        outcome.inspected += 1
        if path in sources:
            continue
        # TeX breaks log lines at 79 characters, in the middle of names.
        for match in _UNDEFINED.finditer(re.sub(r"(?m)^(.{79})\n", r"\1", text)):
            outcome.at(path, {"name": match.group("name")}).error(
                None, f"An undefined {match.group(1).lower()}.", "a definition", "none"
            )


def _unresolved(sources: dict[str, str], outcome: Outcome) -> None:
    """References in LaTeX sources that no label answers, and labels that are defined twice."""
    plain = {path: _COMMENT.sub("", text) for path, text in sources.items()}
    labels: dict[str, str] = {}
    for path, text in plain.items():
        for match in _LABEL.finditer(text):
            place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            if match.group(1) in labels:
                outcome.at(path, {"name": match.group(1)}, text.count("\n", 0, match.start()) + 1).error(
                    None, "Two places define this label. Rename one.", f"only {labels[match.group(1)]}", place
                )
            labels.setdefault(match.group(1), place)
    for path, text in plain.items():
        for match in _REFERENCE.finditer(text):
            for name in match.group(1).split(","):
                if name.strip() not in labels:
                    outcome.at(path, {"name": name.strip()}, text.count("\n", 0, match.start()) + 1).error(
                        None, "The manuscript refers to a label that it does not define.", "a label", "none"
                    )


@check("manuscript.overfull", "manuscript logs")
def overfull(evidence: Evidence, outcome: Outcome) -> None:
    logs = {path: text for path, text in evidence.bundle.manuscripts.items() if path.endswith(".log")}
    if not logs:
        outcome.not_applicable = "the bundle holds no manuscript log"
        return
    for path, text in logs.items():
        outcome.inspected += 1
        for match in _OVERFULL.finditer(text):
            at = outcome.at(path, {"place": match.group("rest").strip()}, text.count("\n", 0, match.start()) + 1)
            found = f"{match.group('amount')}pt too {'wide' if match.group('box') == 'h' else 'high'}"
            at.error(None, "The manuscript has an overfull box: text runs over the margin.", "no overfull box", found)
