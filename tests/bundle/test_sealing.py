"""Sealing: the chain grows by whole stages in one order, and a refusal changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import sealtrace
from sealtrace.bundle import sealing
from sealtrace.bundle.identity import seal_path
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import Sealed, SealError, seal
from sealtrace.contract.kinds import STAGES
from support import EMPTY, FIXTURE, Row, copy_of_fixture, edit_document, edit_rows, read_rows, unseal, write_rows

ROOT_SHA256 = json.loads((FIXTURE / "manifest.json").read_text(encoding="utf-8"))["root_sha256"]
Change = Callable[[Path], object]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The fixture's records, not sealed yet."""
    root = copy_of_fixture(tmp_path)
    unseal(root)
    return root


def snapshot(root: Path) -> dict[str, bytes | str]:
    """Every path with its bytes, or with what else it is."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        if path.is_file() and not path.is_symlink()
        else "link"
        if path.is_symlink()
        else "directory"
        for path in root.rglob("*")
        if not path.is_fifo()
    }


def refused(root: Path, fragment: str, stages: list[str] | None = None, empty: dict[str, str] | None = None) -> str:
    """The message of a refusal, after seeing that nothing on the disk changed."""
    before = snapshot(root)
    with pytest.raises(SealError) as caught:
        seal(root, stages, EMPTY if empty is None else empty)
    assert before == snapshot(root)
    assert fragment in str(caught.value)
    return str(caught.value)


def test_all_at_once_is_the_shipped_bundle(study: Path) -> None:
    """Sealing is a function of the records: the same bytes, down to the last."""
    done = seal(study, None, EMPTY)
    assert list(STAGES) == [one.stage for one in done]
    assert {ROOT_SHA256} == {one.root_sha256 for one in done}
    assert snapshot(FIXTURE) == snapshot(study)


def test_stage_by_stage_is_all_at_once(study: Path) -> None:
    """An experiment may seal while it runs; the directory is a bundle after every stage."""
    roots = []
    for stage in STAGES:
        (one,) = seal(study, [stage], {stage: EMPTY[stage]} if stage in EMPTY else {})
        assert stage == one.stage
        assert (study / seal_path(stage)).is_file()
        # Files of later stages are there, but not sealed yet: the only thing that a listing can find.
        report = sealtrace.verify(study, check=["identity"])
        failed = {check.id for check in report.checks if check.status == "fail"}
        assert failed == (set() if stage == STAGES[-1] else {"identity.listing"})
        assert one.root_sha256 == report.subject.root_sha256
        roots.append(one.root_sha256)
    assert roots[-1] == ROOT_SHA256
    assert len(set(roots)) == len(STAGES)
    assert snapshot(FIXTURE) == snapshot(study)


def test_several_stages_at_a_time(study: Path) -> None:
    """Any cut of the order into calls gives the same chain."""
    seal(study, ["declare", "bank"], {})
    seal(study, ["structure"], EMPTY)
    assert seal(study)[-1].root_sha256 == ROOT_SHA256


def test_sha256sum_accepts_the_sums(study: Path) -> None:
    """A reader without this package can check the bytes with a tool that is everywhere."""
    seal(study, None, EMPTY)
    command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    good = subprocess.run(command, cwd=study, capture_output=True, text=True, check=False)
    assert (good.returncode, good.stdout, good.stderr) == (0, "", "")
    listed = {line[66:] for line in (study / "SHA256SUMS").read_text(encoding="utf-8").splitlines()}
    assert {path for path, data in snapshot(study).items() if isinstance(data, bytes)} - {"SHA256SUMS"} == listed
    with (study / "trace" / "trace.calibration.jsonl").open("ab") as file:
        file.write(b"\n")
    bad = subprocess.run(command, cwd=study, capture_output=True, text=True, check=False)
    assert bad.returncode == 1
    assert "trace/trace.calibration.jsonl: FAILED" in bad.stdout


def test_sealing_twice_is_refused(study: Path) -> None:
    """A sealed stage is never sealed again, alone or with all others."""
    seal(study, ["declare"], {})
    refused(study, "declare: sealed already", ["declare"])
    refused(study, "declare: sealed already", ["declare", "bank"])
    seal(study, None, EMPTY)
    refused(study, "every stage is sealed already")


def test_the_order_of_stages_is_kept(study: Path) -> None:
    """No stage is skipped, and no list of stages is sealed in part."""
    refused(study, "trace: the next stage to seal is declare", ["trace"])
    refused(study, "structure: the next stage to seal is bank", ["declare", "structure"])
    refused(study, "declare: the next stage to seal is bank", ["declare", "declare"])
    seal(study, ["declare"], {})
    refused(study, "calibrate: the next stage to seal is bank", ["calibrate"])


def _append(path: str, text: str = "\n") -> Change:
    def change(root: Path) -> None:
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(text)

    return change


def _added(path: str, data: bytes = b"x\n") -> Change:
    def change(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)

    return change


def _both(*paths: str) -> Change:
    return lambda root: [_added(path)(root) for path in paths]


def _seal_edited(stage: str, edit: Callable[[Row], object]) -> Change:
    def change(document: Row) -> None:
        edit(document)

    return lambda root: edit_document(root / seal_path(stage), change)


AFTER_SEALING: dict[str, tuple[Change, str]] = {
    "a sealed file changed": (_append("bank/candidate.jsonl"), "bank/candidate.jsonl: changed since it was sealed"),
    "a sealed attachment changed": (
        _append("declare/attachments/environment.json"), "environment.json: changed since it was sealed",
    ),
    "a sealed file is gone": (
        lambda root: (root / "bank" / "candidate.jsonl").unlink(), "bank/candidate.jsonl: sealed in bank, and gone",
    ),
    "a file appeared in a sealed stage": (
        _added("bank/attachments/late.txt"), "bank/attachments/late.txt: appeared after bank was sealed",
    ),
    "a record file appeared in a sealed stage": (
        lambda root: shutil.copy(root / "bank" / "candidate.jsonl", root / "bank" / "candidate.more.jsonl"),
        "bank/candidate.more.jsonl: appeared after bank was sealed",
    ),
    "a file appeared in an empty stage": (
        _added("structure/attachments/late.txt"), "structure/attachments/late.txt: appeared after structure",
    ),
    "a sealed file became a link": (
        lambda root: _linked(root / "bank" / "candidate.jsonl", root.parent / "candidate.jsonl"),
        "bank/candidate.jsonl: a link cannot be sealed",
    ),
    "a seal changed": (
        _seal_edited("declare", lambda document: document["files"].pop()), "2-bank.json: does not follow from",
    ),
    "a seal names another stage": (
        _seal_edited("structure", lambda document: document.update(stage="trace")),
        "3-structure.json: does not follow from the seal before it",
    ),
    "a seal is damaged": (
        lambda root: (root / seal_path("bank")).write_text("{}", encoding="utf-8"), "2-bank.json: damaged",
    ),
    "a seal is not JSON": (
        lambda root: (root / seal_path("bank")).write_text("{", encoding="utf-8"), "2-bank.json: line 1 column 2",
    ),
    "a seal is gone from the middle": (
        lambda root: (root / seal_path("bank")).unlink(), "3-structure.json: an earlier stage has no seal",
    ),
    "a seal became a link": (
        lambda root: _linked(root / seal_path("bank"), root.parent / "bank.json"), "2-bank.json: not a seal",
    ),
    "something else lies among the seals": (_added("seals/notes.txt"), "seals/notes.txt: not a seal"),
}  # fmt: skip


def _linked(path: Path, elsewhere: Path) -> None:
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


@pytest.mark.parametrize(("change", "fragment"), AFTER_SEALING.values(), ids=AFTER_SEALING)
def test_nothing_is_sealed_while_the_past_has_changed(change: Change, fragment: str, study: Path) -> None:
    """A later stage commits to all earlier ones, so it must find them as they were."""
    seal(study, ["declare", "bank", "structure"], EMPTY)
    change(study)
    refused(study, fragment, ["trace"], {})
    refused(study, fragment, None, {})


def _all_rows_set(path: str, **values: object) -> Change:
    def change(rows: list[Row]) -> None:
        for row in rows:
            row.update(values)

    return lambda root: edit_rows(root / path, change)


def _row_set(path: str, row: int, **values: object) -> Change:
    return lambda root: edit_rows(root / path, lambda rows: rows[row].update(values))


def _moved(path: str, target: str) -> Change:
    def change(root: Path) -> None:
        (root / target).parent.mkdir(parents=True, exist_ok=True)
        (root / path).rename(root / target)

    return change


def _training_in_the_bank(kind: str) -> Change:
    """Training traces in the bank, with training values or scores beside them."""

    def change(root: Path) -> None:
        split = {"name": "training", "role": "training", "states": 1}
        edit_document(root / "declare" / "protocol.json", lambda document: document["splits"].append(split))
        for name, place in (("trace", "trace"), (kind, "calibrate")):
            rows = read_rows(root / place / f"{name}.calibration.jsonl")
            write_rows(root / "bank" / f"{name}.training.jsonl", [row | {"split": "training"} for row in rows])

    return change


TRACES = "trace/trace.calibration.jsonl"
BEFORE_SEALING: dict[str, tuple[Change, str]] = {
    "scores in the stage of their traces": (
        _moved("calibrate/score.calibration.jsonl", "trace/score.calibration.jsonl"),
        "trace/score.calibration.jsonl: score of calibration does not belong in trace",
    ),
    "scores before their traces": (
        _moved("calibrate/score.calibration.jsonl", "bank/score.calibration.jsonl"),
        "score of calibration does not belong in bank",
    ),
    "held-out scores at calibration": (
        _moved("report/score.held-out.jsonl", "calibrate/score.held-out.jsonl"),
        "calibrate/score.held-out.jsonl: score of held-out does not belong in calibrate",
    ),
    "held-out values at calibration": (
        _moved("report/values.held-out.jsonl", "calibrate/values.held-out.jsonl"),
        "values of held-out does not belong in calibrate",
    ),
    "training values in the stage of their traces": (
        _training_in_the_bank("values"), "bank/values.training.jsonl: values of training in the stage of its traces",
    ),
    "training scores in the stage of their traces": (
        _training_in_the_bank("score"), "bank/score.training.jsonl: score of training does not belong in bank",
    ),
    "a kind in the wrong stage": (
        _moved("select/selection.json", "calibrate/selection.json"),
        "calibrate/selection.json: selection does not belong in calibrate",
    ),
    "a split that the protocol does not declare": (
        _all_rows_set(TRACES, split="other"), f"{TRACES}: trace does not belong in trace",
    ),
    "two splits in a file": (
        _row_set(TRACES, 3, split="held-out"), f"{TRACES}: holds the splits calibration, held-out",
    ),
    "a stray file at the root": (_added("notes.txt"), "notes.txt: lies in no stage"),
    "a stray directory": (_added("results/trace.jsonl"), "results/trace.jsonl: lies in no stage"),
    "a file named like a stage": (_added("declare.txt"), "declare.txt: lies in no stage"),
    "a file of no kind": (_added("trace/notes.txt"), "trace/notes.txt: not named after a record kind"),
    "a plural": (_moved(TRACES, "trace/traces.calibration.jsonl"), "not named after a record kind"),
    "a record file in a directory": (
        _moved(TRACES, "trace/calibration/trace.jsonl"),
        "trace/calibration/trace.jsonl: not named after a record kind",
    ),
    "a seal among the records": (_added("trace/seal.json", b"{}"), "trace/seal.json: not named after a record kind"),
    "rows as a document": (_moved(TRACES, "trace/trace.json"), "trace/trace.json: trace records are written as jsonl"),
    "a document as rows": (
        _moved("select/selection.json", "select/selection.jsonl"), "selection records are written as json",
    ),
    "an empty file": (lambda root: (root / TRACES).write_bytes(b""), f"{TRACES}: empty"),
    "an empty attachment": (_added("trace/attachments/x", b""), "trace/attachments/x: empty"),
    "a link": (lambda root: (root / "trace" / "attachments").symlink_to(root), "trace/attachments: a link cannot be"),
    "a pipe": (lambda root: os.mkfifo(root / "trace" / "pipe"), "trace/pipe: a special file cannot be sealed"),
    "seals that are a link": (lambda root: (root / "seals").symlink_to(root.parent), "seals: not a seal"),
    "a name with a newline": (_added("trace/attachments/a\nb"), "it has a control character"),
    "a name that is too long": (_added(f"trace/attachments/{'d' * 100}/{'f' * 100}"), "longer than 200 characters"),
    "a name with a backslash": (_added("trace/attachments/a\\b"), "it has a backslash"),
    "a name with a space of no width": (_added("trace/attachments/a\u200bb"), "it has an invisible character"),
    "names that differ by case": (_both("trace/attachments/a", "trace/attachments/A"), "cannot tell it from"),
    "accents in two encodings": (_both("trace/attachments/\xe9", "trace/attachments/e\u0301"), "cannot tell it"),
    "no protocol": (lambda root: (root / "declare" / "protocol.json").unlink(), "declare/protocol.json: missing"),
    "a bad protocol": (
        lambda root: edit_document(root / "declare" / "protocol.json", lambda document: document.update(tau=0.05)),
        "declare/protocol.json/tau: expected",
    ),
    "a bad record": (_row_set(TRACES, 6, action=7), f"{TRACES}:7/action: expected text matching"),
    "a bad value within a record": (
        _row_set(TRACES, 1, probabilities={"fold": "1"}), f'{TRACES}:2/probabilities/*: expected a number, found "1"',
    ),
    "an unknown field": (_row_set(TRACES, 0, note="x"), f'{TRACES}:1/note: expected no such field, found "x"'),
    "a duplicate key": (_append(TRACES, '{"state": "a", "state": "b"}\n'), f'{TRACES}:109:16: duplicate key "state"'),
    "a blank line among others": (_append(TRACES, "\n{}\n"), f"{TRACES}:109:1: unexpected end of text"),
    "a bad document": (
        lambda root: edit_document(root / "select" / "selection.json", lambda document: document.pop("tau") and None),
        "select/selection.json: expected fields tau",
    ),
    "a Parquet file that is none": (_moved(TRACES, "trace/trace.parquet"), "trace.parquet: The file cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "fragment"), BEFORE_SEALING.values(), ids=BEFORE_SEALING)
def test_what_cannot_be_sealed_is_refused_with_its_place(change: Change, fragment: str, study: Path) -> None:
    """Every defect is met before the first seal is written, even one of the last stage."""
    change(study)
    refused(study, fragment)


def test_names_that_other_systems_cannot_tell_apart_are_found(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may have sealed them: unpacked elsewhere, one file takes the place of the other."""
    _both("trace/attachments/a", "trace/attachments/A")(study)
    monkeypatch.setattr(sealing, "colliding", lambda _: {})
    seal(study, empty=EMPTY)
    found = {(one.check, one.source) for one in sealtrace.verify(study).findings if one.severity == "error"}
    assert found == {("identity.listing", "trace/attachments/a")}


