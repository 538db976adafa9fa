"""Missing is not zero and not a pass; nothing stops at the first finding."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import sealtrace
from checks.mutations import MUTATIONS, SCORES, TRACES, change, name_the_traces, one
from sealtrace.bundle.sealing import seal
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.contract.result import CheckResult, Result
from support import EMPTY, ROOT, Row, copy_of_small_fixture, edit_document, edit_rows, unseal


def result(report: Result, check_id: str) -> CheckResult:
    """One check's result."""
    return next(check for check in report.checks if check.id == check_id)


def test_the_fixture_gives_the_verdict_that_it_expects() -> None:
    """The shipped study is verified, and every check inspected something or says why not."""
    report = sealtrace.verify()
    assert report.verdict == "verified"
    for check in report.checks:
        assert check.status in ("pass", "not-applicable")
        assert (check.inspected > 0) == (check.status == "pass"), check.id
        assert (check.reason is None) == (check.status == "pass"), check.id


def test_summary_says_what_the_appendix_asks_for() -> None:
    """States, policies, tolerance, largest discrepancy with its place, agreement, selected scale."""
    summary = sealtrace.verify().summary
    assert (summary.states, summary.policies, summary.traces) == (24, 9, 216)
    assert summary.tolerance == "1e-12"
    assert summary.max_discrepancy is not None
    assert 0 < summary.max_discrepancy.value < 1e-12
    assert summary.max_discrepancy.source is not None
    assert summary.max_discrepancy.key is not None
    assert summary.threshold_agreement is not None
    assert (summary.threshold_agreement.agree, summary.threshold_agreement.total) == (216, 216)
    assert [(one.recomputed, one.reported) for one in summary.selected] == [("0.08", "0.08")]
    assert (summary.chain.seals, summary.chain.signatures) == (8, 0)


def test_a_duplicate_key_makes_the_aggregates_missing_that_it_enters(tmp_path: Path) -> None:
    """An aggregate over a doubtful join is missing, never smaller; those of other policies are judged."""
    bundle = copy_of_small_fixture(tmp_path)
    edit_rows(
        bundle / "trace/trace.calibration.jsonl",
        lambda rows: rows.append(one(rows, state="0000", arm="residual", scale="0.08")),
    )
    name_the_traces(bundle)
    unseal(bundle)
    seal(bundle, empty=EMPTY, lenient=True)
    report = sealtrace.verify(bundle)
    for check_id, inspected in (("aggregate.summary", 25), ("selection.counts", 4), ("selection.choice", 0)):
        check = result(report, check_id)
        assert (check.status, check.inspected) == ("missing", inspected)
        assert check.reason is not None
        assert "join.unique-key" in check.reason
    assert report.summary.selected == []


def test_a_score_twice_touches_no_recomputation(tmp_path: Path) -> None:
    """Nothing that is recomputed reads scores: aggregates are judged all the same."""
    bundle = copy_of_small_fixture(tmp_path)
    MUTATIONS["join.unique-key"].break_bundle(bundle)
    report = sealtrace.verify(bundle)
    for check_id in ("aggregate.summary", "selection.counts", "selection.choice"):
        assert result(report, check_id).status == "pass"
    assert result(report, "score.delta").status == "missing"


def test_unrelated_failures_are_all_found_in_one_run(tmp_path: Path) -> None:
    """A broken line hides neither a wrong utility nor a wrong action elsewhere."""
    bundle = copy_of_small_fixture(tmp_path)
    for check_id in ("score.utility", "action.chosen", "selection.held-out", "schema.json"):
        MUTATIONS[check_id].apply(bundle)
    unseal(bundle)
    seal(bundle, empty=EMPTY, lenient=True)
    report = sealtrace.verify(bundle)
    failed = {check.id for check in report.checks if check.status == "fail"}
    assert {"schema.json", "score.utility", "action.chosen", "selection.held-out"} <= failed


def test_a_kind_that_no_check_knows_is_not_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only has a schema is kept: the verdict is incomplete and says so."""
    without = tuple(check for check in CATALOGUE if "summary" not in check.reads)
    monkeypatch.setattr("sealtrace.checks.schema.CATALOGUE", without)
    report = sealtrace.verify(copy_of_small_fixture(tmp_path))
    check = result(report, "schema.meaning")
    assert (check.status, report.verdict) == ("missing", "incomplete")
    assert check.reason is not None
    assert "summary" in check.reason


def statuses_of(report: Result) -> dict[str, str]:
    """Each cell's status by its address."""
    return {f"{cell.table}[{cell.row}, {cell.column}]": cell.status for cell in report.numbers}


