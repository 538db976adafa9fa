"""Leduc profiles: the paper's table, recomputed exactly from stored profiles, and a recipe that gives them again."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import leduc_recipe.__main__
import sealtrace
from games.small_games import LEDUC
from leduc_recipe.game import ACTIONS
from leduc_recipe.solver import Policy, averages, information_sets, uniform
from leduc_recipe.values import worth
from sealtrace.contract.result import Result
from sealtrace.mathematics import Vector
from sealtrace.studies.games.mathematics.evaluation import evaluate
from sealtrace.studies.games.mathematics.tables import ACTIONS as ORDER
from studies.test_rebuild import different_bytes
from support import LONG, ROOT

BUNDLE = ROOT / "bundles" / "leduc" / "bundle"


@pytest.fixture(scope="module")
def report() -> Result:
    return sealtrace.verify(BUNDLE, details=True)


def test_verified_with_every_printed_cell(report: Result) -> None:
    """All 25 numbers of the paper's table follow from the stored profiles, in the recipe's order of operations."""
    assert report.verdict == "verified"
    printed = [cell for cell in report.numbers if cell.table == "tab:leduc" and cell.column != "Profile"]
    assert [cell.status for cell in printed] == ["exact"] * 25
    assert {cell.status for cell in report.numbers} == {"exact", "input"}


def test_report_says_what_the_paper_leaves_out(report: Result) -> None:
    """The variant, and that the last row depends on the order of floating-point operations."""
    notes = [finding.message for finding in report.findings if finding.severity == "note"]
    assert any("variant of CFR+" in note for note in notes)
    assert any("order of floating-point operations" in note for note in notes)


def test_last_row_depends_on_arithmetic(report: Result) -> None:
    """What the note states is what the profiles give: the printed 0.0136 is one of four roundings."""
    found = {
        cell.row or "": float(cell.given or "nan")
        for cell in report.numbers
        if cell.table == "tab:arithmetic" and cell.column == "NashConv"
    }
    doubles = [value for row, value in found.items() if row.startswith("doubles")]
    assert {f"{value:.4f}" for value in doubles} == {"0.0136", "0.0137", "0.0138", "0.0139"}
    assert (f"{min(doubles):.6f}", f"{max(doubles):.6f}") == ("0.013623", "0.013861")
    assert {f"{value:.6f}" for row, value in found.items() if row.endswith("digits")} == {"0.013868"}


def test_exploitability_is_drawn(report: Result) -> None:
    """The page shows the curve, and each of its points is a stored profile."""
    assert report.details is not None
    (plot,) = report.details.plots
    assert plot.title == "Exploitability by iteration"
    (series,) = plot.series
    assert [point.x for point in series.points] == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert all(later.y < earlier.y for earlier, later in zip(series.points[1:], series.points[2:], strict=False))


def test_some_profiles_are_solved_again() -> None:
    """The first hundred iterations give the sealed probabilities to the last bit."""
    sealed: dict[str, dict[str, dict[str, float]]] = {}
    for row in parquet.read_table(BUNDLE / "bank" / "profile.parquet").to_pylist():
        sealed.setdefault(row["profile"], {})[row["information_set"]] = dict(row["probabilities"])
    solved = dict(averages((1, 10, 100)))
    assert list(solved) == [1, 10, 100]
    for iterations, policy in solved.items():
        for name, state in information_sets().items():
            expected = dict(zip((ACTIONS[action] for action in state.legal), policy[name], strict=True))
            assert sealed[f"cfr+{iterations}"][name] == expected


if LONG:

    def test_rebuild(tmp_path: Path) -> None:
        """Every profile, two of them in many digits: the sealed bytes, wherever Parquet is written alike."""
        leduc_recipe.__main__.rebuild(tmp_path / "bundle")
        different = different_bytes(BUNDLE, tmp_path / "bundle")
        assert different == set() or "bank/profile.parquet" in different
        assert {path for path in different if path.startswith(("report/", "declare/"))} == set()


def as_array(policy: Policy) -> Vector:
    """A recipe's policy in the verifier's order."""
    array = np.zeros(LEDUC.legal.shape)
    for name, state in information_sets().items():
        for action, probability in zip(state.legal, policy[name], strict=True):
            array[LEDUC.places[name], ORDER.index(ACTIONS[action])] = float(probability)
    return array


def test_two_ways_of_evaluating_agree() -> None:
    """One history at a time, and one public node at a time: written apart, they give the same values."""
    generator = np.random.default_rng(5)
    policy = {name: list(generator.dirichlet(np.ones(len(row)))) for name, row in uniform().items()}
    plain, arrays = worth(policy), evaluate(LEDUC, as_array(policy)[None])
    assert arrays.value[0] == pytest.approx(plain.value, abs=1e-13)
    assert arrays.best_response_0[0] == pytest.approx(plain.best_response_0, abs=1e-13)
    assert arrays.best_response_1[0] == pytest.approx(plain.best_response_1, abs=1e-13)


def test_precision_matters_only_in_the_end() -> None:
    """After ten updates doubles and fifty digits agree to ten decimals: it is the long run that drifts apart."""
    ((_, doubles),) = averages((10,))
    with localcontext(Context(prec=50)):
        ((_, digits),) = averages((10,), Decimal)
    assert as_array(doubles) == pytest.approx(as_array(digits), abs=1e-10)
