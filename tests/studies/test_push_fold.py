"""The all-in game: every printed number follows from sealed profiles and hands, and the recipe gives them again."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path
from statistics import fmean, pstdev, stdev

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import push_fold_recipe.__main__
import sealtrace
from oracles.openspiel import all_in
from push_fold_recipe.game import POINTS, RANKS, Exact, deals, information_sets, won
from push_fold_recipe.risk import action_values, violation
from push_fold_recipe.solver import solve
from sealtrace.bundle.reading import read_bundle
from sealtrace.contract.result import Result
from sealtrace.evidence import Evidence
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError, compute
from sealtrace.studies.games.evidence import GameStudy
from studies.test_rebuild import different_bytes
from support import ROOT, copy_of

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


def test_the_residual_beats_the_others_at_every_seed() -> None:
    """What the page says of the arms."""
    table = json.loads((BUNDLE / "report" / "table.seeds.json").read_text(encoding="utf-8"))
    found = {row["label"]: row["cells"] for row in table["rows"]}
    for seed in (11, 23, 37):
        arms = {arm: found[f"{arm}, seed {seed}"] for arm in ("Behaviour cloning", "No residual", "Full policy")}
        residual = found[f"Residual, seed {seed}"]
        assert all(float(residual[4]) < float(cells[4]) for cells in arms.values())
        assert all(float(residual[1]) > float(cells[1]) for cells in arms.values())


def test_deals_and_information_sets_are_counted() -> None:
    assert sum(chance for _, chance in deals()) == 1
    assert len(information_sets()) == 52


def test_the_solution_is_exact() -> None:
    """In rational numbers nobody gains against it: every pure strategy of a player is looked at, one card at a time."""
    solution = solve()
    assert all(min(chances) >= 0 and sum(chances) == 1 for chances in solution.values())
    gains = []
    for player, histories in enumerate((("", "cr"), ("c", "r"))):
        best = Fraction(0)
        for rank in RANKS:
            pure = itertools.product(*(POINTS[history] for history in histories))
            best += max(
                sum(
                    chance * (1 if player == 0 else -1) * _worth(cards, "", player, taken, solution)
                    for cards, chance in deals()
                    if cards[player] == rank
                )
                for taken in (dict(zip(histories, actions, strict=True)) for actions in pure)
            )
        gains.append(best)
    assert gains[0] == -gains[1] == Fraction(-16381, 291720)


def _worth(cards: str, history: str, player: int, taken: dict[str, str], other: Exact) -> Fraction:
    """What player 0 wins where one player follows a plan and the other a policy."""
    if history not in POINTS:
        return Fraction(won(cards, history))
    acting = len(history) % 2
    if acting == player:
        return _worth(cards, history + taken[history], player, taken, other)
    chances = other[f"{cards[acting]}:{history}"]
    return sum(
        (
            chance * _worth(cards, history + action, player, taken, other)
            for action, chance in zip(POINTS[history], chances, strict=True)
        ),
        Fraction(0),
    )


def test_the_sealed_solution_is_the_exact_one_rounded() -> None:
    """The doubles of the bundle are the nearest ones, and the run names the exact value."""
    sealed = {
        row["information_set"]: list(dict(row["probabilities"]).values())
        for row in pq.read_table(BUNDLE / "bank" / "profile.parquet").to_pylist()
        if row["profile"] == "solver"
    }
    for name, (first, _) in solve().items():
        assert sealed[name][0] == float(first), name
    run = json.loads((BUNDLE / "bank" / "run.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert run["settings"]["value"] == "-16381/291720"


def test_openspiel_agrees() -> None:
    """Its own rules of the same game, a limit game with one bet of nine, and its own best responses."""
    study = Evidence(read_bundle(BUNDLE)).view(GameStudy)
    places = {each.name: place for place, each in enumerate(study.game.information_sets)}
    for name in ("solver", "loose", "cloning/11", "residual/23"):
        place, ours = study.evaluation(name)
        theirs = all_in(places, study.profiles[name])
        for field in ("value", "best_response_0", "best_response_1", "nash_conv"):
            assert getattr(ours, field)[place] == pytest.approx(getattr(theirs, field), abs=1e-12), (name, field)


def test_an_arm_is_all_its_runs() -> None:
    """What is said of an arm is the mean over its training seeds, or over those that a recipe names."""
    study = Evidence(read_bundle(BUNDLE))
    seeds = {
        seed: float(compute(study, "exploitability", {"profile": f"full/{seed}"}).numbers[0]) for seed in (11, 23, 37)
    }
    asked = {"arm": "full", "quantity": "exploitability", "statistic": "mean"}
    assert float(compute(study, "over_seeds", asked).numbers[0]) == pytest.approx(sum(seeds.values()) / 3, abs=1e-15)
    two = compute(study, "over_seeds", asked | {"runs": "11,37"})
    assert float(two.numbers[0]) == pytest.approx((seeds[11] + seeds[37]) / 2, abs=1e-15)
    for wrong, reason in (
        ({"runs": "12"}, "no run '12'"),
        ({"quantity": "exploit"}, "no quantity"),
        ({"quantity": "accuracy"}, "has to name the teacher"),
        ({"quantity": "weak_ev"}, "no students"),
        ({"quantity": "violation", "arm": "careful"}, "no profile"),
        ({"quantity": "gap", "teacher": "nobody"}, "no profile 'nobody'"),
        ({"statistic": "median"}, "mean, sd or both"),
        ({"arm": "fully"}, "no profile"),
    ):
        with pytest.raises(RecipeError, match=reason):
            compute(study, "over_seeds", asked | wrong)


def test_a_deviation_over_seeds_takes_the_declared_divisor(tmp_path: Path) -> None:
    """Of quantities and of exact values; without a divisor there is none, and of one seed none with n - 1."""
    study = Evidence(read_bundle(BUNDLE))
    worth = {"arm": "full", "opponent": "uniform"}
    each = [float(compute(study, "tree_ev", worth | {"runs": seed}).numbers[0]) for seed in ("11", "23", "37")]
    assert float(compute(study, "tree_ev", worth | {"statistic": "sd"}).numbers[0]) == pytest.approx(stdev(each))
    assert float(compute(study, "tree_ev", worth | {"statistic": "mean"}).numbers[0]) == pytest.approx(fmean(each))
    with pytest.raises(RecipeError, match="needs two seeds"):
        compute(study, "tree_ev", worth | {"statistic": "sd", "runs": "11"})
    bundle = copy_of(BUNDLE, tmp_path)
    path = bundle / "declare" / "contest.json"
    contest = json.loads(path.read_text(encoding="utf-8"))
    for divisor, deviation in (("n", pstdev), (None, None)):
        path.write_text(json.dumps(contest | {"divisor": divisor}), encoding="utf-8")
        other = Evidence(read_bundle(bundle))
        if deviation is not None:
            found = compute(other, "tree_ev", worth | {"statistic": "sd"})
            assert float(found.numbers[0]) == pytest.approx(deviation(each))
            continue
        for asked in (worth, {"arm": "full", "quantity": "exploitability"}):
            with pytest.raises(RecipeError, match="no divisor"):
                compute(other, "tree_ev" if asked is worth else "over_seeds", asked | {"statistic": "sd"})


def test_the_endpoints_have_the_papers_rows_and_arms() -> None:
    table = json.loads((BUNDLE / "report" / "table.endpoints.json").read_text(encoding="utf-8"))
    assert [column["label"] for column in table["columns"]] == ["Endpoint", "Residual", "No residual", "Full policy"]
    assert len(table["rows"]) == 7


def test_a_policy_is_its_own_teacher() -> None:
    """Beside itself it is always right and never far; beside another it is as far as their exploitabilities."""
    study = Evidence(read_bundle(BUNDLE))

    def asked(quantity: str, teacher: str) -> float:
        arguments = {"arm": "full/11", "quantity": quantity, "statistic": "mean", "teacher": teacher}
        return float(compute(study, "over_seeds", arguments).numbers[0])

    assert [asked(quantity, "full/11") for quantity in ("accuracy", "calibration_error", "gap")] == [1, 0, 0]
    assert asked("accuracy", "loose") < 1
    own, other = (
        float(compute(study, "exploitability", {"profile": name}).numbers[0]) for name in ("full/11", "loose")
    )
    assert asked("gap", "loose") == pytest.approx(own - other, abs=1e-15)


def test_violations_are_those_that_the_recipe_counts_one_by_one() -> None:
    """The verifier values actions by one walk through the tree, the recipe by dealing every pair of cards."""
    study = Evidence(read_bundle(BUNDLE))
    profiles = {
        name: {
            each.name: [chance for chance, legal in zip(row, allowed, strict=True) if legal]
            for each, row, allowed in zip(game.information_sets, plan.tolist(), game.legal.tolist(), strict=True)
        }
        for game in [study.view(GameStudy).game]
        for name, plan in study.view(GameStudy).profiles.items()
    }
    values = action_values(profiles["solver"])
    for name in ("cloning/11", "full/23", "residual/37", "base/11"):
        asked = {"arm": name, "quantity": "violation", "statistic": "mean"}
        base = profiles[f"base/{name.rpartition('/')[2]}"]
        counted = violation(profiles[name], base, values)
        assert float(compute(study, "over_seeds", asked).numbers[0]) == counted, name
        assert (counted == 0) is (name == "base/11")
        assert compute(study, "violations", {"arm": name}).numbers == (Fraction(round(counted * 52)), Fraction(52))


def test_components_are_the_papers_four() -> None:
    """In one table, and what the page says of them."""
    table = json.loads((BUNDLE / "report" / "table.component.json").read_text(encoding="utf-8"))
    found = {row["label"]: row["cells"] for row in table["rows"]}
    steps = ("Behaviour cloning", "Policy distillation", "Residual correction", "Observed-only residual")
    assert set(steps) <= set(found)
    correction, observed = found["Residual correction"], found["Observed-only residual"]
    for known in ("Behaviour cloning", "Policy distillation", "Full policy"):
        for residual in (correction, observed):
            assert float(residual[2]) < float(found[known][2])
            assert float(residual[3]) > float(found[known][3])
            assert float(residual[4]) < float(found[known][4])
    # Told what the base says, it is nearer to the solver, and easier to exploit.
    assert float(correction[2]) < float(observed[2])
    assert float(correction[3]) > float(observed[3])
    assert float(correction[4]) > float(observed[4])


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("smoothing", "0", "smoothing outside"),
        ("smoothing", "11/10", "smoothing outside"),
        ("tau", "0", "not positive"),
        ("base", "nobody", "no profile"),
        ("evaluator", "nobody", "no profile"),
        ("violation", None, "its contest not what a violation is"),
    ],
)
def test_a_threshold_that_cannot_be_judged_is_refused(
    field: str, value: str | None, reason: str, tmp_path: Path
) -> None:
    bundle = copy_of(BUNDLE, tmp_path)
    path = bundle / "declare" / "contest.json"
    contest = json.loads(path.read_text(encoding="utf-8"))
    contest.pop(field, None) if value is None else contest["violation"].update({field: value})
    path.write_text(json.dumps(contest), encoding="utf-8")
    asked = {"arm": "full", "quantity": "violation", "statistic": "mean"}
    with pytest.raises(RecipeError, match=reason):
        compute(Evidence(read_bundle(bundle)), "over_seeds", asked)


def test_a_difference_at_the_threshold_is_left_open(tmp_path: Path) -> None:
    """Doubles that are that near would decide by how they were rounded."""
    bundle = copy_of(BUNDLE, tmp_path)
    path = bundle / "declare" / "contest.json"
    contest = json.loads(path.read_text(encoding="utf-8"))
    contest["violation"]["tau"] = "1/10000000000"
    path.write_text(json.dumps(contest), encoding="utf-8")
    asked = {"arm": "base", "quantity": "violation", "statistic": "mean"}
    with pytest.raises(MissingEvidenceError, match="too near"):
        compute(Evidence(read_bundle(bundle)), "over_seeds", asked)


def test_a_spoilt_answer_is_asked_again_and_stays_in_the_ledger() -> None:
    attempts = pq.read_table(BUNDLE / "report" / "attempt.parquet").to_pylist()
    codes = {one["outcome"] for one in attempts}
    assert codes == {"ok", "illegal-action", "parser-failure"}
    again = [one for one in attempts if one["attempt"] > 0]
    assert again
    assert all(one["trigger"] != "first" for one in again)


def test_a_seed_that_is_not_whole_makes_its_arm_missing(tmp_path: Path) -> None:
    """Never the mean of the other two; what another arm gives is judged all the same."""
    bundle = copy_of(BUNDLE, tmp_path)
    path = bundle / "bank" / "profile.parquet"
    table = pq.read_table(path)
    rows = [row for row in table.to_pylist() if (row["profile"], row["information_set"]) != ("full/23", "A:")]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    study = Evidence(read_bundle(bundle))
    for metric, arguments in (
        ("over_seeds", {"quantity": "exploitability", "statistic": "mean"}),
        ("tree_ev", {"opponent": "loose"}),
    ):
        with pytest.raises(MissingEvidenceError):
            compute(study, metric, {"arm": "full", **arguments})
        assert compute(study, metric, {"arm": "residual", **arguments}).numbers


def test_rebuilds_byte_for_byte(tmp_path: Path) -> None:
    push_fold_recipe.__main__.rebuild(tmp_path / "bundle")
    assert different_bytes(tmp_path / "bundle", BUNDLE) == set()