def test_a_duplicate_row_costs_only_the_cells_that_depend_on_it(tmp_path: Path) -> None:
    """A prediction that is there twice leaves cells of other models judged, forged ones too."""
    bundle = tmp_path / "bundle"
    shutil.copytree(ROOT / "bundles" / "classification" / "bundle", bundle)
    before = statuses_of(sealtrace.verify(bundle))
    predictions = bundle / "report" / "prediction.jsonl"
    edit_rows(predictions, lambda rows: rows.append(one(rows, item="leaf-171", model="centroid/seed-1")))
    after = statuses_of(sealtrace.verify(bundle))
    lost = {name for name in before if after[name] != before[name]}
    assert lost
    assert {after[name] for name in lost} == {"missing"}
    assert all("centroid" in name.casefold() or "best" in name.casefold() for name in lost), lost
    assert len(lost) < len(before) / 2


def test_a_recipe_that_fails_costs_only_its_own_cells(tmp_path: Path) -> None:
    """One bad recipe hides neither the other cells of its table nor a forged one."""
    bundle = copy_of_small_fixture(tmp_path)

    def spoil(table: Row) -> None:
        table["columns"][1]["recipe"] = {"metric": "nonsense"}
        table["rows"][2]["cells"][2] = "9.9999"

    edit_document(bundle / "report" / "table.main.json", spoil)
    report = sealtrace.verify(bundle)
    spoilt = json.loads((bundle / "report" / "table.main.json").read_text())
    column, forged = spoilt["columns"][1]["label"], spoilt["columns"][2]["label"]
    for cell in report.numbers:
        if cell.table == "tab:main" and cell.column == column:
            assert cell.status == "missing"
        elif cell.printed == "9.9999":
            assert (cell.column, cell.status) == (forged, "mismatch")
        else:
            assert cell.status not in ("missing", "mismatch")


def test_a_bad_row_costs_only_the_cells_of_its_state_and_policy(tmp_path: Path) -> None:
    """A trace whose distribution its schema refuses leaves the rows of all other states judged."""
    bundle = copy_of_small_fixture(tmp_path)
    change(bundle / TRACES, lambda row: row.update(probabilities="none"), state="0000", arm="anchor")
    missing = [cell for cell in sealtrace.verify(bundle).numbers if cell.status == "missing"]
    assert missing
    assert not [cell for cell in missing if cell.table == "tab:rows-ev" and cell.row not in ("0000", "0", "Mean")]


def test_many_findings_are_counted_though_not_all_are_listed(tmp_path: Path) -> None:
    """The report lists at most a thousand findings of a check and counts every one."""
    bundle = copy_of_small_fixture(tmp_path)
    lines = "not JSON\n" * 1500
    (bundle / TRACES).write_text(lines)
    report = sealtrace.verify(bundle, check=["schema.json"])
    assert result(report, "schema.json").findings == 1500
    assert sum(finding.check == "schema.json" for finding in report.findings) == 1000


def test_a_bundle_whose_experiment_still_runs_is_incomplete(tmp_path: Path) -> None:
    """With only the first stages sealed nothing is wrong, and nothing is verified either."""
    bundle = copy_of_small_fixture(tmp_path)
    unseal(bundle)
    for stage in ("declare", "bank"):
        seal(bundle, [stage])
    for stage in ("trace", "calibrate", "select", "replay", "report"):
        for path in (bundle / stage).iterdir():
            path.unlink()
    report = sealtrace.verify(bundle)
    assert report.verdict == "incomplete"
    assert result(report, "stage.chain").status == "missing"
    assert result(report, "replay.tilt").status == "missing"
    assert result(report, "score.utility").status == "missing"
    assert [check.id for check in report.checks if check.status == "fail"] == []


def test_without_a_protocol_nothing_passes_that_needs_one(tmp_path: Path) -> None:
    """A protocol that its schema refuses spoils every check that reads it."""
    bundle = copy_of_small_fixture(tmp_path)
    edit_document(bundle / "declare/protocol.json", lambda protocol: protocol.pop("tau"))
    unseal(bundle)
    seal(bundle, empty=EMPTY, lenient=True)
    report = sealtrace.verify(bundle)
    assert [check.id for check in report.checks if check.status == "fail"] == ["schema.documents"]
    assert result(report, "threshold.stored").status == "missing"


def test_a_wrong_row_does_not_make_other_rows_wrong(tmp_path: Path) -> None:
    """A finding names one row; the count is one."""
    bundle = copy_of_small_fixture(tmp_path)
    change(bundle / SCORES, lambda row: row.update(weak=0.0), state="0000", arm="anchor")
    report = sealtrace.verify(bundle)
    assert result(report, "score.utility").findings == 1
