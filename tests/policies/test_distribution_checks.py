"""What is said of legal actions, probabilities and their replay."""

from __future__ import annotations

import numpy as np
import pytest

from checks.changed_records import CUT, Cases, agree, listed, outcome_of, said, study_of
from sealtrace.checks.outcome import Outcome
from sealtrace.studies.policies.checks.distributions import _blocks, compare_matrix
from sealtrace.studies.policies.evidence.study import Study

ALIKE = {action: {"constant": "0"} for action in ("fold", "call", "raise")}
OTHER = {"family": "loud", "state": "s002", "split": "calibration", "direction": {"stay": 0.0, "move": 9.0}}

FIXTURE: Cases = {
    "action.legal-set": {
        "what is sound": (
            {},
            "24 states",
        ),
        "no legal action": (
            {
                "observation.calibration#/0/legal": [],
                "observation.calibration#/1/legal": ["fold", "jump"],
                "observation.calibration#/2/legal": ["fold", "fold"],
                "observation.calibration#/3/legal": ["jump"],
            },
            "24 states",
            "observation.calibration 0000 /legal: at least one action, not none",
            "observation.calibration 0002 /legal: fold, call, raise, not fold, jump",
            "observation.calibration 0006 /legal: fold, call, raise, not jump",
            "1 more of /legal",
        ),
    },
    "action.order": {
        "what is sound": (
            {},
            "240 rows",
        ),
        "actions in another order": (
            {
                "observation.calibration#/0/legal": ["call", "fold", "raise"],
                "trace.calibration#/1/legal": ["fold", "raise", "call"],
                "trace.calibration#/2/legal": ["fold", "fold", "call", "raise"],
            },
            "240 rows",
            "observation.calibration 0000 /legal: fold, call, raise, not call, fold, raise",
            "trace.calibration 0000 anchor calibration /legal: fold, call, raise, not fold, raise, call",
            "trace.calibration 0000 residual 0 calibration /legal: each action once, not fold, fold, call, raise",
        ),
    },
    "action.vocabulary": {
        "what is sound": (
            {},
            "312 rows",
        ),
        "other legal actions": (
            {
                "trace.calibration#/1/legal": ["fold", "call"],
                "trace.calibration#/2/legal": ["fold", "call", "jump"],
                "trace.calibration#/3/legal": ["fold", "fold", "call", "raise"],
                "teacher.calibration#/1/distribution/jump": 0.0,
            },
            "312 rows",
            "teacher.calibration 0002 /distribution: fold, call, raise, not fold, call, raise, jump",
            "trace.calibration 0000 anchor calibration /legal: fold, call, raise, not fold, call",
            "trace.calibration 0000 residual 0 calibration /legal: fold, call, raise, not fold, call, jump",
            "1 more of /legal",
        ),
        "values of other actions": (
            {
                "values.calibration#/1/values/jump": 0.0,
                "values.calibration#/2/values/fold": CUT,
                "teacher.calibration#/2/values": CUT,
            },
            "311 rows",
            "values.calibration 0000 weak /values: fold, call, raise, not fold, call, raise, jump",
            "values.calibration 0002 strong /values: fold, call, raise, not call, raise",
        ),
        "a state with fewer legal actions": (
            {"observation.calibration#/0/legal": ["fold", "call"], "observation.calibration#/1/legal": []},
            "299 rows",
            "teacher.calibration 0000 /distribution: fold, call, not fold, call, raise",
            "teacher.calibration 0000 /values: fold, call, not fold, call, raise",
            "trace.calibration 0000 active-query calibration /legal: fold, call, not fold, call, raise",
            "8 more of /legal",
            "2 more of /values",
        ),
        "a vocabulary without observations": (
            {"observation.calibration#": [], "observation.held-out#": []},
            "0 rows",
        ),
    },
    "action.chosen": {
        "what is sound": (
            {},
            "216 traces",
        ),
        "another action than the likeliest": (
            {
                "trace.calibration#/0/action": "raise",
                "trace.calibration#/1/action": "fold",
                "trace.calibration#/10/action": "jump",
                "trace.calibration#/9/state": "none",
            },
            "215 traces",
            "trace.calibration 0000 active-query calibration /action: call, not raise",
            "trace.calibration 0000 anchor calibration /action: raise, not fold",
            "trace.calibration 0002 anchor calibration /action: raise, not jump",
        ),
        "a tie of actions": (
            {"trace.calibration#/0/probabilities": {"fold": 0.4, "call": 0.4, "raise": 0.2}},
            "216 traces",
            "trace.calibration 0000 active-query calibration /action: fold, not call",
        ),
    },
    "probability.support": {
        "what is sound": (
            {},
            "240 distributions",
        ),
        "probability of an illegal action": (
            {
                "observation.calibration#/0/legal": ["fold", "call"],
                "trace.calibration#/0/probabilities/raise": 0.0,
                "trace.calibration#/1/probabilities/raise": CUT,
            },
            "240 distributions",
            "teacher.calibration 0000 /distribution/raise: 0, not 0.6025494610799549",
            "trace.calibration 0000 residual 0 calibration /probabilities/raise: 0, not 0.5810121708602252",
            "trace.calibration 0000 residual 0.04 calibration /probabilities/raise: 0, not 0.5916568795983284",
            "5 more of /probabilities/raise",
        ),
        "a legal action without a probability": (
            {
                "trace.calibration#/0/probabilities/fold": CUT,
                "trace.calibration#/1/probabilities/call": -0.25,
                "trace.calibration#/2/probabilities/jump": 0.5,
                "teacher.calibration#/0/distribution/raise": -0.5,
            },
            "240 distributions",
            "teacher.calibration 0000 /distribution/raise: a finite number of at least 0, not -0.5",
            "trace.calibration 0000 active-query calibration /probabilities/fold: a probability, not nothing",
            "trace.calibration 0000 anchor calibration /probabilities/ca…a finite number of at least 0, not -0.25",
            "1 more of /probabilities",
        ),
        "an impossible probability of zero": (
            {"trace.calibration#/1/probabilities": {"fold": 0.0, "call": 1.0, "raise": 0.0}},
            "240 distributions",
        ),
        "a support without observations": (
            {"observation.calibration#": [], "observation.held-out#": []},
            "0 distributions",
        ),
    },
    "probability.normalized": {
        "what is sound": (
            {},
            "240 distributions",
        ),
        "sums that are not one": (
            {
                "trace.calibration#/0/probabilities/fold": 0.5,
                "teacher.calibration#/1/distribution/fold": 0.25,
                "trace.calibration#/1/probabilities/jump": 0.5,
            },
            "239 distributions",
            "teacher.calibration 0002 /distribution: 1 within 1e-12, not 1.2314961753052018",
            "trace.calibration 0000 active-query calibration /probabilit…: 1 within 1e-12, not 1.1548271743907184",
        ),
    },
    "replay.teacher": {
        "what is sound": (
            {},
            "24 teacher records",
        ),
        "a teacher's record without values": (
            {
                "teacher.calibration#/0/values": CUT,
                "teacher.calibration#/1/values/fold": 9.0,
                "teacher.calibration#/2/values/jump": 9.0,
                "teacher.calibration#/3/values/fold": CUT,
            },
            "21 teacher records",
            "missing: 1 teacher records hold no action values",
            "teacher.calibration 0002 /distribution/fold: 0.6961221495117347, not 0.018503824694798204",
            "teacher.calibration 0002 /distribution/call: 0.09420988827145027, not 0.3042888610202591",
            "teacher.calibration 0002 /distribution/raise: 0.209667962216815, not 0.6772073142849427",
        ),
        "a teacher that is not explained": (
            {"protocol#/teacher": CUT},
            "0 teacher records",
            "not applicable: the protocol does not say how the teacher's distribution is formed",
        ),
        "a teacher at a state with fewer actions": (
            {"observation.calibration#/0/legal": ["fold", "call"], "observation.calibration#/1/legal": []},
            "23 teacher records",
            "teacher.calibration 0000 /distribution/fold: 0.8320183851339245, not 0.3306861555628639",
            "teacher.calibration 0000 /distribution/call: 0.16798161486607555, not 0.0667643833571812",
            "teacher.calibration 0000 /distribution/raise: 0.0, not 0.6025494610799549",
        ),
    },
    "replay.teacher-value": {
        "what is sound": (
            {},
            "24 teacher records",
        ),
        "a state value that does not follow": (
            {
                "teacher.calibration#/0/value": 9.0,
                "teacher.calibration#/1/values": CUT,
                "teacher.calibration#/2/value": CUT,
            },
            "22 teacher records",
            "missing: 1 state values have no action values to follow from",
            "teacher.calibration 0000 /value: -1.3632333418087923, not 9.0",
        ),
        "state values that are nearly right": (
            {
                "teacher.calibration#/0": lambda row: {
                    **row,
                    "values": {"fold": 4.0, "call": 0.0, "raise": 0.0},
                    "value": 4.0 * row["distribution"]["fold"] + 3e-12,
                },
                "teacher.calibration#/1": lambda row: {
                    **row,
                    "values": {"fold": 0.25, "call": 0.25, "raise": 0.25},
                    "value": 0.25 + 5e-13,
                },
            },
            "24 teacher records",
            "teacher.calibration 0002 /value: 0.25, not 0.2500000000005",
        ),
        "no state values": (
            {
                "teacher.calibration#": lambda rows: [{**row, "value": None} for row in rows],
                "teacher.held-out#": lambda rows: [{**row, "value": None} for row in rows],
            },
            "0 teacher records",
            "not applicable: the teacher's records hold no state value",
        ),
        "state values of states without actions": (
            {"observation.calibration#/0/legal": []},
            "23 teacher records",
        ),
        "no teacher's values at all": (
            {"teacher.calibration#": [], "teacher.held-out#": []},
            "0 teacher records",
        ),
    },
    "replay.normalizer": {
        "what is sound": (
            {},
            "144 normalizers",
        ),
        "no policy that is normalized": (
            {"candidate#": lambda rows: rows[1:3]},
            "0 normalizers",
            "not applicable: no policy of the bank is normalized",
        ),
        "a query policy without a prior is not normalized": (
            {"candidate#": lambda rows: rows[:3], "protocol#/prior": CUT},
            "0 normalizers",
        ),
        "a normalizer of zero": (
            {"candidate#/7/scale": "1e300", "protocol#/prior/logits/fold/constant": "1e999"},
            "144 normalizers",
            "candidate active-query /scale: a finite positive normalizer, not nan",
        ),
        "normalizers of zero": (
            {"protocol#/prior": {"logits": ALIKE, "floor": "-1"}},
            "144 normalizers",
            "candidate active-query /scale: a finite positive normalizer, not 0.0",
        ),
        "normalizers beyond doubles": (
            {"protocol#/prior": {"logits": ALIKE, "floor": "1e308"}},
            "144 normalizers",
            "candidate active-query /scale: a finite positive normalizer, not inf",
        ),
        "normalizers where there is a teacher": (
            {"teacher.calibration#/0": CUT, "candidate#/7/scale": "1e300"},
            "139 normalizers",
        ),
    },
    "replay.anchor": {
        "what is sound": (
            {},
            "24 traces",
        ),
        "an anchor that is another": (
            {"trace.calibration#/1/probabilities/fold": 0.33, "trace.calibration#/10/probabilities/raise": 0.5},
            "24 traces",
            "trace.calibration 0000 anchor calibration /probabilities/fold: 0.3308979297845015, not 0.33",
            "trace.calibration 0002 anchor calibration /probabilities/raise: 0.6496973958088139, not 0.5",
        ),
        "no anchor rule": (
            {"protocol#/anchor": CUT},
            "0 traces",
            "missing: anchor does not declare what its policy needs",
        ),
        "an anchor without its teacher": (
            {"teacher.calibration#/0": CUT, "trace.calibration#/10/probabilities/raise": 0.5},
            "24 traces",
            "missing: 1 distributions cannot be replayed from what is there",
            "trace.calibration 0002 anchor calibration /probabilities/raise: 0.6496973958088139, not 0.5",
        ),
    },
    "replay.top-action": {
        "what is sound": (
            {},
            "24 traces",
        ),
        "another top action": (
            {"trace.calibration#/8/probabilities": {"fold": 1.0, "call": 0.0, "raise": 0.0}},
            "24 traces",
            "trace.calibration 0000 top-1 calibration /probabilities/fold: 0.0, not 1.0",
            "trace.calibration 0000 top-1 calibration /probabilities/raise: 1.0, not 0.0",
        ),
    },
    "replay.tilt": {
        "what is sound": (
            {},
            "144 traces",
        ),
        "a tilt that does not declare its direction": (
            {"candidate#/3/direction/fold": CUT, "trace.calibration#/4/probabilities/fold": 0.5},
            "120 traces",
            "missing: residual@0.04 does not declare what its policy needs",
            "trace.calibration 0000 residual 0.08 calibration /probabilities/fold: 0.31282636709169864, not 0.5",
        ),
    },
    "replay.zero-scale": {
        "what is sound": (
            {},
            "24 traces",
        ),
        "a zero scale that is not the anchor": (
            {
                "trace.calibration#/2/probabilities/fold": 0.33089792978450156,
                "trace.calibration#/11/probabilities": {"fold": 0.25, "call": 0.5, "raise": 0.25},
            },
            "24 traces",
            "trace.calibration 0000 residual 0 calibration /probabilitie…308979297845015, not 0.33089792978450155",
            "trace.calibration 0002 residual 0 calibration /probabilities/fold: 0.043690185385881014, not 0.25",
            "trace.calibration 0002 residual 0 calibration /probabilities/call: 0.30661241880530504, not 0.5",
            "1 more of /probabilities/raise",
        ),
        "a zero scale without an anchor": (
            {"trace.calibration#/1": CUT, "trace.calibration#/1/probabilities/fold": 0.5},
            "23 traces",
            "missing: anchor has 1 traces that are not there or join no state",
        ),
        "no zero scale": (
            {"candidate#/2/scale": "0.01"},
            "0 traces",
            "not applicable: no candidate has scale zero",
        ),
        "no bank": (
            {"candidate#": []},
            "0 traces",
        ),
    },
}

