"""What is said of gates, ledgers and inputs."""

from __future__ import annotations

import pytest

from checks.changed_records import CUT, Cases, agree, listed, study_of
from sealtrace.studies.policies.checks.access import gate_requests
from sealtrace.studies.policies.evidence.calibration import UndeclaredError
from sealtrace.studies.policies.evidence.study import Study

GATE = {"entropy": "0", "terms": {"pot_pressure": "1"}, "threshold": "0.6"}
ALIKE = {action: {"constant": "0"} for action in ("fold", "call", "raise")}
WEIGHTS = {
    "family": "asker",
    "features": ["pot_pressure"],
    "actions": ["fold", "call", "raise"],
    "gate": [{"weights": [[2.0]], "bias": [-0.5], "activation": "identity"}],
}
ASKED = {"requested": True, "accepted": True, "score": 0.5}

FIXTURE: Cases = {
    "replay.query-gate": {
        "what is sound": (
            {},
            "24 traces",
        ),
        "a query record that is not there": (
            {"trace.calibration#/0/query": CUT},
            "24 traces",
            "trace.calibration 0000 active-query calibration /query: a query record, not nothing",
        ),
        "a query record of a policy without a gate": (
            {
                "candidate#": lambda rows: rows[::-1],
                "trace.calibration#/8/query": ASKED,
                "trace.held-out#/1/query": ASKED,
            },
            "24 traces",
            "trace.held-out 0001 anchor held-out /query: nothing, not a query record",
            "trace.calibration 0000 top-1 calibration /query: nothing, not a query record",
        ),
        "a query record of nobody": (
            {"trace.calibration#/8/query": ASKED, "trace.calibration#/8/arm": "nobody"},
            "24 traces",
        ),
        "a gate that says otherwise": (
            {"trace.calibration#/0/query": ASKED},
            "24 traces",
            "trace.calibration 0000 active-query calibration /query/score: 0.7429564274304187, not 0.5",
            "trace.calibration 0000 active-query calibration /query/requested: false, not true",
            "trace.calibration 0000 active-query calibration /query/accepted: false, not true",
        ),
        "one accepted query for each split": (
            {"protocol#/query/budget": 1},
            "24 traces",
            "trace.held-out 0013 active-query held-out /query/accepted: false, not true",
            "trace.calibration 0006 active-query calibration /query/accepted: false, not true",
            "trace.calibration 0012 active-query calibration /query/accepted: false, not true",
            "2 more of /query/accepted",
        ),
        "the best scores first": (
            {"protocol#/query/budget": 3, "protocol#/query/first": "score"},
            "24 traces",
            "trace.calibration 0004 active-query calibration /query/accepted: false, not true",
            "trace.calibration 0018 active-query calibration /query/accepted: false, not true",
        ),
        "no accepted query": (
            {"protocol#/query/budget": 0, "protocol#/query/first": "score"},
            "24 traces",
            "trace.held-out 0005 active-query held-out /query/accepted: false, not true",
            "trace.held-out 0013 active-query held-out /query/accepted: false, not true",
            "trace.calibration 0004 active-query calibration /query/accepted: false, not true",
            "4 more of /query/accepted",
        ),
        "a random gate": (
            {
                "protocol#/query": {
                    "entropy": "0",
                    "terms": {},
                    "random": 5,
                    "threshold": "175331240062107/281474976710656",
                }
            },
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.7417869892607294, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.9424502837770503, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.922324996665417, not 0.8500080142144689",
            "21 more of /query/score",
            "13 more of /query/requested",
            "13 more of /query/accepted",
        ),
        "a random gate without weights": (
            {
                "protocol#/query": {"entropy": "0", "terms": {}, "random": 5, "threshold": "0.5"},
                "trace.calibration#/0/query": {"requested": True, "accepted": True, "score": 0.6229016948897019},
            },
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.7417869892607294, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.9424502837770503, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.922324996665417, not 0.8500080142144689",
            "20 more of /query/score",
            "14 more of /query/requested",
            "14 more of /query/accepted",
        ),
        "a learned gate": (
            {
                "protocol#/query": {"entropy": "0", "terms": {}, "learned": "asker", "threshold": "0.4"},
                "bank/checkpoint.asker.json": WEIGHTS,
            },
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.5, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.8999999999999999, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 1.0, not 0.8500080142144689",
            "21 more of /query/score",
            "13 more of /query/requested",
            "13 more of /query/accepted",
        ),
        "a learned gate at its threshold": (
            {
                "protocol#/query": {"entropy": "0", "terms": {}, "learned": "asker", "threshold": "0.3"},
                "bank/checkpoint.asker.json": WEIGHTS,
            },
            "24 traces",
            "missing: 4 gate scores cannot be told from the threshold",
            "trace.held-out 0001 active-query held-out /query/score: 0.5, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.8999999999999999, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 1.0, not 0.8500080142144689",
            "17 more of /query/score",
            "13 more of /query/requested",
            "13 more of /query/accepted",
        ),
        "a learned gate without weights": (
            {"protocol#/query": {"entropy": "0", "terms": {}, "learned": "asker", "threshold": "0.4"}},
            "24 traces",
            "missing: the bundle has no weights of the learned gate, or they cannot be run",
        ),
        "a gate that always asks": (
            {"protocol#/query/threshold": "0"},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/requested: true, not false",
            "trace.held-out 0003 active-query held-out /query/requested: true, not false",
            "trace.held-out 0007 active-query held-out /query/requested: true, not false",
            "14 more of /query/requested",
            "17 more of /query/accepted",
        ),
        "a gate that never asks": (
            {"protocol#/query/threshold": "1.5"},
            "24 traces",
            "trace.held-out 0005 active-query held-out /query/requested: false, not true",
            "trace.held-out 0013 active-query held-out /query/requested: false, not true",
            "trace.calibration 0004 active-query calibration /query/requested: false, not true",
            "4 more of /query/requested",
            "7 more of /query/accepted",
        ),
        "a gate that always asks, whatever its score": (
            {"protocol#/query": {"entropy": "0", "terms": {"pot_pressure": "-1"}, "threshold": "0"}},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.0, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.0, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.0, not 0.8500080142144689",
            "21 more of /query/score",
            "17 more of /query/requested",
            "17 more of /query/accepted",
        ),
        "a gate that no score reaches": (
            {"protocol#/query": {"entropy": "0", "terms": {"pot_pressure": "3"}, "threshold": "1.0000000001"}},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 1.0, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 1.0, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 1.0, not 0.8500080142144689",
            "21 more of /query/score",
            "7 more of /query/requested",
            "7 more of /query/accepted",
        ),
        "a gate at one": (
            {"protocol#/query": {"entropy": "0", "terms": {"pot_pressure": "2"}, "threshold": "1"}},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 1.0, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 1.0, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 1.0, not 0.8500080142144689",
            "21 more of /query/score",
            "13 more of /query/requested",
            "13 more of /query/accepted",
        ),
        "scores at the threshold": (
            {"protocol#/query": GATE},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.5, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.7, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.9, not 0.8500080142144689",
            "21 more of /query/score",
            "9 more of /query/requested",
            "9 more of /query/accepted",
        ),
        "scores a little below the threshold": (
            {"protocol#/query": {**GATE, "threshold": "0.600000000001"}},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.5, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.7, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.9, not 0.8500080142144689",
            "21 more of /query/score",
            "5 more of /query/requested",
            "5 more of /query/accepted",
        ),
        "entropies a little above the threshold": (
            {"protocol#/query/threshold": "0.7429564274"},
            "24 traces",
            "trace.held-out 0003 active-query held-out /query/requested: true, not false",
            "trace.held-out 0009 active-query held-out /query/requested: true, not false",
            "trace.held-out 0011 active-query held-out /query/requested: true, not false",
            "5 more of /query/requested",
            "8 more of /query/accepted",
        ),
        "entropies a little below the threshold": (
            {"protocol#/query/threshold": "0.7429564275"},
            "24 traces",
            "trace.held-out 0003 active-query held-out /query/requested: true, not false",
            "trace.held-out 0009 active-query held-out /query/requested: true, not false",
            "trace.held-out 0011 active-query held-out /query/requested: true, not false",
            "4 more of /query/requested",
            "7 more of /query/accepted",
        ),
        "entropies that are the threshold": (
            {"protocol#/prior/logits": ALIKE, "protocol#/query": {"entropy": "0.5", "terms": {}, "threshold": "0.5"}},
            "24 traces",
            "missing: 24 gate scores cannot be told from the threshold",
        ),
        "scores that cannot be told apart": (
            {
                "protocol#/query": {
                    **GATE,
                    "terms": {"pot_pressure": "1", "history_depth": "1e-10"},
                    "threshold": "0.1",
                    "budget": 4,
                    "first": "score",
                }
            },
            "24 traces",
            "missing: scores at the end of the budget cannot be told apart",
            "trace.held-out 0001 active-query held-out /query/score: 0.500000000025, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.70000000005, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.900000000025, not 0.8500080142144689",
            "21 more of /query/score",
            "17 more of /query/requested",
        ),
        "equal scores at the end of the budget": (
            {"protocol#/query": {**GATE, "threshold": "0.1", "budget": 4, "first": "score"}},
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.5, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.7, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.9, not 0.8500080142144689",
            "21 more of /query/score",
            "17 more of /query/requested",
            "3 more of /query/accepted",
        ),
        "two best scores that cannot be told apart": (
            {
                "protocol#/query": {
                    **GATE,
                    "terms": {"rank": "1e-10", "history_depth": "1e-11", "pot_pressure": "1e-12"},
                    "threshold": "0",
                    "budget": 1,
                    "first": "score",
                }
            },
            "24 traces",
            "missing: scores at the end of the budget cannot be told apart",
            "trace.held-out 0001 active-query held-out /query/score: 1.03e-10, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 3.057e-10, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 1.0…000000000001e-10, not 0.8500080142144689",
            "21 more of /query/score",
            "17 more of /query/requested",
        ),
        "a budget of the only split": (
            {"protocol#/query/budget": 1, "observation.held-out#": [], "trace.held-out#": []},
            "12 traces",
            "trace.calibration 0006 active-query calibration /query/accepted: false, not true",
            "trace.calibration 0012 active-query calibration /query/accepted: false, not true",
            "trace.calibration 0018 active-query calibration /query/accepted: false, not true",
            "1 more of /query/accepted",
        ),
        "a score that is nearly right": (
            {
                "trace.calibration#/0/query/score": lambda score: score + 0.9e-12,
                "trace.calibration#/9/query/score": lambda score: score + 1.5e-12,
            },
            "24 traces",
            "trace.calibration 0002 active-query calibration /query/scor…7318301904122594, not 0.7318301904137594",
        ),
        "as many scores as the budget": (
            {
                "protocol#/query": {
                    "entropy": "0",
                    "terms": {"pot_pressure": "1", "history_depth": "1e-10"},
                    "threshold": "0.1",
                    "budget": 12,
                    "first": "score",
                }
            },
            "24 traces",
            "trace.held-out 0001 active-query held-out /query/score: 0.500000000025, not 0.7280904606482486",
            "trace.held-out 0003 active-query held-out /query/score: 0.70000000005, not 0.7615378525145041",
            "trace.held-out 0005 active-query held-out /query/score: 0.900000000025, not 0.8500080142144689",
            "21 more of /query/score",
            "17 more of /query/requested",
            "17 more of /query/accepted",
        ),
        "no gate": (
            {"protocol#/query": CUT},
            "0 traces",
            "missing: the protocol declares no prior or no gate",
        ),
    },
    "replay.query-policy": {
        "what is sound": (
            {},
            "24 traces",
        ),
        "no prior": (
            {"protocol#/prior": CUT},
            "0 traces",
            "missing: the protocol declares no prior or no gate",
        ),
        "no query policy": (
            {"candidate#": lambda rows: rows[1:]},
            "0 traces",
            "not applicable: the bank has no query policy",
        ),
        "no candidates": (
            {"candidate#": []},
            "0 traces",
        ),
        "neither prior nor anchor": (
            {"trace.calibration#/0/probabilities": {"fold": 0.5, "call": 0.25, "raise": 0.25}},
            "24 traces",
            "trace.calibration 0000 active-query calibration /probabilities/fold: 0.3451728256092817, not 0.5",
            "trace.calibration 0000 active-query calibration /probabilities/call: 0.36250578209413437, not 0.25",
            "trace.calibration 0000 active-query calibration /probabilities/raise: 0.2923213922965839, not 0.25",
        ),
        "an accepted query that leaves the prior": (
            {"trace.calibration#/0/query": ASKED},
            "24 traces",
            "trace.calibration 0000 active-query calibration /probabilit…3308979297845015, not 0.3451728256092817",
            "trace.calibration 0000 active-query calibration /probabilit…808989935527337, not 0.36250578209413437",
            "trace.calibration 0000 active-query calibration /probabilit…5810121708602252, not 0.2923213922965839",
        ),
        "a query policy without a record": (
            {"trace.calibration#/0/query": CUT},
            "23 traces",
        ),
    },
    "replay.ledger": {
        "what is sound": (
            {},
            "216 traces",
        ),
        "no charges": (
            {"protocol#/charges": CUT},
            "0 traces",
            "missing: the protocol configures no charges for the ledger's events",
        ),
        "nothing is charged": (
            {
                "protocol#/charges": CUT,
                "trace.calibration#": lambda rows: [{**row, "ledger": []} for row in rows],
                "trace.held-out#": lambda rows: [{**row, "ledger": []} for row in rows],
            },
            "0 traces",
            "not applicable: the study charges nothing",
        ),
        "an event that is left out": (
            {"trace.calibration#/0/ledger": []},
            "216 traces",
            "trace.calibration 0000 active-query calibration /ledger: policy, not none",
        ),
        "an event too many": (
            {"trace.calibration#/1/ledger": lambda events: events * 2},
            "216 traces",
            "trace.calibration 0000 anchor calibration /ledger: policy, not policy, policy",
        ),
        "another event": (
            {"trace.calibration#/1/ledger/0/event": "residual", "trace.calibration#/2/ledger/0/event": "luck"},
            "216 traces",
            "trace.calibration 0000 anchor calibration /ledger/0/event: policy, not residual",
            "trace.calibration 0000 residual 0 calibration /ledger/0/event: residual, not luck",
        ),
        "another event before an accepted query": (
            {"trace.calibration#/18/ledger/0/event": "residual"},
            "216 traces",
            "trace.calibration 0004 active-query calibration /ledger/0/event: policy, not residual",
        ),
        "another cost": (
            {"trace.calibration#/1/ledger/0/tokens": 2, "trace.calibration#/2/ledger/0/latency_ms": 0.2},
            "216 traces",
            "trace.calibration 0000 anchor calibration /ledger/0/tokens: 1.0, not 2.0",
            "trace.calibration 0000 residual 0 calibration /ledger/0/latency_ms: 0.3, not 0.2",
        ),
        "an event without a charge": (
            {"protocol#/charges/residual": CUT},
            "216 traces",
            "trace.held-out 0001 residual 0 held-out /ledger/0/event: a charge for residual, not none",
            "trace.held-out 0001 residual 0.04 held-out /ledger/0/event: a charge for residual, not none",
            "trace.held-out 0001 residual 0.08 held-out /ledger/0/event: a charge for residual, not none",
            "141 more of /ledger/0/event",
        ),
        "a family's own charge": (
            {"protocol#/charges/residual-fixed": {"tokens": 2, "latency_ms": "0.3", "tool_calls": 0}},
            "216 traces",
            "trace.held-out 0001 residual 0 held-out /ledger/0/event: residual-fixed, not residual",
            "trace.held-out 0001 residual 0.04 held-out /ledger/0/event: residual-fixed, not residual",
            "trace.held-out 0001 residual 0.08 held-out /ledger/0/event: residual-fixed, not residual",
            "141 more of /ledger/0/event",
        ),
        "an arm's own event": (
            {"protocol#/events": {"anchor": "residual"}},
            "216 traces",
            "trace.held-out 0001 anchor held-out /ledger/0/event: residual, not policy",
            "trace.held-out 0003 anchor held-out /ledger/0/event: residual, not policy",
            "trace.held-out 0005 anchor held-out /ledger/0/event: residual, not policy",
            "21 more of /ledger/0/event",
        ),
        "an accepted query is charged": (
            {"trace.calibration#/0/query": ASKED},
            "216 traces",
            "trace.calibration 0000 active-query calibration /ledger: policy, query-accepted, not policy",
        ),
        "a rejected query is charged": (
            {"trace.calibration#/0/query": {**ASKED, "accepted": False}},
            "216 traces",
            "trace.calibration 0000 active-query calibration /ledger: policy, query-rejected, not policy",
        ),
        "queries under other events": (
            {
                "protocol#/query/events": ["residual", "policy"],
                "trace.calibration#/0/query": {**ASKED, "accepted": False},
                "trace.calibration#/9/query": ASKED,
            },
            "216 traces",
            "trace.calibration 0002 active-query calibration /ledger: policy, residual, not policy",
            "trace.calibration 0000 active-query calibration /ledger: policy, policy, not policy",
            "trace.held-out 0005 active-query held-out /ledger/1/event: residual, not query-accepted",
            "6 more of /ledger/1/event",
        ),
        "a trace of nobody is charged nothing": (
            {"trace.calibration#/0/arm": "nobody"},
            "215 traces",
            "missing: 1 traces name no candidate of the bank",
        ),
        "a query policy without a record owes no query": (
            {"trace.calibration#/0/query": CUT},
            "216 traces",
        ),
        "a student's event": (
            {"candidate#/8/policy": "student"},
            "216 traces",
            "trace.held-out 0001 top-1 held-out /ledger/0/event: student, not policy",
            "trace.held-out 0003 top-1 held-out /ledger/0/event: student, not policy",
            "trace.held-out 0005 top-1 held-out /ledger/0/event: student, not policy",
            "21 more of /ledger/0/event",
        ),
        "a cost that nobody counts": (
            {"protocol#/charges/policy/tokens": CUT, "trace.calibration#/1/ledger/0/tokens": 7},
            "216 traces",
        ),
    },
    "boundary.interfaces": {
        "what is sound": (
            {},
            "15 fields",
        ),
        "a hidden field": (
            {"protocol#/interfaces/teacher-free/1": "state", "protocol#/interfaces/teacher-backed/0": "values"},
            "15 fields",
            "protocol teacher-backed /interfaces/teacher-backed/0: board… stack, teacher.distribution, not values",
            "protocol teacher-free /interfaces/teacher-free/1: board, he…, legal, position, pot, stack, not state",
        ),
        "a field twice": (
            {"protocol#/interfaces/teacher-free/1": "hero", "protocol#/interfaces/teacher-free/2": "hero"},
            "15 fields",
            "protocol teacher-free /interfaces/teacher-free/1: each field once, not hero",
            "protocol teacher-free /interfaces/teacher-free/2: each field once, not hero",
        ),
        "no interface": (
            {"protocol#/interfaces": {}},
            "0 fields",
            "not applicable: the protocol declares no interface",
        ),
    },
    "boundary.inputs": {
        "what is sound": (
            {},
            "216 traces",
        ),
        "an input twice": (
            {"trace.calibration#/0/inputs": ["hero", "history", "legal", "legal", "position", "pot"]},
            "216 traces",
            "trace.calibration 0000 active-query calibration /inputs: ea…ro, history, legal, legal, position, pot",
        ),
        "an input that is not shown": (
            {"candidate#/1/interface": "teacher-free", "trace.calibration#/2/inputs/0": "state"},
            "216 traces",
            "trace.held-out 0001 anchor held-out /inputs: board, hero, h…on, pot, stack, not teacher.distribution",
            "trace.held-out 0003 anchor held-out /inputs: board, hero, h…on, pot, stack, not teacher.distribution",
            "trace.held-out 0005 anchor held-out /inputs: board, hero, h…on, pot, stack, not teacher.distribution",
            "23 more of /inputs",
        ),
        "inputs that no interface shows": (
            {"candidate#/1/interface": "nowhere"},
            "216 traces",
            "trace.held-out 0001 anchor held-out /inputs: nothing, not legal",
            "trace.held-out 0003 anchor held-out /inputs: nothing, not legal",
            "trace.held-out 0005 anchor held-out /inputs: nothing, not legal",
            "45 more of /inputs",
        ),
        "an input that is not named": (
            {
                "trace.calibration#/0/inputs": ["hero", "legal"],
                "trace.calibration#/1/inputs": [],
                "trace.calibration#/2/inputs": ["legal", "pot"],
            },
            "216 traces",
            "trace.calibration 0000 active-query calibration /inputs: history, not hero, legal",
            "trace.calibration 0000 active-query calibration /inputs: position, not hero, legal",
            "trace.calibration 0000 active-query calibration /inputs: pot, not hero, legal",
            "3 more of /inputs",
        ),
        "an accepted query reads the teacher": (
            {"trace.calibration#/0/query": ASKED},
            "216 traces",
            "trace.calibration 0000 active-query calibration /inputs: te… not hero, history, legal, position, pot",
        ),
        "a query policy without a record reads no teacher": (
            {"trace.calibration#/0/query": CUT},
            "216 traces",
        ),
        "a gate's feature is an input": (
            {
                "protocol#/query/terms": {"stack_depth": "1"},
                "protocol#/features/stack_depth": {"field": "stack", "form": "number"},
            },
            "216 traces",
            "trace.held-out 0001 active-query held-out /inputs: stack, not hero, history, legal, position, pot",
            "trace.held-out 0003 active-query held-out /inputs: stack, not hero, history, legal, position, pot",
            "trace.held-out 0005 active-query held-out /inputs: stack, n…gal, position, pot, teacher.distribution",
            "21 more of /inputs",
        ),
        "a learned gate's features are inputs": (
            {
                "protocol#/query": {"entropy": "0", "terms": {}, "learned": "asker", "threshold": "0.4"},
                "protocol#/features/stack_depth": {"field": "stack", "form": "number"},
                "bank/checkpoint.asker.json": {**WEIGHTS, "features": ["stack_depth"]},
            },
            "216 traces",
            "trace.held-out 0001 active-query held-out /inputs: stack, not hero, history, legal, position, pot",
            "trace.held-out 0003 active-query held-out /inputs: stack, not hero, history, legal, position, pot",
            "trace.held-out 0005 active-query held-out /inputs: stack, n…gal, position, pot, teacher.distribution",
            "21 more of /inputs",
        ),
        "inputs without a query rule": (
            {"protocol#/query": CUT, "protocol#/prior": CUT, "trace.calibration#/0/inputs": ["legal"]},
            "216 traces",
        ),
        "a direction's feature is an input": (
            {"candidate#/2/direction/fold/terms": {"history_depth": "1"}},
            "216 traces",
            "trace.held-out 0001 residual 0 held-out /inputs: history, not legal, pot, teacher.distribution",
            "trace.held-out 0003 residual 0 held-out /inputs: history, not legal, pot, teacher.distribution",
            "trace.held-out 0005 residual 0 held-out /inputs: history, not legal, pot, teacher.distribution",
            "21 more of /inputs",
        ),
        "no trace": (
            {"trace.calibration#": [], "trace.held-out#": []},
            "0 traces",
        ),
    },
}

