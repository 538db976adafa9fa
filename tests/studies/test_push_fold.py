"""The all-in game: every printed number follows from sealed profiles and hands, and the recipe gives them again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import push_fold_recipe.__main__
import sealtrace
from push_fold_recipe.game import deals, information_sets
from push_fold_recipe.solver import best_response, solve, uniform
from sealtrace.contract.result import Result
from studies.test_rebuild import different_bytes
from support import ROOT

BUNDLE = ROOT / "bundles" / "push-fold" / "bundle"


@pytest.fixture(scope="module")
def report() -> Result:
    return sealtrace.verify(BUNDLE)


def test_every_number_follows(report: Result) -> None:
    assert report.verdict == "verified"
    assert {number.word for number in report.numbers} == {"follows"}
    assert report.warnings == 0


def test_the_manuscript_is_judged_by_its_log(report: Result) -> None:
    """The only shipped bundle with a typesetter's log."""
    status = {check.id: check.status for check in report.checks}
    assert (status["manuscript.references"], status["manuscript.overfull"]) == ("pass", "pass")


def test_the_residual_is_hardest_to_exploit_at_every_seed() -> None:
    """What the page says of the arms."""
    table = json.loads((BUNDLE / "report" / "table.arms.json").read_text(encoding="utf-8"))
    found = {row["label"]: row["cells"] for row in table["rows"]}
    for seed in (11, 23, 37):
        arms = {name: found[f"{name}, seed {seed}"] for name in ("Behaviour cloning", "Full policy", "Residual")}
        assert min(arms, key=lambda name: float(arms[name][4])) == "Residual"
        assert max(arms, key=lambda name: float(arms[name][1])) == "Residual"


def test_deals_and_information_sets_are_counted() -> None:
    assert sum(chance for _, chance in deals()) == 1
    assert len(information_sets()) == 52


def test_more_iterations_are_harder_to_exploit() -> None:
    """NashConv falls from the uniform start on."""
    steps = [uniform(), solve(20), solve(80)]
    lost = [sum(best_response(policy, player) for player in range(2)) for policy in steps]
    assert lost == sorted(lost, reverse=True)
    assert lost[-1] >= 0


def test_rebuilds_byte_for_byte(tmp_path: Path) -> None:
    push_fold_recipe.__main__.rebuild(tmp_path / "bundle")
    assert different_bytes(tmp_path / "bundle", BUNDLE) == set()