def test_scores_need_their_traces_sealed_before(study: Path) -> None:
    """Scores of traces that were never sealed have nothing to point at."""
    (study / TRACES).unlink()
    empty = EMPTY | {"trace": "lost"}
    refused(study, "score.calibration.jsonl: scores of calibration before its traces are sealed", None, empty)
    seal(study, ["declare", "bank", "structure", "trace"], empty)
    refused(study, "scores of calibration before its traces are sealed", ["calibrate"])


def test_an_empty_stage_needs_a_reason_and_only_an_empty_one_takes_it(study: Path) -> None:
    """Nothing is left out in silence, and nothing that is there is called absent."""
    refused(study, "structure: holds no file; say why", None, {})
    refused(study, "structure: holds no file; say why", None, {"structure": ""})
    refused(study, "trace: called empty, but holds trace/trace.calibration.jsonl", None, EMPTY | {"trace": "no"})


def test_one_reason_for_all_empty_stages(study: Path) -> None:
    """`all` is for the stages that hold nothing and have no reason of their own; the others do not see it."""
    shutil.rmtree(study / "select")
    seal(study, None, EMPTY | {"all": "Nothing to select."})
    reasons = {
        stage: json.loads((study / seal_path(stage)).read_text(encoding="utf-8")).get("empty_reason")
        for stage in STAGES
    }
    assert {**dict.fromkeys(STAGES), **EMPTY, "select": "Nothing to select."} == reasons


