"""A certified study whose fields, costs, events and interfaces are its own: declared, sealed, judged and told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import changed_records
import sealtrace
import ward_triage_recipe.__main__
from cli.runner import sealtrace as command
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.sealing import SealError, seal
from sealtrace.bundle.writing import digests_of
from studies.test_rebuild import different_bytes
from support import LONG, ROOT, copy_of, edit_document, edit_rows, shipped_report, unseal

BUNDLE = ROOT / "bundles" / "ward-triage" / "bundle"
CARDS = re.compile(r"\b(poker|card|hero|pot|board|fold|raise|bet|opponent|weak|strong|hand)s?\b", re.IGNORECASE)
PROTOCOL = "declare/protocol.json"
HELD_OUT = "declare/observation.held-out.jsonl"


def test_rebuild(tmp_path: Path) -> None:
    """The recipe gives the same study; where a platform rounds exp otherwise, the last digits of masses may differ."""
    ward_triage_recipe.__main__.rebuild(tmp_path / "bundle")
    same = [path for stage in ("declare", "select") for path in sorted((BUNDLE / stage).rglob("*.json*"))]
    for path in same:
        if "map." not in path.name:
            assert (tmp_path / "bundle" / path.relative_to(BUNDLE)).read_bytes() == path.read_bytes(), path
    report = shipped_report("ward-triage")
    if different_bytes(BUNDLE, tmp_path / "bundle"):
        report = sealtrace.verify(tmp_path / "bundle")
    assert report.verdict == "verified"
    # The anchor's degradation is its difference from itself.
    assert [cell.row for cell in report.numbers if cell.status != "exact"] == ["anchor"]


def test_every_row_is_judged_by_the_declared_schema(tmp_path: Path) -> None:
    """Both judges accept every row; of the largest files the short form takes the first rows."""
    directory = copied(tmp_path)
    for path in () if LONG else directory.glob("*/[ts]*.parquet"):
        parquet.write_table(parquet.read_table(path).slice(0, 100), path)
    seal(directory, lenient=True)
    report = sealtrace.verify(directory, check=["schema"], every_row=True)
    judged = {one.id: one.status for one in report.checks if one.id.startswith("schema")}
    assert (len(judged), set(judged.values())) == (4, {"pass"})


def test_no_word_of_a_card_game_is_said() -> None:
    """The report speaks of the study's own fields."""
    coverage = shipped_report("ward-triage").coverage
    assert (coverage.numbers, coverage.recomputed) == (97, 96)
    for name in ("report.txt", "report.md", "report.tex"):
        text = (ROOT / "reports" / "ward-triage" / name).read_text(encoding="utf-8")
        assert "tab:triage" in text or "ward-triage" in text
        assert CARDS.findall(text) == []


def test_a_group_budget_and_the_mixture_decide() -> None:
    """Budgets of groups, the mixture's budget and neither lead to different maps."""
    chosen = {one.selector: one.recomputed for one in shipped_report("ward-triage").summary.selected}
    assert chosen["by-arrival"] != chosen["mixture-only"]
    assert chosen["learned"] != chosen["shift-robust"]


def test_certify_shows_the_budget_of_a_group() -> None:
    """Where a group has its own, beside its name; elsewhere the setting's holds."""
    run = command("certify", BUNDLE, "--partition", "arrival", "--width", "130")
    assert "on foot: n = 270, epsilon 0.08, " in run.output
    found = json.loads(command("certify", BUNDLE, "--format", "json").output)["partitions"]
    own = {one["name"]: [group["epsilon"] for group in one["groups"]] for one in found}
    assert own == {"everyone": [None], "arrival": ["0.08", "0.25"], "learned": [None] * 3}


def copied(tmp_path: Path) -> Path:
    """The study, unsealed."""
    directory = copy_of(BUNDLE, tmp_path)
    unseal(directory)
    return directory


