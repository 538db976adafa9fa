"""Students of a game, beside what a reader computes from the name of an information set."""

from __future__ import annotations

import math

import numpy as np
import pytest

from games.small_games import LEDUC
from games.test_evaluation import random_profiles
from sealtrace.mathematics.networks import NetworkLayer
from sealtrace.studies.games.mathematics import students
from sealtrace.studies.games.mathematics.evaluation import action_values
from sealtrace.studies.games.mathematics.hands import draw

NAMES = ["rank J", "public Q", "pair", "second round", "facing a raise", "player 1", "raises", "earlier raises", "luck"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("J:", [1, 0, 0, 0, 0, 0, 0.0, 0.0]),
        ("K:r", [0, 0, 0, 0, 1, 1, 0.5, 0.0]),
        ("J:crr", [1, 0, 0, 0, 1, 1, 1.0, 0.0]),
        ("Q:crrc/Q:", [0, 1, 1, 1, 0, 0, 0.0, 1.0]),
        ("J:rc/Q:cr", [1, 1, 0, 1, 1, 0, 0.5, 0.5]),
    ],
)
def test_features_are_read_from_the_name(name: str, expected: list[float]) -> None:
    """Own card, public card, bets of this round and of the one before it; nobody knows luck."""
    row = students.features(LEDUC, NAMES)[LEDUC.places[name]]
    assert row[:-1].tolist() == expected
    assert math.isnan(row[-1])


def test_policies_are_tilted_softmaxes_on_legal_actions() -> None:
    """exp(base + scale · residual), normalized; what is not legal has nothing."""
    inputs = students.features(LEDUC, ["rank K", "raises"])
    base = [NetworkLayer(np.array([[0.5, -1.0, 2.0], [1.0, 0.0, 0.25]]), np.array([0.1, 0.2, 0.3]), "identity")]
    residual = [NetworkLayer(np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0]]), np.zeros(3), "identity")]
    found = students.student_policies(LEDUC, inputs, base, residual, np.array([0.0, 0.5]))
    assert found.shape == (2, *LEDUC.legal.shape)
    for place, information_set in enumerate(LEDUC.information_sets):
        king, raises = inputs[place]
        logits = [0.1 + 0.5 * king + raises, 0.2 - king, 0.3 + 2 * king + 0.25 * raises]
        moved = [king, 2 * raises, -king]
        for scale, policy in zip((0.0, 0.5), found[:, place], strict=True):
            weights = {action: math.exp(logits[action] + scale * moved[action]) for action in information_set.legal}
            expected = [weights.get(action, 0.0) / sum(weights.values()) for action in range(3)]
            assert policy.tolist() == pytest.approx(expected, abs=1e-15)


def test_weak_and_strong_values() -> None:
    """Against an opponent who plays anything, and against the teacher who sometimes does."""
    (teacher,) = random_profiles(LEDUC, 1, seed=2)
    uniform = np.array([[(action in each.legal) / len(each.legal) for action in range(3)]
                        for each in LEDUC.information_sets])  # fmt: skip
    weak, strong = students.evaluators(LEDUC, teacher, 0.25)
    assert weak.tolist() == action_values(LEDUC, teacher, uniform).tolist()
    assert strong == pytest.approx(action_values(LEDUC, teacher, 0.75 * teacher + 0.25 * uniform), abs=1e-14)


def test_states_are_drawn_by_name() -> None:
    """Draw i is the digest's of `state/i`, times the number of information sets."""
    assert students.sample(LEDUC, 5, 4).tolist() == [int(draw(5, "state", str(place)) * 288) for place in range(4)]
    assert len(set(students.sample(LEDUC, 5, 60).tolist())) > 40


def test_gains_are_over_the_anchor() -> None:
    """Expected value less the anchor's, at every information set."""
    policies, values, anchor = np.array([[[0.5, 0.5]], [[1.0, 0.0]]]), np.array([[2.0, 4.0]]), np.array([[0.25, 0.75]])
    assert students.deltas(policies, values, anchor).tolist() == [[-0.5], [-1.5]]


def test_large_logits_do_not_overflow() -> None:
    """A policy that is sure of an action is sure, and not undefined."""
    base = [NetworkLayer(np.zeros((1, 3)), np.array([0.0, 800.0, 0.0]), "identity")]
    found = students.student_policies(LEDUC, students.features(LEDUC, ["pair"]), base, base, np.array([0.0]))
    assert (found[0, :, LEDUC.actions.index("call")] == 1.0).all()