def test_a_reason_for_all_changes_no_stage_that_holds_files(study: Path) -> None:
    """The reason of `all` is that of a stage, word for word, in one call or stage by stage."""
    seal(study, ["declare"], {"all": EMPTY["structure"]})
    seal(study, None, {"all": EMPTY["structure"]})
    assert snapshot(FIXTURE) == snapshot(study)


def test_a_reason_for_all_does_not_replace_the_protocol(tmp_path: Path) -> None:
    """A study without declarations is not a study, whatever the reason."""
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "relation.jsonl").write_text("{}", encoding="utf-8")
    refused(tmp_path, "declare/protocol.json: missing", None, {"all": "no reason is good enough"})


def test_all_problems_of_a_kind_come_at_once(study: Path) -> None:
    """A user does not have to seal twenty times to see twenty bad rows; a flood is cut, and counted."""
    _all_rows_set(TRACES, action=7)(study)
    message = refused(study, f"{TRACES}:1/action")
    assert len(message.splitlines()) == 21
    assert message.endswith("... and 88 more")


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """A path that is no directory."""
    with pytest.raises(SealError, match="no such directory"):
        seal(tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "declare: holds no file")


@pytest.mark.parametrize("derived", [["manifest.json"], ["SHA256SUMS"], ["manifest.json", "SHA256SUMS"]])
def test_an_interrupted_run_can_be_continued(derived: list[str], study: Path) -> None:
    """The seals are the state: a run that ended before the manifest was written loses nothing."""
    seal(study, ["declare", "bank"], {})
    for name in derived:
        (study / name).unlink()
    seal(study, None, EMPTY)
    assert snapshot(FIXTURE) == snapshot(study)


