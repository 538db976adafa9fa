"""What is said of declared constants, and of the bank."""

from __future__ import annotations

from dataclasses import replace

import pytest

from checks.changed_records import CUT, Cases, agree, listed, outcome_of, study_of
from sealtrace.evidence import Evidence

GATE = {"entropy": "0", "terms": {}, "threshold": "0.5"}
RANDRANGE = {
    "generator": "python-randrange",
    "seed": 3,
    "strata": [],
    "order": ["calibration"],
    "population": 9,
    "member": "pot",
}
ASKER = {
    "family": "asker",
    "features": ["pot_pressure"],
    "actions": ["stay", "move"],
    "gate": [{"weights": [[2.0]], "bias": [-0.5], "activation": "identity"}],
}

FIXTURE: Cases = {
    "protocol.domain": {
        "what is sound": (
            {},
            "27 constants",
        ),
        "weights of the anchor that do not sum to one": (
            {"protocol#/anchor/teacher": "0.9"},
            "27 constants",
            "protocol /anchor: weights that sum to 1, not a sum of 49/50",
        ),
        "a feature of a field that is not there": (
            {"protocol#/features/pot_pressure/field": "mood", "protocol#/features/rank/table": CUT},
            "27 constants",
            "protocol /features/pot_pressure: a field of that form, with… a cap above 0, not capped-ratio of mood",
            "protocol /features/rank: a field of that form, with its table or a cap above 0, not lookup of hero",
        ),
        "costs that are no numbers": (
            {
                "protocol#/costs": {
                    "tokens": {"type": "integer"},
                    "mood": {"type": "string"},
                    "latency_ms": {"type": "number"},
                }
            },
            "30 constants",
            "protocol /costs/mood: a number or an integer, not string",
            "protocol /charges/policy: tokens, mood, latency_ms, not tokens, latency_ms, tool_calls",
            "protocol /charges/residual: tokens, mood, latency_ms, not tokens, latency_ms, tool_calls",
            "1 more of /charges/query-accepted",
        ),
        "a charge without a cost": (
            {"protocol#/charges/policy/tokens": CUT},
            "27 constants",
            "protocol /charges/policy: tokens, latency_ms, tool_calls, not latency_ms, tool_calls",
        ),
        "units of nothing": (
            {
                "protocol#/units": {
                    "mood": "smiles",
                    "pot": "chips",
                    "tokens": "tokens",
                    "weak": "chips",
                    "strong": "chips",
                    "other": "chips",
                },
                "protocol#/variants": {"v": {"evaluators": {"utility": "other", "risk": "weak"}}},
            },
            "33 constants",
            "protocol /units/mood: the unit of a field, an evaluator or a cost, not smiles",
        ),
        "a gate with two ways to a score": (
            {
                "protocol#/query/random": 1,
                "protocol#/gates": {
                    "a": {**GATE, "learned": "x", "random": 2},
                    "b": {**GATE, "entropy": "1", "learned": "x"},
                    "c": GATE,
                    "d": {**GATE, "random": 1},
                },
            },
            "35 constants",
            "protocol /query: weights, or a random draw, or a learned gate, not 2 ways to a score",
            "protocol /gates/a: weights, or a random draw, or a learned gate, not 2 ways to a score",
            "protocol /gates/b: weights, or a random draw, or a learned gate, not 2 ways to a score",
        ),
        "a gate that ranks without a budget": (
            {"protocol#/query/first": "score", "protocol#/gates": {"a": {**GATE, "first": "score", "budget": 0}}},
            "29 constants",
            "protocol /query/first: absent, unless there is a budget, not score",
        ),
        "a split of all": (
            {"protocol#/splits/1/name": "all"},
            "27 constants",
            "protocol /splits/1/name: a name other than `all`, not all",
        ),
        "a remainder that no state has": (
            {"protocol#/splits/0/rule/remainder": 2, "protocol#/splits/1/rule": {"modulus": 3, "remainder": 2}},
            "27 constants",
            "protocol /splits/0/rule: a remainder below the modulus, not {'modulus': 2, 'remainder': 2}",
        ),
        "names that are there twice": (
            {
                "protocol#/actions": ["fold", "call", "fold"],
                "protocol#/splits/1/name": "calibration",
                "protocol#/selectors": lambda selectors: selectors * 2,
            },
            "29 constants",
            "protocol /actions: names that differ, not fold, call, fold",
            "protocol /splits: names that differ, not calibration, calibration",
            "protocol /selectors: names that differ, not empirical-zero, empirical-zero",
        ),
        "draws of an unknown field": (
            {"protocol#/assignment": {**RANDRANGE, "strata": ["rank"], "population": 0, "member": "mood"}},
            "32 constants",
            "protocol /assignment/generator: independent draws as identi…ies, and no strata, not python-randrange",
            "protocol /assignment/population: above 0, not 0",
            "protocol /assignment/member: an observation's field, not mood",
        ),
        "draws of disjoint states": (
            {"protocol#/assignment": RANDRANGE},
            "32 constants",
            "protocol /assignment/generator: independent draws as identi…ies, and no strata, not python-randrange",
        ),
        "draws in strata": (
            {"protocol#/assignment": {**RANDRANGE, "strata": ["rank"]}, "protocol#/identities": "independent-draws"},
            "32 constants",
            "protocol /assignment/generator: independent draws as identi…ies, and no strata, not python-randrange",
        ),
        "independent draws": (
            {"protocol#/assignment": RANDRANGE, "protocol#/identities": "independent-draws"},
            "32 constants",
        ),
        "loose tolerances": (
            {"protocol#/tolerances": {"normalization": "0", "replay": "1e-6"}},
            "27 constants",
            "protocol /tolerances/normalization: above 0 and at most 1/10000, not 0",
            "warning protocol /tolerances/replay: at most 1e-09, not 1e-6",
        ),
    },
    "bank.scales": {
        "what is sound": (
            {},
            "9 candidates",
        ),
        "a scale twice": (
            {"candidate#/4/scale": "0.040"},
            "9 candidates",
            "candidate residual 0.040 /scale: once, as residual@0.04, not residual@0.040",
            "protocol /scale_grid/2: a candidate residual@0.08, not none",
        ),
        "an arm without a scale": (
            {"candidate#/4/scale": CUT},
            "9 candidates",
            "protocol /scale_grid/2: a candidate residual@0.08, not none",
        ),
        "a grid that does not ascend": (
            {"protocol#/scale_grid": ["0", "0.08", "0.04", "0.040"]},
            "9 candidates",
            "protocol /scale_grid/2: above 0.08, not 0.04",
            "protocol /scale_grid/3: above 0.04, not 0.040",
        ),
        "a scale that nobody has": (
            {"protocol#/scale_grid": ["0", "2"], "protocol#/selectors/0/arm": "top-1"},
            "9 candidates",
            "protocol /scale_grid/0: a candidate top-1@0, not none",
            "protocol /scale_grid/1: a candidate top-1@2, not none",
        ),
        "a scale that no selector counts": (
            {"protocol#/scale_grid": ["0", "2"], "protocol#/selectors/0/rule": "fixed"},
            "9 candidates",
        ),
    },
    "bank.serializer": {
        "what is sound": (
            {},
            "9 candidates",
        ),
        "another action order": (
            {"candidate#/0/serializer": ["call", "fold", "raise"]},
            "9 candidates",
            "candidate active-query /serializer: fold, call, raise, not call, fold, raise",
        ),
    },
    "bank.policies": {
        "what is sound": (
            {},
            "9 candidates",
        ),
        "no anchor": (
            {"candidate#": lambda rows: [rows[0], *rows[2:]]},
            "8 candidates",
            "candidate /policy: one anchor, not 0",
        ),
        "two anchors": (
            {"candidate#": lambda rows: [*rows, {**rows[1], "arm": "again"}]},
            "10 candidates",
            "candidate /policy: one anchor, not 2",
        ),
        "no bank": (
            {"candidate#": []},
            "0 candidates",
        ),
        "competitors that cannot": (
            {"protocol#/competitors": ["residual", "top-1", "nobody"]},
            "9 candidates",
            "protocol /competitors/1: residual, not top-1",
            "protocol /competitors/2: residual, not nobody",
        ),
        "an arm of two policies": (
            {
                "candidate#/3/family_index": 1,
                "candidate#/4/family": "loose",
                "candidate#/5/direction/fold/constant": "1",
            },
            "9 candidates",
            "candidate residual 0.04 /family_index: as in residual@0, not 1",
            "candidate residual 0.08 /family: as in residual@0, not loose",
            "candidate residual 0.12 /direction: as in residual@0, not {…'0.55', 'terms': {'pot_pressure': '1'}}}",
        ),
        "no anchor rule": (
            {"protocol#/anchor": CUT, "candidate#": lambda rows: [rows[0], rows[1], rows[2], rows[8]]},
            "4 candidates",
            "candidate active-query /policy: an anchor rule in the protocol, not none",
            "candidate anchor /policy: an anchor rule in the protocol, not none",
            "candidate residual 0 /policy: an anchor rule in the protocol, not none",
        ),
        "interfaces with and without a teacher": (
            {
                "candidate#/1/interface": "teacher-free",
                "candidate#/2/interface": "teacher-free",
                "candidate#/0/interface": "teacher-free",
                "candidate#/8/interface": "teacher-free",
            },
            "9 candidates",
            "candidate anchor /interface: one that shows the teacher's d… which the policy uses, not teacher-free",
            "candidate residual 0 /interface: one that shows the teacher… which the policy uses, not teacher-free",
            "candidate top-1 /interface: one that shows the teacher's di… which the policy uses, not teacher-free",
            "5 more of /interface",
        ),
        "other normalizations": (
            {
                "candidate#/0/normalization": "none",
                "candidate#/1/normalization": "shifted-exponential",
                "candidate#/7/normalization": "none",
                "candidate#/8/normalization": "shifted-exponential",
            },
            "9 candidates",
            "candidate active-query /normalization: shifted-exponential, not none",
            "candidate anchor /normalization: none, not shifted-exponential",
            "candidate residual 1 /normalization: shifted-exponential, not none",
            "1 more of /normalization",
        ),
        "lists of splits": (
            {
                "candidate#/0/splits": ["calibration", "spare"],
                "candidate#/1/splits": ["calibration"],
                "candidate#/2/splits": ["held-out"],
                "candidate#/8/splits": [],
            },
            "9 candidates",
            "candidate active-query /splits: declared splits, not spare",
            "candidate anchor /splits: nothing: the anchor and what comp… traced wherever anything is, not a list",
            "candidate residual 0 /splits: nothing: the anchor and what … traced wherever anything is, not a list",
            "5 more of /splits",
        ),
        "an anchor with a scale": (
            {
                "candidate#/1/scale": "0",
                "candidate#/0/family": "fixed",
                "candidate#/8/direction": {"fold": {"constant": "1"}},
            },
            "9 candidates",
            "candidate active-query /family: nothing: a query policy has no family, not fixed",
            "candidate anchor 0 /scale: nothing: a anchor policy has no scale, not 0",
            "candidate top-1 /direction: nothing: a top-action policy ha…{'fold': {'constant': '1', 'terms': {}}}",
        ),
        "a tilt without a scale": (
            {"candidate#/7/scale": CUT, "candidate#/2/scale": "-1"},
            "9 candidates",
            "candidate residual -1 /scale: at least 0, not -1",
            "candidate residual /scale: a scale, not nothing",
        ),
        "a tilt without a direction": (
            {
                "candidate#": lambda rows: [
                    *rows[:2],
                    {name: value for name, value in rows[7].items() if name != "direction"},
                ]
            },
            "3 candidates",
            "candidate residual 1 /direction: a rule for each of fold, call, raise, not nothing",
        ),
        "a direction of other actions": (
            {
                "candidate#": lambda rows: [
                    *rows[:2],
                    {
                        **rows[7],
                        "direction": {
                            "fold": {"constant": "0"},
                            "jump": {"constant": "0", "terms": {"mood": "1", "anger": "1", "rank": "1"}},
                        },
                    },
                ]
            },
            "3 candidates",
            "candidate residual 1 /direction: a rule for each of fold, call, raise, not fold, jump",
            "candidate residual 1 /direction/jump/terms: declared features, not anger, mood",
        ),
        "no prior and no gate": (
            {"protocol#/prior": CUT, "protocol#/query": CUT},
            "9 candidates",
            "candidate active-query /policy: a prior rule in the protocol, not none",
            "candidate active-query /policy: a query rule in the protocol, not none",
            "candidate active-query /policy: prior logits for each of fold, call, raise, not ",
        ),
        "no gate": (
            {"protocol#/query": CUT},
            "9 candidates",
            "candidate active-query /policy: a query rule in the protocol, not none",
        ),
        "a prior of other actions": (
            {
                "protocol#/prior/logits/fold": CUT,
                "protocol#/query/terms": {"mood": "1"},
                "protocol#/prior/logits/call/terms": {"anger": "1"},
            },
            "9 candidates",
            "candidate active-query /policy: prior logits for each of fold, call, raise, not call, raise",
            "candidate active-query /policy: declared features, not anger, mood",
        ),
    },
}

