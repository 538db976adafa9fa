"""What is said of splits, and of records that do not join."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from checks.changed_records import CUT, Cases, agree, listed, outcome_of, said, study_of
from sealtrace.evidence import Evidence
from sealtrace.studies.policies.checks.splits import _all_differ

DEALT = {"generator": "python-random", "seed": 3, "strata": ["rank"], "order": ["calibration", "held-out"]}
DRAWN = {
    "generator": "python-randrange",
    "seed": 3,
    "strata": [],
    "order": ["calibration", "held-out"],
    "population": 9,
    "member": "pot",
}
SAME = {"hero": "J", "board": ["Q"], "position": "BB", "pot": 4, "stack": 16, "history": ["check", "raise"]}

FIXTURE: Cases = {
    "split.inventory": {
        "what is sound": (
            {},
            "24 states",
        ),
        "a split with fewer states": (
            {"protocol#/splits/1/states": 13},
            "24 states",
            "protocol held-out /splits/1/states: 12, not 13",
        ),
        "a split that nobody declares": (
            {"observation.calibration#/1/split": "spare"},
            "24 states",
            "protocol calibration /splits/0/states: 11, not 12",
            "observation.calibration 0002 /split: calibration or held-out, not spare",
        ),
    },
    "split.disjoint": {
        "what is sound": (
            {},
            "24 states",
        ),
        "a state in two splits": (
            {"observation.held-out#/0/state": "0000"},
            "24 states",
            "observation.held-out 0000 /state: only in calibration, not also in held-out",
        ),
        "a block in two splits": (
            {
                "observation.calibration#/0/block": "b",
                "observation.calibration#/1/block": "b",
                "observation.held-out#/2/block": "b",
                "observation.held-out#/3/block": "c",
            },
            "24 states",
            "observation.held-out 0005 /block: only in calibration, not also in held-out",
        ),
    },
    "split.agreement": {
        "what is sound": (
            {},
            "528 rows",
        ),
        "a row in the file of another split": (
            {"observation.calibration#/1/split": "held-out"},
            "528 rows",
            "observation.calibration 0002 /split: calibration, not held-out",
            "teacher.calibration 0002 /split: held-out, not calibration",
            "trace.calibration 0002 active-query calibration /split: held-out, not calibration",
            "19 more of /split",
        ),
        "a record of another split than its state": (
            {
                "trace.calibration#/1/state": "0001",
                "trace.calibration#/2/split": "held-out",
                "score.calibration#/9/split": "held-out",
            },
            "528 rows",
            "trace.calibration 0000 residual 0 held-out /split: calibration, not held-out",
            "trace.calibration 0001 anchor calibration /split: held-out, not calibration",
            "trace.calibration 0000 residual 0 held-out /split: calibration, not held-out",
            "2 more of /split",
        ),
        "records without observations": (
            {"observation.calibration#": [], "observation.held-out#": []},
            "504 rows",
        ),
    },
    "split.rule": {
        "what is sound": (
            {},
            "24 states",
        ),
        "a state against the rule": (
            {
                "observation.calibration#/0/state": "0099",
                "observation.held-out#/0/state": "0100",
                "observation.held-out#/1/state": "odd",
            },
            "24 states",
            "observation.calibration 0099 /split: not calibration, not calibration",
            "observation.held-out 0100 /split: calibration, not held-out",
            "observation.calibration 0099 /split: held-out, not calibration",
            "2 more of /split",
        ),
        "no rule": (
            {"protocol#/splits/0/rule": CUT, "protocol#/splits/1/rule": CUT},
            "0 states",
            "not applicable: the protocol declares no assignment rule",
        ),
        "a rule of one split": (
            {
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule/remainder": 2,
                "protocol#/splits/1/rule/modulus": 3,
            },
            "24 states",
            "observation.calibration 0002 /split: held-out, not calibration",
            "observation.calibration 0008 /split: held-out, not calibration",
            "observation.calibration 0014 /split: held-out, not calibration",
            "9 more of /split",
        ),
        "a rule without a modulus": (
            {
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule/modulus": 0,
                "protocol#/splits/1/rule/remainder": 0,
            },
            "24 states",
            "observation.calibration 0000 /split: held-out, not calibration",
            "observation.calibration 0002 /split: held-out, not calibration",
            "observation.calibration 0004 /split: held-out, not calibration",
            "9 more of /split",
        ),
        "states that are dealt": (
            {"protocol#/assignment": DEALT, "protocol#/splits/0/rule": CUT, "protocol#/splits/1/rule": CUT},
            "24 states",
            "observation.calibration 0000 /split: held-out, not calibration",
            "observation.held-out 0003 /split: calibration, not held-out",
            "observation.calibration 0004 /split: held-out, not calibration",
            "9 more of /split",
        ),
        "states that are dealt and ruled": (
            {"protocol#/assignment": {**DEALT, "order": ["calibration"]}},
            "24 states",
        ),
        "a deal of a split that is not there": (
            {
                "protocol#/assignment": {**DEALT, "order": ["calibration", "spare"]},
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "0 states",
            "missing: the assignment names a split that is not there",
        ),
        "a deal of a split without states": (
            {
                "protocol#/assignment": {**DEALT, "order": ["calibration", "spare"]},
                "protocol#/splits": lambda splits: (
                    [{**split, "rule": None} for split in splits]
                    + [{"name": "spare", "role": "structure", "states": 0}]
                ),
            },
            "0 states",
            "missing: the assignment names a split that is not there",
        ),
        "a deal by a stratum that cannot be computed": (
            {
                "protocol#/assignment": DEALT,
                "observation.calibration#/3/hero": "X",
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "24 states",
            "missing: a stratum cannot be computed at every state",
        ),
        "a deal by two strata, of which one cannot be computed": (
            {
                "protocol#/assignment": {**DEALT, "strata": ["rank", "pot_pressure"]},
                "observation.calibration#/3/hero": "X",
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "24 states",
            "missing: a stratum cannot be computed at every state",
        ),
        "a deal of other sizes": (
            {
                "protocol#/assignment": DEALT,
                "protocol#/splits/1/states": 11,
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "24 states",
            "missing: the splits do not hold the declared numbers of states",
        ),
        "states that are drawn": (
            {"protocol#/assignment": DRAWN, "protocol#/splits/0/rule": CUT, "protocol#/splits/1/rule": CUT},
            "24 states",
            "observation.calibration 0000 /pot: 3, not 4.0",
            "observation.calibration 0002 /pot: 8, not 6.0",
            "observation.calibration 0004 /pot: 2, not 8.0",
            "36 more of /pot",
        ),
        "draws that look different": (
            {
                "protocol#/assignment": {**DRAWN, "order": ["held-out"], "seed": 24},
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
                "observation.calibration#": lambda rows: [{**rows[0], "pot": 5}],
                "observation.held-out#": lambda rows: [
                    {**rows[0], "pot": 6},
                    {**rows[0], "state": "x", "pot": 2},
                    {**rows[0], "state": "y", "pot": 3, "hero": "K"},
                    {**rows[0], "state": "z", "pot": 2, "hero": "A"},
                    {**rows[0], "state": "zz", "pot": 6, "legal": ["fold"], "block": "b"},
                ],
            },
            "5 states",
            "observation.held-out zz /pot: 3, not 6.0",
            "observation.held-out z /pot: as x, not 2.0",
        ),
        "draws of a split that is not there": (
            {
                "protocol#/assignment": {**DRAWN, "order": ["spare"]},
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "0 states",
            "missing: the assignment names a split or a field that is not there",
        ),
        "draws by a field that is not there": (
            {
                "protocol#/assignment": {**DRAWN, "member": "mood"},
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "0 states",
            "missing: the assignment names a split or a field that is not there",
        ),
        "draws by a state's name": (
            {
                "protocol#/assignment": {**DRAWN, "member": "state"},
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "0 states",
            "missing: the assignment names a split or a field that is not there",
        ),
        "draws from nobody": (
            {
                "protocol#/assignment": {**DRAWN, "population": 0},
                "protocol#/splits/0/rule": CUT,
                "protocol#/splits/1/rule": CUT,
            },
            "0 states",
            "missing: the assignment names a split or a field that is not there",
        ),
    },
    "split.duplicates": {
        "what is sound": (
            {},
            "24 states",
        ),
        "an observation in two splits": (
            {
                "observation.held-out#/2": {
                    "state": "x",
                    "split": "held-out",
                    "block": "b",
                    "legal": ["fold", "call", "raise"],
                    **SAME,
                }
            },
            "24 states",
            "observation.held-out x /state: only 0000 in calibration, not x in held-out",
        ),
        "an observation twice in one split": (
            {
                "observation.calibration#/2": {
                    "state": "x",
                    "split": "calibration",
                    "legal": ["fold", "call", "raise"],
                    **SAME,
                }
            },
            "24 states",
        ),
        "an observation with other legal actions": (
            {"observation.held-out#/2": {"state": "x", "split": "held-out", "legal": ["fold", "call"], **SAME}},
            "24 states",
        ),
        "an observation with an absent list": (
            {
                "observation.calibration#/0/history": [],
                "observation.held-out#/2": {
                    "state": "x",
                    "split": "held-out",
                    "legal": ["fold", "call", "raise"],
                    **SAME,
                    "history": None,
                },
            },
            "24 states",
            "observation.held-out x /state: only 0000 in calibration, not x in held-out",
        ),
        "observations that show nothing": (
            {
                "observation.calibration#": lambda rows: [
                    {name: row[name] for name in ("state", "split", "legal")} for row in rows
                ],
                "observation.held-out#": lambda rows: [
                    {name: row[name] for name in ("state", "split", "legal")} for row in rows
                ],
            },
            "24 states",
        ),
        "one observation that shows nothing": (
            {
                "observation.calibration#/0": {
                    "state": "0000",
                    "split": "calibration",
                    "legal": ["fold", "call", "raise"],
                },
                "observation.held-out#/0": {"state": "0001", "split": "held-out", "legal": ["fold", "call", "raise"]},
            },
            "24 states",
        ),
        "one observation": (
            {"observation.calibration#": lambda rows: rows[:1], "observation.held-out#": []},
            "1 states",
        ),
        "independent draws": (
            {"protocol#/identities": "independent-draws"},
            "0 states",
            "not applicable: states are independent draws, so that two may look alike",
        ),
        "no observation": (
            {"observation.calibration#": [], "observation.held-out#": []},
            "0 states",
        ),
    },
    "join.teacher": {
        "what is sound": (
            {},
            "24 states",
        ),
        "a teacher's record of no state": (
            {"teacher.calibration#/0/state": "none"},
            "24 states",
            "teacher.calibration none /state: one observation, not none",
            "observation.calibration 0000 /state: one teacher record, not none",
        ),
        "no teacher": (
            {
                "teacher.calibration#": [],
                "teacher.held-out#": [],
                "candidate#": lambda rows: [{**row, "interface": "teacher-free"} for row in rows],
            },
            "0 states",
            "not applicable: no policy uses a teacher",
        ),
        "no teacher for those who need one": (
            {"teacher.calibration#": [], "teacher.held-out#": []},
            "24 states",
            "observation.calibration 0000 /state: one teacher record, not none",
            "observation.calibration 0002 /state: one teacher record, not none",
            "observation.calibration 0004 /state: one teacher record, not none",
            "21 more of /state",
        ),
        "no teacher for some who need one": (
            {"teacher.calibration#": [], "teacher.held-out#": [], "candidate#/8/interface": "teacher-free"},
            "24 states",
            "observation.calibration 0000 /state: one teacher record, not none",
            "observation.calibration 0002 /state: one teacher record, not none",
            "observation.calibration 0004 /state: one teacher record, not none",
            "21 more of /state",
        ),
    },
    "join.trace": {
        "what is sound": (
            {},
            "216 traces",
        ),
        "a trace of no state and one of nobody": (
            {"trace.calibration#/0/state": "none", "trace.calibration#/10/arm": "nobody"},
            "216 traces",
            "trace.calibration none active-query calibration /state: one observation, not none",
            "trace.calibration 0002 nobody calibration /arm: one candidate, not nobody@None",
            "observation.calibration 0000 /state: one trace of active-query, not none",
            "1 more of /state",
        ),
        "a trace of nobody, and so none of another": (
            {"trace.calibration#/8/arm": "nobody"},
            "216 traces",
            "trace.calibration 0000 nobody calibration /arm: one candidate, not nobody@None",
            "observation.calibration 0000 /state: one trace of top-1, not none",
        ),
        "a trace of an unknown scale": (
            {"trace.calibration#/2/scale": "9"},
            "216 traces",
            "trace.calibration 0000 residual 9 calibration /arm: one candidate, not residual@9",
            "observation.calibration 0000 /state: one trace of residual@0, not none",
        ),
        "a split that is not traced": (
            {"trace.held-out#": []},
            "108 traces",
            "missing: held-out was not traced",
        ),
        "a structure split that is not traced": (
            {"trace.held-out#": [], "protocol#/splits/1/role": "structure"},
            "108 traces",
        ),
        "a trace beyond the declared splits": (
            {"candidate#/8/splits": ["calibration"]},
            "216 traces",
            "trace.held-out 0001 top-1 held-out /split: calibration, not held-out",
            "trace.held-out 0003 top-1 held-out /split: calibration, not held-out",
            "trace.held-out 0005 top-1 held-out /split: calibration, not held-out",
            "9 more of /split",
        ),
        "traces of the declared splits": (
            {
                "candidate#/8/splits": ["calibration"],
                "trace.held-out#": lambda rows: [row for row in rows if row["arm"] != "top-1"],
            },
            "204 traces",
        ),
    },
    "join.values": {
        "what is sound": (
            {},
            "24 states",
        ),
        "values of no state": (
            {"values.calibration#/0/state": "none", "values.calibration#/3": CUT},
            "24 states",
            "values.calibration none strong /state: one observation, not none",
            "observation.calibration 0000 /state: one strong record, not none",
            "observation.calibration 0002 /state: one weak record, not none",
        ),
        "values of a training split": (
            {"protocol#/splits/0/role": "training", "values.calibration#": lambda rows: rows[4:]},
            "12 states",
        ),
        "one evaluator for both": (
            {"protocol#/evaluators/risk": "weak", "values.calibration#/0": CUT, "values.calibration#/2": CUT},
            "24 states",
            "observation.calibration 0002 /state: one weak record, not none",
        ),
    },
    "join.score": {
        "what is sound": (
            {},
            "216 traces",
        ),
        "a trace without a score": (
            {"score.calibration#/0": CUT},
            "216 traces",
            "trace.calibration 0000 active-query calibration /state: one score, not none",
        ),
        "a score without a trace": (
            {"trace.calibration#/0": CUT},
            "215 traces",
            "score.calibration 0000 active-query calibration /state: one trace, not none",
        ),
        "a score twice": (
            {"score.calibration#": lambda rows: [*rows, rows[3]]},
            "216 traces",
            "missing: calibrate/score.calibration.jsonl has 0000 residual 0.04 calibration twice",
        ),
        "training traces have no score": (
            {"protocol#/splits/0/role": "training", "score.calibration#": lambda rows: rows[4:]},
            "216 traces",
        ),
    },
}


@pytest.mark.parametrize(("check", "name"), listed(FIXTURE))
def test_what_is_said_of_the_fixture_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("fixture", check, FIXTURE[check][name])


@pytest.mark.parametrize(
    ("codes", "differ"),
    [([], False), ([0], True), ([2, 0, 1], True), ([6, 5], True), ([-1, 0], True), ([0, 0, 2], False), ([3, 3], False)],
)
def test_rows_that_all_differ(codes: list[int], differ: bool) -> None:
    """A short cut past the search for duplicates, which must not be taken where there are any."""
    assert _all_differ(np.array(codes, np.int64)) is differ


def test_a_file_holds_the_split_that_the_manifest_names() -> None:
    """One that no row of the file names is another split, too."""
    study = study_of("fixture")
    entries = [replace(entry, split=entry.split and "spare") for entry in study.bundle.entries]
    lines = said(outcome_of("split.agreement", Evidence(replace(study.bundle, entries=entries))))
    assert lines[:2] == ["528 rows", "observation.calibration 0000 /split: spare, not calibration"]
