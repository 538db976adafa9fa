"""What is said of partitions, their groups and their shares."""

from __future__ import annotations

import pytest

from checks.changed_records import CUT, Cases, agree, listed

NO_PARTITION = {f"partition.{name}": CUT for name in ("global", "by-pot", "learned")}

CERTIFIED: Cases = {
    "partition.rule": {
        "what is sound": (
            {},
            "3 partitions",
        ),
        "no partition": (
            NO_PARTITION,
            "0 partitions",
            "missing: no partition is frozen, and anchor, fixed, empiric…-only, dual, robust choose in its groups",
        ),
        "two partitions of one name": (
            {"partition.global#/name": "by pot"},
            "3 partitions",
            "partition.global by pot /name: one partition, not 2",
            "partition.by-pot by pot /name: one partition, not 2",
        ),
        "two leaves of one group": (
            {"partition.by-pot#/leaves/1/group": "small"},
            "3 partitions",
            "partition.by-pot by pot small /leaves/0/group: one leaf, not 2",
            "partition.by-pot by pot small /leaves/1/group: one leaf, not 2",
        ),
        "a rule by an undeclared feature": (
            {"partition.by-pot#/leaves/0/conditions/0/feature": "mood"},
            "3 partitions",
            "partition.by-pot by pot small /leaves/0/conditions/0/feature: pot_pressure, seat, not mood",
            "observation.calibration s002 /state: one group, not 0",
            "observation.calibration s004 /state: one group, not 0",
            "86 more of /state",
        ),
        "a rule by a hidden field": (
            {"protocol#/interfaces/teacher-free": ["legal", "position"]},
            "3 partitions",
            "partition.by-pot by pot small /leaves/0/conditions/0/featur…legal, position, not pot_pressure of pot",
            "partition.by-pot by pot large /leaves/1/conditions/0/featur…legal, position, not pot_pressure of pot",
        ),
        "a rule without interfaces": (
            {"protocol#/interfaces": {}},
            "3 partitions",
            "partition.by-pot by pot small /leaves/0/conditions/0/feature: none, not pot_pressure of pot",
            "partition.by-pot by pot large /leaves/1/conditions/0/feature: none, not pot_pressure of pot",
            "partition.learned learned g1 /leaves/0/conditions/0/feature: none, not seat of position",
            "1 more of /leaves/1/conditions/0/feature",
        ),
        "a gap and an overlap": (
            {
                "partition.by-pot#/leaves/0/conditions/0/threshold": "0.15",
                "partition.by-pot#/leaves/1/conditions/0/threshold": "0.85",
            },
            "3 partitions",
            "observation.calibration s002 /state: one group, not 0",
            "observation.calibration s006 /state: one group, not 0",
            "observation.calibration s007 /state: one group, not 0",
            "60 more of /state",
        ),
        "an overlap of groups": (
            {"partition.by-pot#/leaves/0/conditions": []},
            "3 partitions",
            "observation.calibration s004 /state: one group, not 2",
            "observation.calibration s007 /state: one group, not 2",
            "observation.calibration s011 /state: one group, not 2",
            "41 more of /state",
        ),
        "a rule that cannot be followed": (
            {
                "protocol#/features/seat/table": {"early": "0"},
                "partition.global#/leaves": [
                    {"group": "all", "conditions": [{"feature": "seat", "threshold": "2", "below": True}]}
                ],
            },
            "3 partitions",
            "observation.calibration s007 /state: one group, not 0",
            "observation.calibration s011 /state: one group, not 0",
            "observation.calibration s015 /state: one group, not 0",
            "85 more of /state",
        ),
    },
    "partition.support": {
        "what is sound": (
            {},
            "5 groups",
        ),
        "no partition and no need of one": (
            {**NO_PARTITION, "protocol#/selectors": []},
            "0 groups",
            "not applicable: the study freezes no partition",
        ),
        "a class that declares nothing": (
            {"protocol#/partition_classes": {}},
            "5 groups",
            "partition.learned learned /learned_in: none, not aware",
        ),
        "groups with too few states": (
            {"protocol#/partition_classes/aware/minimum_support": 13},
            "5 groups",
            "partition.learned learned g1 /leaves/0: at least 13, not 12",
            "partition.learned learned g2 /leaves/1: at least 13, not 12",
        ),
        "groups with just enough states": (
            {"protocol#/partition_classes/aware/minimum_support": 12},
            "5 groups",
        ),
        "groups without a demanded number": (
            {
                "protocol#/partition_classes/aware/minimum_support": 0,
                "partition.learned#/leaves/0/conditions/0/threshold": "0",
            },
            "5 groups",
            "partition.learned learned g1 /leaves/0: at least 1, not 0",
            "warning partition.learned learned g1 /leaves/0: calibration states, not 0",
        ),
        "a group with one state is enough": (
            {
                "protocol#/partition_classes/aware/minimum_support": 0,
                "observation.structure#": lambda rows: [rows[0], rows[1]],
            },
            "5 groups",
        ),
        "two structure splits": (
            {"protocol#/splits/1/role": "structure"},
            "5 groups",
            "missing: the protocol does not declare one structure split",
        ),
        "a group without calibration states": (
            {
                "partition.by-pot#/leaves/0/conditions/0/threshold": "0",
                "partition.by-pot#/leaves/1/conditions/0/threshold": "0",
            },
            "5 groups",
            "warning partition.by-pot by pot small /leaves/0: calibration states, not 0",
        ),
    },
    "partition.class": {
        "what is sound": (
            {},
            "1 partitions",
        ),
        "nothing learned where nothing is frozen": (
            {**NO_PARTITION, "protocol#/selectors": []},
            "0 partitions",
            "not applicable: the study freezes no partition",
        ),
        "a partition of an unknown class": (
            {"partition.learned#/learned_in": "best"},
            "0 partitions",
            "missing: no partition says that it was learned in aware",
            "partition.learned learned /learned_in: aware, not best",
        ),
        "no partition is learned": (
            {"protocol#/partition_classes": {}, "partition.learned#/learned_in": CUT},
            "0 partitions",
            "not applicable: no partition was learned",
        ),
        "a partition that is not of its class": (
            {"protocol#/partition_classes/aware/depth": 0},
            "1 partitions",
            "partition.learned learned /leaves: a partition of the class aware, not 2 leaves",
        ),
        "more leaves than structure states": (
            {"observation.structure#": lambda rows: rows[:1]},
            "1 partitions",
            "partition.learned learned /leaves: a partition of the class aware, not 2 leaves",
        ),
        "as many leaves as structure states": (
            {"observation.structure#": lambda rows: rows[:2]},
            "1 partitions",
        ),
        "no structure states": (
            {"observation.structure#": []},
            "1 partitions",
        ),
    },
    "partition.objective": {
        "what is sound": (
            {},
            "1 partitions",
        ),
        "no objective where nothing is frozen": (
            {**NO_PARTITION, "protocol#/selectors": [], "values.structure#": []},
            "0 partitions",
            "not applicable: the study freezes no partition",
        ),
        "no objective where nothing is learned": (
            {"protocol#/partition_classes": {}, "partition.learned#/learned_in": CUT, "values.structure#": []},
            "0 partitions",
            "not applicable: no partition was learned",
        ),
        "an objective that is off": (
            {"partition.learned#/objective": lambda objective: objective * (1 + 2e-9)},
            "1 partitions",
            "partition.learned learned /objective: 0.002740522209115218, not 0.0027405222145962626",
        ),
        "an objective that is nearly right": (
            {"partition.learned#/objective": lambda objective: objective * (1 + 5e-10)},
            "1 partitions",
        ),
        "no objective": (
            {"partition.learned#/objective": CUT},
            "1 partitions",
            "missing: learned states no objective, or leaves structure states without a group",
        ),
        "an objective of states without a group": (
            {"partition.learned#/leaves/0/conditions/0/threshold": "0"},
            "1 partitions",
            "missing: learned states no objective, or leaves structure states without a group",
        ),
        "structure states that are not scored": (
            {"values.structure#": []},
            "0 partitions",
            "missing: the structure split is not scored for every competing candidate",
        ),
        "a structure state that is not scored": (
            {"values.structure#": lambda rows: rows[2:]},
            "0 partitions",
            "missing: the structure split is not scored for every competing candidate",
        ),
        "nobody competes": (
            {"protocol#/scale_grid": []},
            "0 partitions",
            "missing: the structure split is not scored for every competing candidate",
        ),
    },
    "partition.optimal": {
        "what is sound": (
            {},
            "1 partitions",
        ),
        "a learned partition that does not say so": (
            {"partition.learned#/learned_in": CUT},
            "0 partitions",
            "missing: no partition says that it was learned in aware",
        ),
        "a better partition": (
            {"partition.learned#/leaves": [{"group": "g1", "conditions": []}]},
            "1 partitions",
            'partition.learned learned /leaves: "seat" in (-inf, 1/2); "seat" in [1/2, inf), not everywhere',
        ),
        "a thousand thresholds": (
            {
                "protocol#/partition_classes/aware/thresholds": {
                    "pot_pressure": [f"{number}/2000" for number in range(1, 1001)]
                },
                "protocol#/partition_classes/aware/depth": 1,
            },
            "1 partitions",
            'partition.learned learned /leaves: "pot_pressure" in (-inf,…at" in (-inf, 1/2); "seat" in [1/2, inf)',
        ),
        "a thousand and one thresholds": (
            {
                "protocol#/partition_classes/aware/thresholds": {
                    "pot_pressure": [f"{number}/2002" for number in range(1, 1001)],
                    "seat": ["1/2"],
                }
            },
            "1 partitions",
            "missing: learned: a class of more than 1000 thresholds is not searched",
        ),
        "a class by an undeclared feature": (
            {"protocol#/partition_classes/aware/thresholds/mood": ["1"]},
            "1 partitions",
            "missing: learned: feature 'mood' cannot be computed in state 0",
        ),
    },
    "partition.labels": {
        "what is sound": (
            {},
            "704 traces",
        ),
        "traces in other groups": (
            {
                "trace.calibration#/0/group": "large",
                "trace.calibration#/1/group": "nowhere",
                "trace.calibration#/2/group": CUT,
                "trace.structure#/0/group": "small",
            },
            "704 traces",
            "trace.structure s000 anchor structure /group: no group, not small",
            "trace.calibration s002 anchor calibration /group: small, not large",
            "trace.calibration s002 bold 0 calibration /group: small, not nowhere",
            "1 more of /group",
        ),
        "a deployed rule with a gap": (
            {
                "partition.by-pot#/leaves/0/conditions/0/threshold": "0.15",
                "trace.calibration#/0/group": CUT,
                "trace.held-out#/0/group": CUT,
            },
            "704 traces",
            "trace.calibration s002 anchor calibration /group: none, not none",
            "trace.calibration s002 bold 0 calibration /group: none, not small",
            "trace.calibration s002 bold 1/2 calibration /group: none, not small",
            "217 more of /group",
        ),
        "groups without a deployed partition": (
            {"protocol#/certification/partition": CUT},
            "704 traces",
            "trace.calibration s002 anchor calibration /group: no group, not small",
            "trace.calibration s002 bold 0 calibration /group: no group, not small",
            "trace.calibration s002 bold 1/2 calibration /group: no group, not small",
            "701 more of /group",
        ),
        "no groups and no deployed partition": (
            {
                "protocol#/certification/partition": CUT,
                "trace.calibration#": lambda rows: [{**row, "group": None} for row in rows],
                "trace.held-out#": [],
            },
            "0 traces",
            "not applicable: no partition is deployed",
        ),
        "a deployed partition that is not there": (
            {"protocol#/certification/partition": "nowhere"},
            "0 traces",
            "missing: the deployed partition nowhere is not in the bundle",
        ),
        "traces of unknown states have no group": (
            {"trace.calibration#/0/state": "none"},
            "703 traces",
            "missing: 1 traces join no state",
        ),
    },
    "partition.allocations": {
        "what is sound": (
            {},
            "45 shares",
        ),
        "budgets of groups": (
            {
                "partition.by-pot#/leaves/0/epsilon": "1",
                "partition.by-pot#/leaves/1/epsilon": "5/4",
                "partition.global#/leaves/0/epsilon": "-1/4",
                "partition.learned#/leaves/0/epsilon": "0",
            },
            "49 shares",
            "partition.global global all /leaves/0/epsilon: from 0 to 1, not -1/4",
            "partition.by-pot by pot large /leaves/1/epsilon: from 0 to 1, not 5/4",
        ),
        "no shares of a partition that is chosen in": (
            {"partition.by-pot#/allocations": CUT},
            "27 shares",
            "missing: by pot is certified in, and allocates nothing",
        ),
        "no shares of a partition that is certified in": (
            {"partition.by-pot#/allocations": CUT, "protocol#/selectors": []},
            "27 shares",
            "missing: by pot is certified in, and allocates nothing",
        ),
        "no shares of a partition that nobody uses": (
            {"partition.learned#/allocations": CUT},
            "27 shares",
        ),
        "shares that are not positive": (
            {
                "partition.global#/allocations/0/risk": "0",
                "partition.global#/allocations/1/utility": "-1/9",
                "partition.global#/allocations/2/utility": CUT,
            },
            "45 shares",
            "partition.global global bold all 0 /allocations/0/risk: above 0, not 0",
            "partition.global global bold all 1/2 /allocations/1/utility: above 0, not -1/9",
            "note partition.global global /allocations: None, not None",
            "1 more of /allocations",
        ),
        "shares above one": (
            {"partition.global#/allocations/0/risk": "2/9", "partition.global#/allocations/0/utility": "1/9"},
            "45 shares",
            "partition.global global /allocations: at most 1, not 10/9",
            "note partition.global global /allocations: None, not None",
        ),
        "shares of nothing": (
            {
                "partition.global#/allocations/0/arm": "free",
                "partition.global#/allocations/1/group": "nowhere",
                "partition.global#/allocations/2/scale": CUT,
                "partition.global#/allocations/3/scale": "1",
            },
            "45 shares",
            "partition.global global free all 0 /allocations/0: one shar…g candidate and group, not free@0 in all",
            "partition.global global bold nowhere 1/2 /allocations/1: on…idate and group, not bold@1/2 in nowhere",
            "partition.global global bold all /allocations/2: one share …andidate and group, not bold@none in all",
            "1 more of /allocations/5",
            "4 more of /allocations",
        ),
    },
}


@pytest.mark.parametrize(("check", "name"), listed(CERTIFIED))
def test_what_is_said_of_the_certified_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("certified", check, CERTIFIED[check][name])