CERTIFIED: Cases = {
    "protocol.domain": {
        "what is sound": (
            {},
            "72 constants",
        ),
        "a range of one point": (
            {
                "protocol#/certification/utility_range": ["1", "1"],
                "protocol#/variants/declared/utility_range": ["1", "1"],
                "protocol#/variants/loose/utility_range": ["1", "2"],
            },
            "74 constants",
            "protocol /certification/utility_range: q_min below q_max, not 1, 1",
            "protocol /variants/declared/utility_range: q_min below q_max, not 1, 1",
        ),
        "no range and no certification": (
            {"protocol#/certification/utility_range": CUT},
            "71 constants",
        ),
        "a class of unordered thresholds": (
            {
                "protocol#/partition_classes/aware/thresholds": {
                    "pot_pressure": ["0.5", "1/2"],
                    "mood": ["1"],
                    "seat": ["1", "2", "1"],
                }
            },
            "74 constants",
            "protocol /partition_classes/aware/thresholds/pot_pressure: strictly ascending, not 0.5, 1/2",
            "protocol /partition_classes/aware/thresholds: a declared feature, not mood",
            "protocol /partition_classes/aware/thresholds/seat: strictly ascending, not 1, 2, 1",
        ),
        "a deal by unknown strata": (
            {"protocol#/assignment/strata": ["seat", "mood"], "protocol#/assignment/order": ["held-out", "held-out"]},
            "72 constants",
            "protocol /assignment/strata: declared features, not seat, mood",
            "protocol /assignment: declared splits, each once, not held-out, held-out",
        ),
        "repeats without a seed": (
            {
                "protocol#/resampling/seed": CUT,
                "protocol#/resampling/repeats": 0,
                "protocol#/resampling/calibration": 0,
                "protocol#/resampling/held_out": 1,
                "protocol#/resampling/pool": ["held-out", "spare"],
            },
            "72 constants",
            "protocol /resampling: declared splits, each once, not held-out, spare",
            "protocol /resampling/seed: given, not None",
            "protocol /resampling/repeats: above 0, not 0",
            "1 more of /resampling/calibration",
        ),
        "blocks with a seed": (
            {"protocol#/resampling/generator": "blocks", "protocol#/resampling/strata": CUT},
            "72 constants",
            "protocol /resampling/seed: absent: blocks are not dealt, not 70",
        ),
        "blocks without a seed": (
            {
                "protocol#/resampling/generator": "blocks",
                "protocol#/resampling/strata": CUT,
                "protocol#/resampling/seed": CUT,
            },
            "72 constants",
        ),
        "selectors that lack what they need": (
            {
                "protocol#/selectors/1/arm": CUT,
                "protocol#/selectors/3/limit": CUT,
                "protocol#/selectors/6/partition": CUT,
            },
            "71 constants",
            "protocol /selectors/1/arm: given for fixed, not None",
            "protocol /selectors/3/limit: given for mean-strong, not None",
            "protocol /selectors/6/partition: given for dual, not None",
        ),
        "budgets of groups": (
            {"protocol#/selectors/7/group_budgets": False, "protocol#/selectors/6/group_budgets": False},
            "72 constants",
            "protocol /selectors/6/group_budgets: absent, unless a rule is robust, not False",
        ),
        "allocations that nobody declares": (
            {
                "protocol#/allocations": {"even": {"risk": {}, "utility": {}}},
                "protocol#/selectors/6/allocation": "odd",
                "protocol#/selectors/5/allocation": "even",
                "protocol#/variants/loose/allocation": "odd",
                "protocol#/variants/declared/allocation": "even",
            },
            "76 constants",
            "protocol /variants/loose/allocation: an allocation of the protocol, not odd",
            "protocol /selectors/6/allocation: an allocation of the protocol, not odd",
        ),
        "no tie rules": (
            {"protocol#/ties": {"action": "earliest-legal"}},
            "72 constants",
            "protocol /ties/selection: a rule, where equals may compete, not None",
            "protocol /ties/map: a rule, where equals may compete, not None",
            "protocol /ties/partition: a rule, where equals may compete, not None",
        ),
        "no tie rule where only one is needed": (
            {"protocol#/ties": {"action": "earliest-legal"}, "protocol#/selectors": lambda selectors: selectors[4:5]},
            "53 constants",
            "protocol /ties/selection: a rule, where equals may compete, not None",
            "protocol /ties/partition: a rule, where equals may compete, not None",
        ),
        "no tie rule of a map": (
            {
                "protocol#/ties": {"action": "earliest-legal"},
                "protocol#/selectors": lambda selectors: selectors[7:],
                "protocol#/partition_classes": {},
            },
            "42 constants",
            "protocol /ties/map: a rule, where equals may compete, not None",
        ),
        "no tie rule is needed": (
            {
                "protocol#/ties": {"action": "earliest-legal"},
                "protocol#/selectors": lambda selectors: selectors[:3],
                "protocol#/partition_classes": {},
            },
            "47 constants",
        ),
        "a variant of scales off the grid": (
            {
                "protocol#/variants/declared": {
                    "scales": ["0.5", "2"],
                    "epsilon_groups": {"small": "1", "large": "9/8"},
                    "calibration": 0,
                },
                "protocol#/variants/loose": {"calibration": 1},
            },
            "75 constants",
            "protocol /variants/declared/calibration: above 0, not 0",
            "protocol /variants/declared/scales: a scale of the grid, not 2",
            "protocol /variants/declared/epsilon_groups/large: from 0 to 1, not 9/8",
        ),
        "weights that are not positive": (
            {
                "protocol#/allocations": {
                    "odd": {
                        "risk": {
                            "scales": {"1": "0", "one": "1"},
                            "families": {"calm": "0"},
                            "groups": {"small": "-1"},
                            "total": "1",
                        },
                        "utility": {"scales": {"1": "1e-9"}, "total": "0"},
                    }
                }
            },
            "82 constants",
            "protocol /allocations/odd/risk/scales/1: above 0, not 0",
            "protocol /allocations/odd/risk/scales: scales, not one",
            "protocol /allocations/odd/risk/families/calm: above 0, not 0",
            "1 more of /allocations/odd/risk/groups/small",
            "1 more of /allocations/odd/utility/total",
        ),
        "a total above one": (
            {"protocol#/allocations": {"odd": {"risk": {"total": "10/9"}, "utility": {"total": "1/9"}}}},
            "74 constants",
            "protocol /allocations/odd/risk/total: above 0 and at most 1, not 10/9",
        ),
    },
    "bank.checkpoints": {
        "what is sound": (
            {},
            "4 candidates",
        ),
        "nothing learned": (
            {
                "checkpoint.calm": CUT,
                "candidate#": lambda rows: [row for row in rows if "checkpoint_sha256" not in row],
            },
            "0 candidates",
            "not applicable: no direction of the bank is learned",
        ),
        "weights of nobody": (
            {"candidate#": lambda rows: [row for row in rows if "checkpoint_sha256" not in row]},
            "0 candidates",
            "checkpoint.calm -: one of none, not 377bef375b16",
        ),
        "weights of other actions": (
            {"checkpoint.calm#/actions": ["move", "stay"]},
            "4 candidates",
            "checkpoint.calm /actions: stay, move, not move, stay",
            "note candidate calm 0 /checkpoint_sha256: weights with this digest, not sealed directions only",
            "checkpoint.calm -: one of 377bef375b16, not eeefed075236",
        ),
        "a family with two checkpoints": (
            {"candidate#/8/checkpoint_sha256": "0" * 64},
            "4 candidates",
            "candidate calm 1/2 /checkpoint_sha256: 377bef375b16928f149f…0000000000000000000000000000000000000000",
            "note candidate calm 1/2 /checkpoint_sha256: weights with this digest, not sealed directions only",
        ),
        "no weights and no directions": (
            {"checkpoint.calm": CUT, "residual.calibration#": [], "residual.held-out#": [], "residual.structure#": []},
            "4 candidates",
            "missing: neither weights nor sealed directions of calm are in the bundle",
        ),
        "no weights of a student": (
            {"checkpoint.calm": CUT, "candidate#": lambda rows: [rows[0], *rows[-1:]]},
            "1 candidates",
            "missing: neither weights nor sealed directions of calm are in the bundle",
        ),
        "directions without weights": (
            {"checkpoint.calm": CUT, "candidate#": lambda rows: rows[:-1]},
            "3 candidates",
            "note candidate calm 0 /checkpoint_sha256: weights with this digest, not sealed directions only",
        ),
        "weights of another family": (
            {
                "candidate#": lambda rows: [
                    *rows[:7],
                    {**rows[7], "family": "loud"},
                    {**rows[8], "family": None},
                    *rows[9:],
                ]
            },
            "4 candidates",
            "candidate calm 0 /checkpoint_sha256: loud, not calm",
            "candidate calm 1/2 /checkpoint_sha256: none, not calm",
        ),
        "a learned gate without weights": (
            {"protocol#/query": {**GATE, "learned": "asker"}},
            "4 candidates",
            "missing: the weights of a learned gate are not in the bundle, or are there twice",
        ),
        "a learned gate with weights": (
            {"protocol#/gates": {"a": {**GATE, "learned": "asker"}, "b": GATE}, "bank/checkpoint.asker.json": ASKER},
            "4 candidates",
        ),
        "weights of a gate that nobody asks": (
            {"protocol#/query": GATE, "bank/checkpoint.asker.json": ASKER},
            "4 candidates",
            "checkpoint.asker -: one of 377bef375b16, not afcdb9042d0c",
        ),
    },
    "bank.policies": {
        "what is sound": (
            {},
            "11 candidates",
        ),
        "an arm with another list of splits": (
            {
                "candidate#/10/scale": "1/2",
                "candidate#": lambda rows: [*rows, {**rows[10], "scale": "1", "splits": ["calibration"]}],
            },
            "12 candidates",
            "candidate free 1 /splits: as in free@1/2, not ['calibration']",
        ),
        "a student with a teacher": (
            {"candidate#/10/interface": "teacher-backed"},
            "11 candidates",
            "candidate free 1 /interface: one without the teacher: the p…as a base of its own, not teacher-backed",
        ),
        "a student that is not normalized": (
            {"candidate#/10/normalization": "none"},
            "11 candidates",
            "candidate free 1 /normalization: shifted-exponential, not none",
        ),
        "a direction beside a checkpoint": (
            {"candidate#/1/checkpoint_sha256": "0" * 64},
            "11 candidates",
            "candidate bold 0 /direction: nothing: the checkpoint gives the direction, not a rule",
        ),
        "a student without a checkpoint": (
            {
                "candidate#/10/checkpoint_sha256": CUT,
                "candidate#/10/direction": {"stay": {"constant": "0"}, "move": {"constant": "0"}},
            },
            "11 candidates",
            "candidate free 1 /checkpoint_sha256: the checkpoint of the base policy, not nothing",
        ),
        "a student with a rule": (
            {"candidate#/10/direction": {"stay": {"constant": "0"}, "move": {"constant": "0"}}},
            "11 candidates",
        ),
        "two families of one index": (
            {"candidate#/4/family_index": 0, "candidate#/5/family_index": 0, "candidate#/6/family_index": 0},
            "11 candidates",
            "candidate meek 0 /family_index: another than that of bold@0, not 0",
            "candidate meek 1/2 /family_index: another than that of bold@1/2, not 0",
            "candidate meek 1 /family_index: another than that of bold@1, not 0",
        ),
        "families without an index": (
            {
                "candidate#": lambda rows: [
                    {name: value for name, value in row.items() if name != "family_index"} for row in rows
                ]
            },
            "11 candidates",
            "candidate meek 0 /family_index: another than that of bold@0, not nothing",
            "candidate calm 0 /family_index: another than that of bold@0, not nothing",
            "candidate meek 1/2 /family_index: another than that of bold@1/2, not nothing",
            "3 more of /family_index",
        ),
        "indices that no choice needs": (
            {
                "candidate#": lambda rows: [
                    {name: value for name, value in row.items() if name != "family_index"} for row in rows
                ],
                "protocol#/selectors": [],
            },
            "11 candidates",
        ),
    },
}


