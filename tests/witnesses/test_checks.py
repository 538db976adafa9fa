"""What the checks of outside evidence say of a few witnesses and disclosed rows."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from checks.few_records import evidence_of, outcome_of, told
from sealtrace.bundle.budget import Asked
from sealtrace.bundle.defects import BundleError
from sealtrace.checks.witnesses import Outside, coverage, disclosures
from sealtrace.contract.kinds import STAGES
from sealtrace.witnesses.disclosure import disclosed, salted, tree_of
from sealtrace.witnesses.examining import Witness, Witnessed

SECRET = salted([{"item": f"i{number}", "label": "yes", "split": "test"} for number in range(9)])
TREE = tree_of("labels", "label", SECRET, None)
FILES = {"report/tree.labels.json": TREE.model_dump(exclude_none=True)}
SHOWN = "witnesses/labels.rows.json"


def written(document: Any) -> dict[str, bytes]:
    """A disclosure that lies with the witnesses, beside another one."""
    return {SHOWN: json.dumps(document).encode(), "witnesses/other.txt": b"{}"}


def test_disclosed_rows(tmp_path: Path) -> None:
    """Those that lie with the witnesses, and those that the reader names, are counted; each fault has its row."""
    good, bad = disclosed(TREE, SECRET, [3, 4]), deepcopy(disclosed(TREE, SECRET, [0, 7]))
    bad["rows"][1]["row"]["label"] = "no"
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    asked = Asked(partial=(tmp_path / "bad.json",))
    given: dict[str, Any] = {"witnesses": written(good), "asked": asked}
    outcome = outcome_of("witness.disclosed", FILES, **given)
    assert told(outcome, "source", "line", "key") == [("report/tree.labels.json", 8, "labels")]
    assert (outcome.inspected, outcome.not_applicable) == (4, None)
    seen = disclosures(evidence_of(FILES, **given))
    assert [(one.tree, one.leaves, one.seen, one.wrong, one.seed) for one in seen] == [
        ("labels", 9, 2, 0, None),
        ("labels", 9, 1, 1, None),
    ]


def test_a_sample_that_a_reviewer_drew() -> None:
    """By seed and number; other rows are found."""
    document = disclosed(TREE, SECRET, list(range(9)))
    (seen,) = disclosures(evidence_of(FILES, witnesses=written(document), asked=Asked(seed="mine", count=9)))
    assert (seen.seed, seen.most_wrong) == ("mine", 0)
    outcome = outcome_of("witness.disclosed", FILES, witnesses=written(document), asked=Asked(seed="mine", count=8))
    assert len(outcome.findings) == 1


def test_nothing_is_disclosed() -> None:
    """Where nothing is withheld, or nothing shown, that is said."""
    for files, given, reason in (
        ({}, {"witnesses/a.txt": b""}, "the bundle withholds no rows"),
        (FILES, {"witnesses/a.txt": b""}, "no withheld rows were disclosed (--partial)"),
    ):
        outcome = outcome_of("witness.disclosed", files, witnesses=given)
        assert (outcome.not_applicable, outcome.inspected) == (reason, 0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "line 1"),
        (b"[]", "it is about the tree None; sealed are labels"),
        (b'{"tree": "others"}', "it is about the tree 'others'; sealed are labels"),
        (b'{"tree": "labels"}', "no rows are disclosed"),
    ],
)
def test_what_discloses_nothing(tmp_path: Path, data: bytes, said: str) -> None:
    """With the witnesses it is a finding, and the rest is judged; named by the reader, it is refused with its path."""
    outcome = outcome_of("witness.disclosed", FILES, witnesses={SHOWN: data})
    assert [finding.source for finding in outcome.findings] == [SHOWN]
    assert said in outcome.findings[0].message
    (tmp_path / "labels.rows.json").write_bytes(data)
    asked = Asked(partial=(tmp_path / "labels.rows.json",))
    with pytest.raises(BundleError, match=f"labels.rows.json: .*{said}"):
        outcome_of("witness.disclosed", FILES, asked=asked)
    stray = outcome_of("witness.disclosed", {}, witnesses={SHOWN: b'{"tree": "labels"}'})
    assert "sealed are none" in stray.findings[0].message


@pytest.mark.parametrize(
    ("given", "inspected", "missing", "applies", "errors"),
    [
        ({}, 0, None, False, 0),
        ({"unseen": "nobody can list them"}, 0, "nobody can list them", True, 0),
        ({"witnesses": {"witnesses/a.txt": b""}}, 1, None, True, 1),
        ({"witnesses": {SHOWN: b""}}, 0, None, False, 0),
        ({"asked": Asked(timestamps=("bank",))}, 1, None, True, 1),
        ({"asked": Asked(timestamps=("bank",)), "unseen": "nobody"}, 1, "nobody", True, 1),
    ],
)
def test_witnesses(given: dict[str, Any], inspected: int, missing: str | None, applies: bool, errors: int) -> None:
    """What is there, what was asked for, and what could not be looked for."""
    outcome = outcome_of("witness.outside", {}, **given)
    assert (outcome.inspected, outcome.missing, outcome.counts["error"]) == (inspected, missing, errors)
    assert (outcome.not_applicable is None) == applies


def test_coverage() -> None:
    """Each stage with those who saw it or what commits to it, whether one is vouched for, and since when."""
    evidence = evidence_of({})
    assert coverage(evidence) == []
    seen = evidence.view(Outside)
    weak = Witness("a.commit", "git", "trace", "somebody", "2026-01-01", vouched=False)
    strong = Witness("b.tsr", "timestamp", "bank", "an authority", "2026-02-02", vouched=True)
    seen.__dict__["witnesses"] = Witnessed([weak, strong])
    found = coverage(evidence)
    assert [stage.stage for stage in found] == list(STAGES)
    bank, trace, replay = (found[STAGES.index(stage)] for stage in ("bank", "trace", "replay"))
    assert (bank.witnesses, bank.vouched, bank.since) == ([weak.sentence, strong.sentence], True, "2026-02-02")
    assert (trace.witnesses, trace.vouched, trace.since) == ([weak.sentence], False, None)
    assert (replay.witnesses, replay.vouched) == ([], False)
