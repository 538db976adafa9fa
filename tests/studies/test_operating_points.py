"""Any operating point that a protocol can declare, against plain records worked through one state at a time."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from oracles.certification import Operating, certificates, dual, robust
from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.recipes.metrics import compute
from sealtrace.studies.policies.evidence.calibration import UndeclaredError, declared_setting
from sealtrace.studies.policies.evidence.choice import choose, selector_named
from sealtrace.studies.policies.evidence.outcomes import states_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.certification import Variant
from studies.certified_study import Parts, certified_study
from support import LONG

GRADED = {"scales": {"0": "4", "0.5": "3", "1": "1"}, "families": {"bold": "1", "meek": "2", "calm": "1/2"}}
ALLOCATIONS: dict[str, Any] = {
    "graded utility": {"risk": {}, "utility": GRADED},
    "graded risk": {"risk": {**GRADED, "groups": {"small": "3", "large": "1"}, "total": "1/2"}, "utility": {}},
}
GROUPS = ["small", "large"]
SPAN = (Fraction(-2), Fraction(2))


def with_allocations(parts: Parts) -> None:
    """The tiny study with two declared allocations, a teacher-free arm that competes, and maps of other selectors."""
    declared = parts["protocol"]
    declared["allocations"] = ALLOCATIONS
    declared["selectors"].append(
        {"name": "free-budget", "rule": "robust", "partition": "by pot", "group_budgets": False}
    )


class Oracle:
    """The plain side of one study."""

    def __init__(self, directory: Path) -> None:
        kept: Parts = {}

        def keep(parts: Parts) -> None:
            with_allocations(parts)
            kept.update(parts)

        self.study = Evidence(read_bundle(certified_study(directory / "bundle", keep))).view(Study)
        self.traces, self.values = kept["trace"]["calibration"], kept["values"]["calibration"]
        self.pots = {row["state"]: row["pot"] for row in kept["observation"]["calibration"]}
        self.bank = kept["candidate"]

    def group(self, state: str) -> str:
        """Small pots and large ones."""
        return "small" if self.pots[state] < 5 else "large"

    def operating(self, variant: dict[str, Any]) -> Operating:
        """The declared operating point with what a variant changes, read from the records as a person would."""
        scales = [Fraction(text) for text in variant.get("scales", ["0", "1/2", "1"])]
        families = variant.get("families", ["bold", "meek", "calm"])
        candidates = sorted(
            (one for one in self.bank if one["arm"] in families and Fraction(one["scale"]) in scales),
            key=lambda one: (Fraction(one["scale"]), one["family_index"]),
        )
        rules = ALLOCATIONS.get(variant.get("allocation", ""), {"risk": {}, "utility": {}})

        def share(kind: str) -> Any:
            rule: dict[str, Any] = rules[kind]

            def weight(one: dict[str, Any], group: str) -> Fraction:
                scale = {Fraction(key): Fraction(text) for key, text in rule.get("scales", {}).items()}
                family = Fraction(rule.get("families", {}).get(one["arm"], "1"))
                of_group = Fraction(rule.get("groups", {}).get(group, "1"))
                return scale.get(Fraction(one["scale"]), Fraction(1)) * family * of_group

            total = sum((weight(one, group) for one in candidates for group in GROUPS), Fraction(0))
            return lambda one, group: Fraction(rule.get("total", "1")) * weight(one, group) / total

        epsilon = variant.get("epsilon")
        in_groups = variant.get("epsilon_group", epsilon or "0.4")
        own = variant.get("epsilon_groups", {})
        return Operating(
            tau=Fraction(variant.get("tau", "0.05")),
            budgets={group: Fraction(own.get(group, in_groups)) for group in GROUPS},
            epsilon_global=Fraction(variant.get("epsilon_global", epsilon or "0.3")),
            zeta=Fraction(variant.get("zeta", "0.075")),
            rho=Fraction(variant.get("rho", "0.2")),
            span=SPAN,
            candidates=candidates,
            risk_share=share("risk"),
            utility_share=share("utility"),
        )


@pytest.fixture(scope="module")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(tmp_path_factory.mktemp("operating"))


def random_variant(draw: random.Random) -> dict[str, Any]:
    """Some of everything that a variant may change."""
    every: dict[str, Any] = {
        "tau": draw.choice(["0.05", "0.1", "0.3"]),
        "epsilon": draw.choice(["0.3", "1/2"]),
        "epsilon_group": draw.choice(["0.25", "0.4", "0.6"]),
        "epsilon_groups": draw.choice([{"small": "0.3"}, {"small": "0.55", "large": "0.2"}, {"large": "1"}]),
        "epsilon_global": draw.choice(["0.2", "0.28", "0.35"]),
        "zeta": draw.choice(["0.05", "0.2"]),
        "rho": draw.choice(["0", "0.5", "2"]),
        "scales": draw.choice([["1/2", "1"], ["1"], ["0", "1/2"]]),
        "families": draw.choice([["bold"], ["bold", "calm"], ["meek", "calm"]]),
        "allocation": draw.choice([*ALLOCATIONS]),
    }
    return {name: value for name, value in every.items() if draw.random() < 0.45}


@pytest.mark.parametrize("seed", range(40 if LONG else 6))
def test_any_variant_is_what_plain_records_give(oracle: Oracle, seed: int) -> None:
    """Counts, bounds, certified candidates, and the dual and robust choices, with and without group budgets."""
    changed = random_variant(random.Random(seed))
    study, operating = oracle.study, oracle.operating(changed)
    setting = declared_setting(study, Variant.model_validate(changed))
    states = states_of(study, "calibration")
    bounds = certificates(operating, oracle.traces, oracle.values, oracle.group)
    chosen = choose(study, selector_named(study, "dual"), setting, states)
    calibration = chosen.calibration
    names = [f"{one['arm']}@{one['scale']}" for one in operating.candidates]
    assert [study.candidates[one].name for one in calibration.candidates] == names
    for (row, group), due in bounds.items():
        place = GROUPS.index(group)
        assert (calibration.counts[place], calibration.crossings[row, place]) == (due.states, due.crossings)
        assert calibration.upper[row, place] == pytest.approx(due.upper, rel=1e-9)
        assert calibration.lower[row, place] == pytest.approx(due.lower, abs=1e-12)
        assert calibration.certified[row, place] == due.certified

    def named(choice: list[int | None]) -> list[str | None]:
        return [None if one is None else names[one] for one in choice]

    def taken(selector: str) -> list[str | None]:
        found = choose(study, selector_named(study, selector), setting, states)
        assert found.doubt is None
        return [None if one is None else study.candidates[one].name for one in found.assigned]

    assert taken("dual") == named(dual(operating, bounds))
    assert taken("robust") == named(robust(operating, bounds))
    assert taken("free-budget") == named(robust(operating, bounds, within_groups=False))


def test_group_and_global_budgets_are_apart(oracle: Oracle) -> None:
    """A variant that names one of them leaves the other as declared."""
    groups, mixture = (
        declared_setting(oracle.study, Variant.model_validate({field: "1/9"}))
        for field in ("epsilon_group", "epsilon_global")
    )
    assert (groups.epsilon_group, groups.epsilon_global) == (Fraction(1, 9), Fraction("0.3"))
    assert (mixture.epsilon_group, mixture.epsilon_global) == (Fraction("0.4"), Fraction(1, 9))


def test_without_scale_0_the_anchor_is_a_fallback(oracle: Oracle) -> None:
    """Nothing certified: the anchor stands in every group, with the bounds that are known of it."""
    setting = declared_setting(oracle.study, Variant(scales=["1/2", "1"], epsilon="0"))
    states = states_of(oracle.study, "calibration")
    for selector in ("anchor", "dual", "robust", "risk-only"):
        chosen = choose(oracle.study, selector_named(oracle.study, selector), setting, states)
        assert set(chosen.assigned) == {None}
        assert chosen.certified == (selector == "anchor")
    anchor = choose(oracle.study, selector_named(oracle.study, "anchor"), setting, states)
    assert (anchor.risk_upper(), anchor.utility_lower()) == (0.0, 0.0)


def test_largest_risk_is_the_worst_group(oracle: Oracle) -> None:
    """The one bound that holds whatever the mixture: the largest U that the map takes, not a mean."""
    chosen = choose(
        oracle.study,
        selector_named(oracle.study, "dual"),
        declared_setting(oracle.study),
        states_of(oracle.study, "calibration"),
    )
    rows = [chosen.calibration.candidates.index(one) for one in chosen.assigned if one is not None]
    uppers = [float(chosen.calibration.upper[row, group]) for group, row in enumerate(rows)]
    assert len(uppers) == len(GROUPS)
    assert uppers[0] != uppers[1]
    found = compute(oracle.study.evidence, "map_largest_risk", {"selector": "dual"}).numbers[0]
    assert float(found) == max(uppers)
    assert float(compute(oracle.study.evidence, "map_risk_upper", {"selector": "dual"}).numbers[0]) < max(uppers)


@pytest.mark.parametrize(
    ("when", "budgets", "certified"),
    [
        ("every-group", {"small": "0.4", "large": "0"}, False),
        ("any-group", {"small": "0.4", "large": "0"}, True),
        ("every-group", {"small": "1", "large": "1"}, True),
        ("every-group-moves", {"small": "1", "large": "1"}, True),
        ("every-group-moves", {"small": "1", "large": "0"}, False),
    ],
)
def test_what_counts_as_certified(tmp_path: Path, when: str, budgets: dict[str, str], certified: bool) -> None:
    """No group falls back, one does not, or every group gets a scale above 0."""

    def change(parts: Parts) -> None:
        parts["protocol"]["certification"]["certified_when"] = when

    study = Evidence(read_bundle(certified_study(tmp_path / "bundle", change))).view(Study)
    setting = declared_setting(study, Variant(epsilon_groups=budgets))
    assert choose(study, selector_named(study, "dual"), setting, states_of(study, "calibration")).certified is certified


def test_a_group_of_scale_0_does_not_move(tmp_path: Path) -> None:
    """Certified, but no candidate moves anything."""

    def change(parts: Parts) -> None:
        parts["protocol"]["certification"]["certified_when"] = "every-group-moves"

    study = Evidence(read_bundle(certified_study(tmp_path / "bundle", change))).view(Study)
    setting = declared_setting(study, Variant(scales=["0"], epsilon="1"))
    chosen = choose(study, selector_named(study, "dual"), setting, states_of(study, "calibration"))
    assert not any(chosen.fell_back)
    assert not chosen.certified


def test_a_leaf_has_its_own_budget(tmp_path: Path) -> None:
    """epsilon_h frozen with its group decides, and certificates that follow the protocol's alone are found."""

    def change(parts: Parts) -> None:
        parts["partition"]["by pot"]["leaves"][1]["epsilon"] = "0"

    bundle = certified_study(tmp_path / "bundle", change)
    report = sealtrace.verify(bundle, check=["certificate.certified", "map.choice"])
    keys = {(one.check, (one.key or {}).get("group")) for one in report.findings if one.severity == "error"}
    assert ("certificate.certified", "large") in keys
    assert ("map.choice", "large") in keys
    assert not {key for key in keys if key[1] == "small" and key[0] == "certificate.certified"}


def test_a_budget_of_an_unknown_group_is_refused(oracle: Oracle) -> None:
    """A variant cannot name a group that its partition has not."""
    setting = declared_setting(oracle.study, Variant(epsilon_groups={"tiny": "0.1"}))
    with pytest.raises(UndeclaredError, match="no group 'tiny'"):
        choose(oracle.study, selector_named(oracle.study, "dual"), setting, states_of(oracle.study, "calibration"))


def test_a_teacher_free_arm_competes(tmp_path: Path) -> None:
    """Where the protocol names it among the competitors, a student is chosen, certified and mapped like a tilt."""

    def change(parts: Parts) -> None:
        parts["protocol"]["competitors"] = ["free", "bold"]

    study = Evidence(read_bundle(certified_study(tmp_path / "bundle", change))).view(Study)
    setting = declared_setting(study, Variant(scales=["1"], epsilon="1"))
    chosen = choose(study, selector_named(study, "dual"), setting, states_of(study, "calibration"))
    assert [study.candidates[one].name for one in chosen.calibration.candidates] == ["bold@1", "free@1"]
    assert len(chosen.assigned) == len(GROUPS)