def declare(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Changes the protocol."""
    return lambda directory: edit_document(directory / PROTOCOL, change)


def arrival(**fields: Any) -> Callable[[Path], None]:
    """Changes the first held-out arrival."""
    return lambda directory: edit_rows(directory / HELD_OUT, lambda rows: rows[0].update(fields))


FOUND: dict[str, tuple[Callable[[Path], None], str, str, str | None]] = {
    "a field that is not declared": (arrival(pot=4), "schema.rows", HELD_OUT, "/pot"),
    "a value outside its schema": (arrival(age=140), "schema.rows", HELD_OUT, "/age"),
    "another type": (arrival(oxygen="yes"), "schema.rows", HELD_OUT, "/oxygen"),
    "a feature of no field": (
        declare(lambda p: p["features"].update(pot={"field": "pot", "form": "capped-ratio", "cap": "10"})),
        "protocol.domain",
        PROTOCOL,
        "/features/pot",
    ),
    "a flag taken for a number": (
        declare(lambda p: p["features"].update(oxygen={"field": "oxygen", "form": "number"})),
        "protocol.domain",
        PROTOCOL,
        "/features/oxygen",
    ),
    "a charge of something that is not counted": (
        declare(lambda p: p["charges"]["rule"].update(tokens=1)),
        "protocol.domain",
        PROTOCOL,
        "/charges/rule",
    ),
    "a cost that is no number": (
        declare(lambda p: p["costs"].update(word={"type": "string"})),
        "protocol.domain",
        PROTOCOL,
        "/costs/word",
    ),
    "a unit of nothing": (
        declare(lambda p: p["units"].update(pot="chips")),
        "protocol.domain",
        PROTOCOL,
        "/units/pot",
    ),
    "another price": (
        declare(lambda p: p["charges"]["desk model"].update(pages=2)),
        "replay.ledger",
        "bank/trace.structure.parquet",
        "/ledger/0/pages",
    ),
    "another event": (
        declare(lambda p: p["events"].update(desk="rule")),
        "replay.ledger",
        "bank/trace.structure.parquet",
        "/ledger/0/event",
    ),
    "a desk that may not see the age": (
        declare(lambda p: p["interfaces"]["desk"].remove("age")),
        "boundary.inputs",
        "trace/trace.calibration.parquet",
        "/inputs",
    ),
    "an interface that shows what nobody observes": (
        declare(lambda p: p["interfaces"]["desk"].append("safety")),
        "boundary.interfaces",
        PROTOCOL,
        "/interfaces/desk/4",
    ),
    "a desk that hears the nurse": (
        declare(lambda p: p["interfaces"]["desk"].append("teacher.distribution")),
        "bank.policies",
        "bank/candidate.jsonl",
        "/interface",
    ),
    "a bedside without the nurse": (
        declare(lambda p: p["interfaces"]["bedside"].remove("teacher.distribution")),
        "bank.policies",
        "bank/candidate.jsonl",
        "/interface",
    ),
}


LEARNED = "select/selection.learned.json"


def chose(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Changes the selection record of the learned partition."""
    return lambda directory: edit_document(directory / LEARNED, change)


FOUND |= {
    "a count too few": (
        chose(lambda r: r["counts"][9].update(crossings=8)),
        "selection.counts",
        LEARNED,
        "/counts/9/crossings",
    ),
    "a bound too low": (
        chose(lambda r: r["counts"][0].update(risk_upper=0.01)),
        "selection.counts",
        LEARNED,
        "/counts/0/risk_upper",
    ),
    "a bound left out": (
        chose(lambda r: r["counts"][0].pop("utility_lower")),
        "selection.counts",
        LEARNED,
        "/counts/0/utility_lower",
    ),
    "a pair left out": (chose(lambda r: r["counts"].pop()), "selection.counts", LEARNED, "/counts"),
    "a pair called certified": (
        chose(lambda r: r["counts"][21].update(certified=True)),
        "selection.certified",
        LEARNED,
        "/counts/21/certified",
    ),
    "another choice": (
        chose(lambda r: r["assignments"][0].update(scale="1/2")),
        "selection.choice",
        LEARNED,
        "/assignments",
    ),
    "a candidate of the bank by its whole name": (
        chose(lambda r: r["assignments"].__setitem__(0, {"group": "g1", "outcome": "selected", "arm": "brisk@1"})),
        "selection.choice",
        LEARNED,
        "/assignments",
    ),
    "another budget": (chose(lambda r: r.update(epsilon="0.5")), "selection.grid", LEARNED, "/epsilon"),
    "a budget that the rule has not": (
        chose(lambda r: r.update(epsilon_global="0.09")),
        "selection.grid",
        LEARNED,
        "/epsilon_global",
    ),
    "held-out scores joined": (
        chose(lambda r: r["held_out"].update(status="joined")),
        "selection.held-out",
        LEARNED,
        "/held_out/status",
    ),
}


def test_weights_of_a_policy_are_the_same_in_any_order(tmp_path: Path) -> None:
    """Candidates of one arm may list the weights of their direction otherwise."""
    bundle = copy_of(BUNDLE, tmp_path)

    def turn(rows: list[dict[str, Any]]) -> None:
        for rule in rows[7]["direction"].values():
            rule["terms"] = dict(reversed((rule.get("terms") or {}).items()))

    edit_rows(bundle / "bank" / "candidate.jsonl", turn)
    report = sealtrace.verify(bundle, check=["bank.policies"])
    assert [one.status for one in report.checks if one.id == "bank.policies"] == ["pass"]


def test_another_direction_is_shown_as_its_record_writes_it(tmp_path: Path) -> None:
    """With the names of the record's fields, and of nothing else."""
    bundle = copy_of(BUNDLE, tmp_path)
    edit_rows(bundle / "bank" / "candidate.jsonl", lambda rows: rows[7]["direction"].popitem())
    found = [one.found or "" for one in sealtrace.verify(bundle, check=["bank.policies"]).findings]
    shown = [text for text in found if "constant" in text]
    assert shown
    assert all(text.startswith("{'") and "(" not in text for text in shown)


def test_a_choice_without_its_record_is_missing(tmp_path: Path) -> None:
    """Where one choice in groups has its selection record, every choice has."""
    directory = copied(tmp_path)
    (directory / LEARNED).unlink()
    seal(directory)
    (check,) = [one for one in sealtrace.verify(directory).checks if one.id == "selection.grid"]
    assert (check.status, check.reason) == ("missing", "no selection record of learned")


@pytest.mark.parametrize("name", FOUND)
def test_what_breaks_the_declaration_is_found(tmp_path: Path, name: str) -> None:
    """Each with its check and place."""
    change, check, source, pointer = FOUND[name]
    directory = copied(tmp_path)
    change(directory)
    seal(directory, lenient=True)
    errors = [one for one in sealtrace.verify(directory, check=[check]).findings if one.severity == "error"]
    assert (check, source, pointer) in {(one.check, one.source, one.field) for one in errors}


def test_a_declaration_that_cannot_be_checked_is_refused(tmp_path: Path) -> None:
    """By `seal` and `digest` with its place, and by `verify` as a finding."""
    directory = copied(tmp_path)
    declare(lambda p: p["observation"].update(age={"type": "integer", "multipleOf": 2}))(directory)
    with pytest.raises(SealError, match=r"/observation/age/multipleOf: this keyword is not checked"):
        seal(directory)
    with pytest.raises(BundleError, match=r"/observation/age/multipleOf"):
        digests_of(directory / HELD_OUT)
    seal(directory, lenient=True)
    found = {(one.source, one.field) for one in sealtrace.verify(directory).findings}
    assert (PROTOCOL, "/observation/age/multipleOf") in found


def test_a_name_of_every_row_is_not_declared_again(tmp_path: Path) -> None:
    """A protocol cannot make `split` something else."""
    directory = copied(tmp_path)
    declare(lambda p: p["observation"].update(split={"type": "integer"}))(directory)
    with pytest.raises(SealError, match="none that every row has"):
        seal(directory)


def test_changes_are_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    """The study's own fields are read as declared when its records are changed: few changes, all of them noticed."""
    changed_records.main([str(BUNDLE), "--sample", "1", "--seconds", "30"])
    output = capsys.readouterr().out
    assert re.search(r"(\d+) of \d+ changes were judged: \1 noticed", output), output
    assert "only written otherwise" not in output
