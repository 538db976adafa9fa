"""The release as a whole: archived originals, anonymity, and the manuscript's own log."""

from __future__ import annotations

import re

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.policies.evidence.study import Study

_UNDEFINED = re.compile(r"LaTeX Warning: (Reference|Citation) [`'](?P<name>[^']*)'[^\n]*undefined")
_OVERFULL = re.compile(r"Overfull \\(?P<box>[hv])box \((?P<amount>[0-9.]+)pt too (?:wide|high)\)(?P<rest>[^\n]*)")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_REFERENCE = re.compile(r"\\(?:eq|page|auto|c|C|v|name)?ref\*?\{([^}]*)\}")


@check("source.preserved", "sources")
def preserved(study: Study, outcome: Outcome) -> None:
    frame = study.frame("source")
    if not study.bundle.of_kind("source"):
        outcome.not_applicable = "the bundle archives no originals"
        return
    outcome.inspected = frame.size
    for row, record in enumerate(frame.table.to_pylist()):
        source, number = frame.place(row)
        path = record["path"]
        if path not in study.bundle.digests:
            outcome.add(
                "the archived original is not in the bundle",
                source=source,
                row=number,
                key=frame.key(row),
                field="/path",
                expected="an attachment",
                found="nothing",
            )
            continue
        for field, found in (("bytes", study.bundle.lengths[path]), ("sha256", study.bundle.digests[path])):
            if found != record[field]:
                outcome.add(
                    "the archived original has changed",
                    source=path,
                    key=frame.key(row),
                    field=f"/{field}",
                    expected=record[field],
                    found=found,
                )


@check("hygiene.anonymous", "files")
def anonymous(study: Study, outcome: Outcome) -> None:
    if not study.protocol.get("anonymous", True):
        outcome.not_applicable = "the release is not anonymous"
        return
    outcome.inspected = len(study.bundle.digests)
    outcome.defects(study.bundle.marks)


@check("manuscript.references", "manuscript files")
def references(study: Study, outcome: Outcome) -> None:
    if not study.bundle.manuscripts:
        outcome.not_applicable = "the bundle holds no manuscript source or log"
        return
    sources = {path: text for path, text in study.bundle.manuscripts.items() if path.endswith(".tex")}
    _unresolved(sources, outcome)
    for path, text in study.bundle.manuscripts.items():
        outcome.inspected += 1
        if path in sources:
            continue
        for match in _UNDEFINED.finditer(_unwrapped(text)):
            outcome.add(
                f"an undefined {match.group(1).lower()}",
                source=path,
                key={"name": match.group("name")},
                expected="a definition",
                found="none",
            )


def _unresolved(sources: dict[str, str], outcome: Outcome) -> None:
    """References of LaTeX sources without a label in any of them, and labels that stand twice."""
    plain = {path: _COMMENT.sub("", text) for path, text in sources.items()}
    labels: dict[str, str] = {}
    for path, text in plain.items():
        for match in _LABEL.finditer(text):
            place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            if match.group(1) in labels:
                outcome.add(
                    "the label stands twice",
                    source=path,
                    row=text.count("\n", 0, match.start()) + 1,
                    key={"name": match.group(1)},
                    expected=f"only {labels[match.group(1)]}",
                    found=place,
                )
            labels.setdefault(match.group(1), place)
    for path, text in plain.items():
        for match in _REFERENCE.finditer(text):
            for name in match.group(1).split(","):
                if name.strip() not in labels:
                    outcome.add(
                        "a reference without a label",
                        source=path,
                        row=text.count("\n", 0, match.start()) + 1,
                        key={"name": name.strip()},
                        expected="a label",
                        found="none",
                    )


@check("manuscript.overfull", "manuscript logs")
def overfull(study: Study, outcome: Outcome) -> None:
    logs = {path: text for path, text in study.bundle.manuscripts.items() if path.endswith(".log")}
    if not logs:
        outcome.not_applicable = "the bundle holds no manuscript log"
        return
    for path, text in logs.items():
        outcome.inspected += 1
        for match in _OVERFULL.finditer(text):
            outcome.add(
                "an overfull box",
                source=path,
                row=text.count("\n", 0, match.start()) + 1,
                key={"place": match.group("rest").strip()},
                expected="no overfull box",
                found=f"{match.group('amount')}pt too {'wide' if match.group('box') == 'h' else 'high'}",
            )


def _unwrapped(text: str) -> str:
    """TeX breaks log lines at 79 characters, in the middle of names."""
    return re.sub(r"(?m)^(.{79})\n", r"\1", text)