CERTIFIED: Cases = {
    "replay.teacher": {
        "what is sound": (
            {},
            "88 teacher records",
        ),
        "another teacher": (
            {"teacher.structure#/23/values/move": 5.0},
            "88 teacher records",
            "teacher.structure s087 /distribution/stay: 0.07585818002124356, not 0.3846162436088178",
            "teacher.structure s087 /distribution/move: 0.9241418199787566, not 0.6153837563911821",
        ),
    },
    "replay.tilt": {
        "what is sound": (
            {},
            "792 traces",
        ),
        "another probability": (
            {"trace.structure#/239/probabilities/move": 0.5},
            "792 traces",
            "trace.structure s087 calm 1 structure /probabilities/move: 0.5911910618927425, not 0.5",
        ),
    },
    "replay.zero-scale": {
        "what is sound": (
            {},
            "264 traces",
        ),
        "another scale of zero": (
            {"trace.calibration#/1/probabilities/move": 0.5},
            "264 traces",
            "trace.calibration s002 bold 0 calibration /probabilities/move: 0.5639825260240908, not 0.5",
        ),
    },
    "replay.student": {
        "what is sound": (
            {},
            "64 traces",
        ),
        "another student": (
            {"trace.calibration#/10/probabilities/move": 0.5},
            "64 traces",
            "trace.calibration s002 free 1 calibration /probabilities/move: 0.5108066170364068, not 0.5",
        ),
    },
    "replay.residual": {
        "what is sound": (
            {},
            "88 sealed directions",
        ),
        "a direction of no state": (
            {"residual.calibration#": lambda rows: [*rows, {**OTHER, "family": "calm", "state": "s999"}]},
            "88 sealed directions",
            "residual.calibration calm s999 /state: an observation, not s999",
        ),
        "a direction of other actions": (
            {
                "residual.calibration#/0/direction/jump": 1.0,
                "residual.calibration#/1/direction/stay": CUT,
                "residual.calibration#/2/direction/move": 0.5,
            },
            "87 sealed directions",
            "residual.calibration calm s002 /direction: stay, move, not stay, move, jump",
            "residual.calibration calm s004 /direction: stay, move, not move",
            "residual.calibration calm s006 /direction/move: -0.03176679914668874, not 0.5",
        ),
        "a direction of nobody's family": (
            {"residual.calibration#": lambda rows: [*rows, OTHER]},
            "89 sealed directions",
            "residual.calibration loud s002 /family: calm, not loud",
        ),
        "a direction of a family that is not learned": (
            {
                "residual.calibration#": [OTHER],
                "residual.held-out#": [],
                "residual.structure#": [],
                "candidate#": lambda rows: [row for row in rows if "checkpoint_sha256" not in row],
            },
            "1 sealed directions",
            "residual.calibration loud s002 /family: none, not loud",
        ),
        "a direction of another checkpoint": (
            {"residual.calibration#/0/checkpoint_sha256": "0" * 64, "residual.calibration#/1/checkpoint_sha256": CUT},
            "88 sealed directions",
            "residual.calibration calm s002 /checkpoint_sha256: 377bef37…0000000000000000000000000000000000000000",
        ),
        "directions without weights": (
            {"checkpoint.calm": CUT, "residual.calibration#/2/direction/move": 0.5},
            "88 sealed directions",
        ),
        "a direction of a family with a rule": (
            {
                "residual.calibration#": lambda rows: [*rows, {**OTHER, "family": "bold"}],
                "candidate#/1/checkpoint_sha256": "0" * 64,
            },
            "89 sealed directions",
            "residual.calibration bold s002 /family: calm, not bold",
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


def test_what_is_defined_is_compared() -> None:
    """A distribution that can be replayed for some actions is missing, and compared for those."""
    study = study_of("fixture").view(Study)
    outcome, rows = Outcome("replay.anchor", "traces"), np.arange(2)
    replayed = np.array([[0.5, np.nan, 0.25], [0.5, 0.25, 0.25]])
    stored = np.array([[0.5, 0.25, 0.5], [0.5, 0.5, 0.25]])
    compare_matrix(study, outcome, "trace", rows, "probabilities", replayed, stored, "It differs.")
    assert said(outcome) == [
        "2 traces",
        "missing: 1 distributions cannot be replayed from what is there",
        "trace.held-out 0001 anchor held-out /probabilities/call: 0.25, not 0.5",
        "trace.held-out 0001 active-query held-out /probabilities/raise: 0.25, not 0.5",
    ]


def test_blocks_hold_every_row_once() -> None:
    """However many there are."""
    assert list(_blocks(2**17 + 1)) == [slice(start, start + 2**16) for start in (0, 2**16, 2**17)]
    assert list(_blocks(1)) == [slice(0, 2**16)]
    assert list(_blocks(0)) == []


def test_a_normalizer_that_is_none_is_told_with_its_first_state() -> None:
    """How many states, which comes first, and what it is there."""
    (finding,) = outcome_of("replay.normalizer", study_of("fixture", {"protocol#/prior/floor": "-1"})).findings
    assert finding.message == "The normalizer is not finite and positive at 24 states, first at 0000."
    assert float(finding.found or 0) == pytest.approx(-0.2462518)