CERTIFIED: Cases = {
    "boundary.inputs": {
        "what is sound": (
            {},
            "944 traces",
        ),
        "a student's features are inputs": (
            {"trace.calibration#/0/inputs": ["legal"]},
            "944 traces",
            "trace.calibration s002 anchor calibration /inputs: teacher.distribution, not legal",
        ),
        "a tilt's learned features are inputs": (
            {
                "trace.calibration#": lambda rows: [
                    row | ({"inputs": ["legal", "pot"]} if row["arm"] in ("free", "calm") else {}) for row in rows[:12]
                ]
            },
            "516 traces",
            "trace.calibration s002 calm 0 calibration /inputs: position, not legal, pot",
            "trace.calibration s002 calm 0 calibration /inputs: teacher.distribution, not legal, pot",
            "trace.calibration s002 calm 1/2 calibration /inputs: position, not legal, pot",
            "4 more of /inputs",
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


@pytest.mark.parametrize("absent", ["prior", "query"])
def test_a_gate_needs_a_prior_and_a_rule(absent: str) -> None:
    """One without the other decides nothing."""
    study = study_of("fixture", {f"protocol#/{absent}": CUT}).view(Study)
    with pytest.raises(UndeclaredError, match="no prior or no gate"):
        gate_requests(study, "active-query")
