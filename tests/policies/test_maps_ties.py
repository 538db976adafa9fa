"""Equal maps told apart by their utility at the calibration mixture, against plain enumeration."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from map_instances import instance_of
from policies.test_maps import small_instance
from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.studies.policies.evidence.calibration import declared_setting
from sealtrace.studies.policies.evidence.choice import choose, selector_named
from sealtrace.studies.policies.evidence.outcomes import states_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics.maps.comparison import settled
from sealtrace.studies.policies.mathematics.maps.instance import Instance, worst_risk, worst_utility
from sealtrace.studies.policies.mathematics.maps.proof import Refuted, Solution
from sealtrace.studies.policies.mathematics.maps.recheck import recheck
from sealtrace.studies.policies.mathematics.maps.search import best_map
from studies.certified_study import Parts, certified_study
from support import LONG


def plainly(instance: Instance) -> tuple[int, ...]:
    """Every map, one after the other: worst utility, nominal utility, then order."""
    options = [row.nonzero()[0].tolist() for row in instance.admissible]
    allowed = [one for one in product(*options) if instance.keeps_budget(worst_risk(instance, one))]
    return min(
        allowed,
        key=lambda one: (-worst_utility(instance, one), -_mean(instance, one), one),
    )


def _mean(instance: Instance, choice: tuple[int, ...]) -> Fraction:
    values = zip(instance.counts, instance.lowers(choice), strict=True)
    return sum((Fraction(count, instance.states) * low for count, low in values), Fraction(0))


@pytest.mark.parametrize("seed", range(6 if LONG else 3))
def test_ties_are_settled_as_by_enumeration(seed: int) -> None:
    """Map and proof, whichever way the worst utility was found; the rule matters in some of them."""
    source = random.Random(40_000 + seed)
    different = 0
    for _ in range(150):
        instance = small_instance(source)
        first = best_map(instance)
        found = settled(instance, first)
        assert found.choice == plainly(instance)
        assert found.utility == first.utility
        recheck(instance, found)
        different += found.choice != first.choice
    assert different > 5


def test_a_map_that_goes_later_is_refuted() -> None:
    """Two groups, one of which the worst mixture never weighs: its larger L tells equal maps apart."""
    lower = [[Fraction(0), Fraction(1, 2), Fraction(3, 4)], [Fraction(0), Fraction(1, 4), Fraction(1, 4)]]
    upper = [[Fraction(0), Fraction(1, 8), Fraction(1, 8)]] * 2
    instance = instance_of([1, 1], upper, lower, [[True] * 3] * 2, None, Fraction(2))
    first = best_map(instance)
    assert first.choice == (1, 1)
    found = settled(instance, first)
    assert found.choice == (2, 1)
    wrong = Solution((1, 1), found.proof, instance)
    with pytest.raises(Refuted, match="goes before it"):
        recheck(instance, wrong)
    worse = Solution((0, 1), found.proof, instance)
    with pytest.raises(Refuted, match="another worst utility"):
        recheck(instance, worse)


def test_the_declared_rule_decides(tmp_path: Path) -> None:
    """At any mixture only the worst group counts: the rule of order leaves the other group at the first option that
    does as well, and the nominal rule gives it its best one."""
    chosen = {}
    for rule in ("lexicographic", "nominal-utility"):

        def change(parts: Parts, rule: str = rule) -> None:
            parts["protocol"]["ties"]["map"] = rule
            parts["protocol"]["certification"] |= {"rho": "2", "epsilon_group": "1", "epsilon_global": "1"}
            parts["partition"]["by pot"]["leaves"][0]["epsilon"] = "0.28"

        study = Evidence(read_bundle(certified_study(tmp_path / rule, change))).view(Study)
        found = choose(study, selector_named(study, "robust"), declared_setting(study), states_of(study, "calibration"))
        assert found.doubt is None
        chosen[rule] = found
    order, nominal = chosen.values()
    assert order.assigned != nominal.assigned
    assert order.utility_lower() == nominal.utility_lower()
    assert nominal.utility_lower(Fraction(0)) > order.utility_lower(Fraction(0))