@pytest.mark.parametrize("derived", [["manifest.json"], ["SHA256SUMS"], ["manifest.json", "SHA256SUMS"]])
def test_a_run_interrupted_after_its_last_seal_can_be_finished(derived: list[str], study: Path) -> None:
    """There is no stage left to seal then, but the manifest is still to be written."""
    done = seal(study, None, EMPTY)
    for name in derived:
        (study / name).write_bytes(b"old")
    (study / derived[0]).unlink()
    finished: list[Sealed] = seal(study)
    assert done[-1:] == finished
    assert snapshot(FIXTURE) == snapshot(study)
    refused(study, "every stage is sealed already")


@pytest.mark.parametrize("splits", [[1], ["calibration"], [{"name": ["a"], "role": "calibration"}], "all", 3])
def test_a_draft_may_declare_anything_as_splits(study: Path, splits: object) -> None:
    """Its examination says what is wrong there; a seal is refused."""
    edit_document(study / "declare" / "protocol.json", lambda protocol: protocol.update(splits=splits))
    with pytest.raises(SealError, match=r"declare/protocol\.json/splits"):
        seal(study, empty=EMPTY)
    with sealing.draft_bundle(study) as draft:
        (document,) = read_bundle(draft).found["schema.documents"][:1]
    assert (document.path, (document.field or "").startswith("/splits")) == ("declare/protocol.json", True)
