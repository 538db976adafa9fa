"""States that are independent draws: repeats are allowed, and the draws themselves can be checked."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import sealtrace
from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.recipes.metrics import compute
from sealtrace.studies.policies.evidence.calibration import declared_setting
from sealtrace.studies.policies.evidence.choice import choose, selector_named
from sealtrace.studies.policies.evidence.deployment import repeated_splits
from sealtrace.studies.policies.evidence.study import Study
from studies.certified_study import SPLITS, Parts, certified_study

POPULATION = 40
SEED = 77


def drawn(parts: Parts) -> None:
    """Every state is a member of a small population; two draws of one member look alike."""
    protocol = parts["protocol"]
    protocol["identities"] = "independent-draws"
    protocol["assignment"] = {
        "seed": SEED,
        "generator": "python-randrange",
        "population": POPULATION,
        "member": "stack",
        "strata": [],
        "order": list(SPLITS),
    }
    stream = Random(SEED)
    for split in SPLITS:
        for row in sorted(parts["observation"][split], key=lambda row: str(row["state"])):
            row["stack"] = stream.randrange(POPULATION)
            row["pot"], row["position"] = row["stack"] % 9 + 1, "early"


def same_looks(parts: Parts) -> None:
    """A held-out observation is a copy of a calibration one."""
    first = {k: v for k, v in parts["observation"]["calibration"][0].items() if k not in ("state", "split")}
    parts["observation"]["held-out"][0].update(first)


def findings(directory: Path, change: Any, check: str) -> list[tuple[str, str | None, str | None]]:
    """What a check says of the changed study."""
    report = sealtrace.verify(certified_study(directory / "bundle", change), check=[check])
    return [(one.message, one.expected, one.found) for one in report.findings if one.severity == "error"]


def test_repeats_are_allowed_only_where_declared(tmp_path: Path) -> None:
    """The same observation in two splits is an error among disjoint identities, and none among draws."""
    (found,) = findings(tmp_path / "a", same_looks, "split.duplicates")
    assert found[0] == "The same observation is in another split under another id."

    def both(parts: Parts) -> None:
        same_looks(parts)
        parts["protocol"]["identities"] = "independent-draws"

    assert findings(tmp_path / "b", both, "split.duplicates") == []


def test_draws_are_replayed(tmp_path: Path) -> None:
    """Each state is the member that the seed gives; another member is found, and so is one that looks different."""
    assert findings(tmp_path / "a", drawn, "split.rule") == []

    def another(parts: Parts) -> None:
        drawn(parts)
        row = min(parts["observation"]["calibration"], key=lambda row: str(row["state"]))
        row["stack"] = (row["stack"] + 1) % POPULATION

    assert {one[0] for one in findings(tmp_path / "b", another, "split.rule")} >= {
        "The declared draw gives the state another member."
    }

    def different(parts: Parts) -> None:
        drawn(parts)
        known = {row["stack"] for row in parts["observation"]["calibration"]}
        row = next(row for row in parts["observation"]["held-out"] if row["stack"] in known)
        row["pot"] = 99

    assert {one[0] for one in findings(tmp_path / "c", different, "split.rule")} == {
        "Two draws of one member look different."
    }


def test_a_draw_needs_its_declaration(tmp_path: Path) -> None:
    """Among disjoint identities nothing is drawn with repeats, and a draw names its population and its field."""

    def change(parts: Parts) -> None:
        drawn(parts)
        parts["protocol"]["identities"] = "disjoint"
        parts["protocol"]["assignment"] |= {"population": 0, "member": "nothing"}

    report = sealtrace.verify(certified_study(tmp_path / "bundle", change), check=["protocol.domain"])
    fields = {one.field for one in report.findings if one.severity == "error"}
    assert fields == {"/assignment/generator", "/assignment/population", "/assignment/member"}


def test_repeated_draws(tmp_path: Path) -> None:
    """Repeats draw with replacement as the protocol says, and states count as often as they come up."""

    def change(parts: Parts) -> None:
        parts["protocol"]["resampling"]["generator"] = "python-randrange"

    study = Evidence(read_bundle(certified_study(tmp_path / "bundle", change))).view(Study)
    declared = study.declared.resampling
    assert declared is not None
    names = study.states.ids.to_pylist()
    codes, splits = study.frame("observation").texts("split")
    pool = sorted(name for name, code in zip(names, codes.tolist(), strict=True) if splits[code] in declared.pool)
    found = repeated_splits(study, None)
    assert len(found) == declared.repeats
    for number, (calibrating, held_out) in enumerate(found):
        assert declared.seed is not None
        stream = Random(declared.seed + number)
        due = [[pool[stream.randrange(len(pool))] for _ in range(n)] for n in (declared.calibration, declared.held_out)]
        assert [[names[state] for state in part.tolist()] for part in (calibrating, held_out)] == due
    calibrating = found[0][0]
    assert len(set(calibrating.tolist())) < len(calibrating)
    chosen = choose(study, selector_named(study, "dual"), declared_setting(study), calibrating)
    assert chosen.calibration.counts.sum() == len(calibrating)
    row, group = 0, 0
    members = [state for state in calibrating.tolist() if chosen.partition.group_of[state] == group]
    crossed = chosen.calibration.outcomes.of(chosen.calibration.candidates[row]).crossed
    assert chosen.calibration.crossings[row, group] == sum(bool(crossed[state]) for state in members)
    assert 0 <= float(compute(study.evidence, "repeated_crossing_rate", {"selector": "dual"}).numbers[0]) <= 1
