"""What one check says of a small study after a change: a few milliseconds each. Nothing is sealed or read from disk."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

from checks.few_records import bundle_of
from games import small_games
from sealtrace.bundle.content import table_digest
from sealtrace.bundle.model import Bundle
from sealtrace.checks import families  # noqa: F401 - registers the functions
from sealtrace.checks.catalogue import pack_of
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.evidence import Evidence, seen_by
from studies import certified_study
from support import FIXTURE, read_rows

Files = dict[str, Any]
"""Path to a document, or to rows."""
Changes = dict[str, Any]
"""Place to what is there instead, or to a function of what was there: the name of a file, `#`, and a pointer in it."""
CUT: Any = object()
"""As what is there instead: nothing."""


def change(files: Files, changes: Changes) -> None:
    """Makes changes, in their order. A file that does not exist yet is named by its whole path."""
    for place, value in changes.items():
        name, _, pointer = place.partition("#")
        found = [path for path in files if path.partition("/")[2].rpartition(".")[0] == name]
        held: Any = files
        steps = [*(found or [name]), *pointer.split("/")[1:]]
        for step in steps[:-1]:
            held = held[int(step) if isinstance(held, list) else step]
        last: Any = int(steps[-1]) if isinstance(held, list) else steps[-1]
        if value is CUT:
            del held[last]
        else:
            held[last] = value(held[last]) if callable(value) else value


def sound_files(name: str) -> Files:
    """The records of a study, to be changed: `fixture`, `certified` or `games`."""
    files: Files = pickle.loads(_pickled(name))
    return files


@cache
def _pickled(name: str) -> bytes:
    if name == "certified":
        return pickle.dumps(certified_study.files_of(certified_study.sound_parts()))
    if name == "games":
        return pickle.dumps(small_games.files_of(small_games.parts()))
    files = {}
    for path in sorted(FIXTURE.glob("*/*.json*")):
        place = path.relative_to(FIXTURE).as_posix()
        if "seals/" not in place and not path.name.startswith(("table.", "source.")):
            files[place] = json.loads(path.read_bytes()) if path.suffix == ".json" else read_rows(path)
    return pickle.dumps(files)


@cache
def _sound(name: str) -> tuple[Files, Bundle]:
    files = sound_files(name)
    return files, _read(files)


def _read(files: Files) -> Bundle:
    bundle = bundle_of({path: held for path, held in files.items() if held})
    digests = {
        store.path: table_digest(store.whole, "trace") for store in bundle.of_kind("trace") if store.whole is not None
    }
    return replace(bundle, contents={**bundle.contents, **digests})


def study_of(name: str, changes: Changes | None = None) -> Evidence:
    """A study after changes; only files that differ are read again."""
    files, (before, sound) = sound_files(name), _sound(name)
    change(files, changes or {})
    files = {path: held for path, held in files.items() if held}
    order = {path: place for place, path in enumerate(files)}
    bundle = _read({path: held for path, held in files.items() if held != before.get(path)})
    changed = set(bundle.digests)

    def merged(name: str) -> list[Any]:
        kept = [held for held in getattr(sound, name) if held.path in order and held.path not in changed]
        return sorted([*getattr(bundle, name), *kept], key=lambda held: order[held.path])

    contents = {path: digest for path, digest in sound.contents.items() if path not in changed}
    parts: dict[str, Any] = {name: merged(name) for name in ("documents", "stores", "entries")}
    name = files["declare/protocol.json"]["study"]
    return Evidence(replace(bundle, contents={**contents, **bundle.contents}, name=name, **parts))


def outcome_of(check: str, study: Evidence) -> Outcome:
    """What a check says of a study."""
    function, unit = FUNCTIONS[check]
    pack = pack_of(check)
    assert pack is not None
    assert pack.evidence is not None
    function(seen_by(study, pack), outcome := Outcome(check, unit))
    return outcome


def said(outcome: Outcome) -> list[str]:
    """What a check inspects, why that is not all, its first findings, and how many there are of each field if more."""
    lines = [f"{outcome.inspected} {outcome.unit}"]
    lines += [f"missing: {outcome.missing}"] * (outcome.missing is not None)
    lines += [f"not applicable: {outcome.not_applicable}"] * (outcome.not_applicable is not None)
    for finding in outcome.findings[:3]:
        severity = "" if finding.severity == "error" else f"{finding.severity} "
        file = (finding.source or "").rpartition("/")[2].rpartition(".")[0]
        place = " ".join([file, *(finding.key or {}).values(), finding.field or "-"])
        lines.append(f"{severity}{place}: {finding.expected}, not {finding.found}")
    fields = Counter(finding.field or "-" for finding in outcome.findings[3:])
    lines += [f"{times} more of {field}" for field, times in fields.items()]
    return [line if len(line) < 100 else f"{line[:59]}…{line[-40:]}" for line in lines]


Cases = dict[str, dict[str, tuple[Any, ...]]]
"""Check to what is tried: by its name, the changes and then what is said."""


def listed(cases: Cases) -> list[tuple[str, str]]:
    """Every check with every name."""
    return [(check, name) for check, named in cases.items() for name in named]


def agree(study: str, check: str, case: tuple[Any, ...]) -> None:
    """A check says what it must."""
    changes, *lines = case
    assert lines == said(outcome_of(check, study_of(study, changes)))