@pytest.mark.parametrize(("check", "name"), listed(FIXTURE))
def test_what_is_said_of_the_fixture_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("fixture", check, FIXTURE[check][name])


@pytest.mark.parametrize(("check", "name"), listed(CERTIFIED))
def test_what_is_said_of_the_certified_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("certified", check, CERTIFIED[check][name])


EDGES: dict[str, tuple[str | None, str, str, str | None]] = {
    "tau": ("0", "1e-9", "9", None),
    "teacher/temperature": ("0", "1e-9", "9", None),
    "certification/zeta_risk": ("0", "1e-9", "0.9", "1"),
    "certification/zeta_util": ("0", "1e-9", "0.9", "1"),
    "certification/epsilon_group": ("-1e-9", "0", "1", "10/9"),
    "certification/epsilon_global": ("-1e-9", "0", "1", "10/9"),
    "certification/rho": ("-1e-9", "0", "2", "19/9"),
    "anchor/teacher": ("-1", "0", "1", "2"),
    "anchor/uniform": ("2", "1", "0", "-1"),
    "variants/declared/tau": ("0", "1e-9", "9", None),
    "variants/declared/epsilon": ("-1e-9", "0", "1", "10/9"),
    "variants/declared/zeta": ("0", "1e-9", "0.9", "1"),
    "variants/declared/rho": ("-1e-9", "0", "2", "19/9"),
    "variants/declared/epsilon_group": ("-1e-9", "0", "1", "10/9"),
    "variants/declared/epsilon_global": ("-1e-9", "0", "1", "10/9"),
    "partition_classes/aware/lambda_cert": ("-1e-9", "0", "9", None),
    "partition_classes/aware/lambda_comp": ("-1e-9", "0", "9", None),
    "selectors/7/radius": ("-1e-9", "0", "2", "19/9"),
    "selectors/3/limit": ("-1e-9", "0", "9", None),
    "selectors/4/clip": ("-1e-9", "0", "0.9", "1"),
}
"""Constant to what lies below its domain, at its lower and its upper end, and above; None where nothing does."""


@pytest.mark.parametrize("place", range(4), ids=["below", "lower end", "upper end", "above"])
def test_domains_end_where_they_say(place: int) -> None:
    """What lies at an end of a domain is refused or not, as the domain says."""
    given = {name: ends[place] for name, ends in EDGES.items() if ends[place] is not None}
    study = study_of("certified", {f"protocol#/{name}": value for name, value in given.items()})
    found = {finding.field for finding in outcome_of("protocol.domain", study).findings}
    assert found == ({f"/{name}" for name in given} if place in (0, 3) else set())


def test_a_study_has_one_protocol_and_one_name() -> None:
    """A second protocol, and another name in the manifest."""
    study = study_of("fixture", {"declare/protocol.second.json": {"study": "rsd-fixture"}})
    findings = outcome_of("protocol.domain", Evidence(replace(study.bundle, name="another"))).findings
    assert [(finding.source, finding.expected, finding.found) for finding in findings] == [
        (
            "declare/protocol.second.json",
            "only declare/protocol.json",
            "declare/protocol.json, declare/protocol.second.json",
        ),
        ("manifest.json", "rsd-fixture", "another"),
    ]
