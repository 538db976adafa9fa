"""The screen's formulas against those of `policies`, `scores` and `thresholds`, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sealtrace.studies.policies.mathematics import over_actions, policies, scores, screening, thresholds
from sealtrace.studies.policies.mathematics.screening import CandidateRun, Largest, Screen

ACTIONS, WIDTH, STATES = 3, 4, 6


def screen_of(states: int = STATES) -> Screen:
    return Screen(np.zeros(states, np.bool_), {})


def suspects(screen: Screen) -> list[int]:
    found: list[int] = np.flatnonzero(screen.suspects).tolist()
    return found


def distributions(seed: int, *shape: int) -> Any:
    """Distributions over actions, which are the first axis."""
    weights = np.random.default_rng(seed).random((ACTIONS, *shape)) + 0.1
    return weights / weights.sum(axis=0)


def by_rows(policy: Any) -> list[Any]:
    """By action, candidate and state to one column of the file per action."""
    return [values.T.ravel().copy() for values in policy]


def test_what_is_refused_is_found_at_its_state() -> None:
    """By candidate and state, or by rows of the file; later states lie after the first that is looked at."""
    screen = screen_of()
    screen.at = 2
    bad = np.zeros((WIDTH, 3), np.bool_)
    screen.refuse(bad)
    assert suspects(screen) == []
    bad[1, 2] = True
    screen.refuse(bad)
    assert suspects(screen) == [4]
    rows = np.zeros(3 * WIDTH, np.bool_)
    rows[WIDTH - 1] = True
    screen.refuse_rows(rows, WIDTH)
    assert suspects(screen) == [2, 4]
    screen.refuse_rows(~rows & False, WIDTH)
    assert suspects(screen) == [2, 4]


def test_distances_within_a_tolerance() -> None:
    """Beyond the sure bound each is compared with its own; no number is refused, and is not the largest."""
    distance = np.full((2, WIDTH, STATES), 0.25)
    screen = screen_of()
    screen.within("d", distance, 0.25, lambda: pytest.fail("the sure bound is enough"), apart=True)
    assert suspects(screen) == []
    distance[0, 1, 3], distance[1, 2, 5], distance[1, 0, 0] = 0.5, 0.75, math.nan
    allowed = np.full(distance.shape, 0.5)
    screen = screen_of()
    screen.within("d", distance, 0.25, lambda: allowed, apart=True)
    assert suspects(screen) == [0, 5]
    assert [Largest("d", 0, 0.5, 1, 3), Largest("d", 1, 0.75, 2, 5)] == [
        largest for largest in screen.largest if largest.value > 0.25
    ]
    assert screen.known["d"].tolist() == [[0.25, 0.5, 0.25, 0.25], [0.25, 0.25, 0.75, 0.25]]


def test_only_larger_distances_are_kept() -> None:
    """Zero counts the first time; what was met before, or is no number at all, does not."""
    screen = screen_of()
    screen.at = 1
    zero = np.zeros((1, 2, 2))
    for apart, first in ((True, [(0, 1), (1, 1)]), (False, [(0, 1)])):
        screen.within(f"{apart}", zero, 0.0, lambda: zero, apart=apart)
        screen.within(f"{apart}", zero, 0.0, lambda: zero, apart=apart)
        kept = [(largest.candidate, largest.state) for largest in screen.largest if largest.sort == f"{apart}"]
        assert kept == first
        screen.within(f"no number {apart}", zero * math.nan, 1.0, lambda: zero, apart=apart)
    assert {largest.sort for largest in screen.largest} == {"True", "False"}


def test_of_equal_distances_the_first_row_of_the_file() -> None:
    """Rows of the file hold all candidates of a state, then those of the next; a layer is a quantity of its own."""
    distance = np.zeros((2, 3, 4))
    distance[0, 0, 3] = distance[0, 1, 2] = distance[0, 2, 2] = 1.0
    distance[1, 2, 1] = 2.0
    screen = screen_of(4)
    screen.within("d", distance, 9.0, lambda: distance, apart=False)
    assert screen.largest == [Largest("d", 0, 1.0, 1, 2), Largest("d", 1, 2.0, 2, 1)]
    assert screen.known["d"].tolist() == [[1.0], [2.0]]
    screen.within("d", distance * [[[1.0]], [[1.5]]], 9.0, lambda: distance, apart=False)
    assert screen.largest[2:] == [Largest("d", 1, 3.0, 2, 1)]


@pytest.mark.parametrize("value", [-0.1, math.nan])
def test_probabilities_are_not_negative(value: float) -> None:
    """The least probability is returned; what is negative or no number makes its state a suspect, zero does not."""
    policy = by_rows(distributions(0, WIDTH, STATES))
    policy[0][0] = policy[1][0] = 0.0
    everything: list[Any] = [None] * ACTIONS
    screen = screen_of()
    assert screening.sound_rows(screen, policy, everything, everything, WIDTH) == 0.0
    assert suspects(screen) == []
    policy[1][2 * WIDTH + 1] = value
    least = screening.sound_rows(screen, policy, everything, everything, WIDTH)
    assert least == value or math.isnan(value)
    assert suspects(screen) == [2]
    assert screening.sound_rows(screen, [np.full(4, 0.75)], [None], [None], WIDTH) == 0.75


def test_every_legal_action_is_named_and_no_other_has_mass() -> None:
    """Nothing may lie on an illegal action, and only illegal ones may go unnamed."""
    rows = WIDTH * STATES
    policy = [np.full(rows, 0.5), np.full(rows, 0.5)]
    legal, named = np.ones(rows, np.bool_), np.ones(rows, np.bool_)
    legal[0] = legal[5] = named[0] = False
    policy[1][0] = 0.0
    screen = screen_of()
    screening.sound_rows(screen, policy, [None, named], [None, legal], WIDTH)
    assert suspects(screen) == [1]
    named[9] = False
    screen = screen_of()
    screening.sound_rows(screen, policy, [None, named], [None, legal], WIDTH)
    assert suspects(screen) == [1, 2]
    screen = screen_of()
    screening.sound_rows(screen, policy, [None, named], [None, None], WIDTH)
    assert suspects(screen) == [0, 2]


def test_sums_over_actions_run_in_order() -> None:
    """As adding one after the other does, bit by bit; the terms stay as they were."""
    for actions in range(1, 12):
        terms = np.random.default_rng(actions).normal(size=(actions, 50)) * 10.0 ** np.arange(actions)[:, None]
        expected = [0.0] * 50
        for row in terms.tolist():
            expected = [total + value for total, value in zip(expected, row, strict=True)]
        before = terms.copy()
        assert over_actions.total(list(terms)).tolist() == expected
        assert (terms == before).all()


def test_distributions_sum_to_one() -> None:
    """Within the tolerance; the largest distance is kept where it is larger than those before."""
    policy = by_rows(distributions(1, WIDTH, STATES))
    policy[0] += 1 - sum(policy)
    policy[2][WIDTH + 1] -= 2**-20
    policy[2][3 * WIDTH + 2] += 2**-10
    screen = screen_of()
    assert math.isclose(screening.normalized(screen, policy, 2**-15, WIDTH), 2**-10, rel_tol=1e-9)
    assert suspects(screen) == [3]
    (largest,) = screen.largest
    assert (largest.sort, largest.quantity, largest.candidate, largest.state) == ("normalized", 0, 2, 3)
    for tolerance, found in ((2**-5, []), (2**-30, [1, 3])):
        screen.suspects[:] = False
        screening.normalized(screen, policy, tolerance, WIDTH)
        assert suspects(screen) == found
    assert screen.largest == [largest]
    screen = screen_of()
    screening.normalized(screen, policy, 1.0, WIDTH)
    assert len(screen.largest) == 1
    at_it = [np.full(WIDTH * STATES, 1.25)]
    screening.normalized(screen, at_it, 0.25, WIDTH)
    assert suspects(screen) == []


def test_the_top_action_is_that_of_policies() -> None:
    """With ties, and with actions that are not legal."""
    rng = np.random.default_rng(2)
    policy, legal = rng.integers(0, 3, (4, 200)) / 4, rng.random((4, 200)) < 0.7
    legal[3] = True
    expected = policies.top_action(policy.T, legal.T).tolist()
    assert over_actions.top_actions(list(policy), [*legal[:3], None]).tolist() == expected
    everywhere = policies.top_action(policy.T, np.ones((200, 4), np.bool_)).tolist()
    assert over_actions.top_actions(list(policy), [None] * 4).tolist() == everywhere


SCALES = np.array([0.5, 2.0])


def replay_of(base: Any, direction: Any, legal: Any) -> Any:
    """By action, candidate and state: two tilts between two that are the base itself."""
    with np.errstate(divide="ignore"):
        tilts = [policies.normalized(policies.tilt_weights(base.T, direction.T, scale, legal.T)).T for scale in SCALES]
    return np.stack([base, *tilts, base], axis=1)


def screened(policy: Any, base: Any, direction: Any, legal: Any, tolerance: float) -> Screen:
    screen = screen_of()
    none = np.empty(0)
    runs = [
        (CandidateRun(slice(0, 1), none), base),
        (CandidateRun(slice(1, 3), SCALES), direction),
        (CandidateRun(slice(3, 4), none), base),
    ]
    with np.errstate(all="ignore"):
        screening.replayed(screen, runs, np.log(base), policy, legal, tolerance, float(policy.min()))
    return screen


@pytest.mark.parametrize("masked", [False, True])
def test_the_replay_is_that_of_policies(masked: bool) -> None:
    """Bit by bit, tilted or not; one probability that is beyond the tolerance makes its state a suspect."""
    legal = np.ones((ACTIONS, STATES), np.bool_)
    if masked:
        legal[0, ::2] = legal[2, 3] = False
    base = np.where(legal, distributions(3, STATES), 0.0)
    base = base / base.sum(axis=0)
    direction = np.random.default_rng(4).normal(size=base.shape)
    policy = replay_of(base, direction, legal)
    screen = screened(policy, base, direction, legal if masked else None, 0.0)
    assert suspects(screen) == []
    assert {largest.value for largest in screen.largest} == {0.0}
    for candidate in range(WIDTH):
        wrong = policy.copy()
        wrong[1, candidate, 4] *= 1 + 1e-6
        assert suspects(screened(wrong, base, direction, legal if masked else None, 1e-9)) == [4]
        assert suspects(screened(wrong, base, direction, legal if masked else None, 1e-5)) == []
    screen = screened(wrong, base, direction, legal if masked else None, 1e-9)
    assert screen.known["replay"].shape == (ACTIONS, WIDTH)
    assert math.isclose(screen.known["replay"].max(), policy[1, 3, 4] * 1e-6, rel_tol=1e-6)


def test_small_probabilities_have_a_small_tolerance() -> None:
    """It is relative to the probability itself, the larger of both, and not to the largest of its state."""
    base = np.repeat([[2**-30], [0.5], [0.5 - 2**-30]], STATES, axis=1)
    still = np.zeros(base.shape)
    policy = np.stack([base] * WIDTH, axis=1)
    policy[0, 0, 1] += 2**-40
    assert suspects(screened(policy, base, still, None, 2**-10 / (1 + 2**-10) * (1 + 1e-9))) == []
    assert suspects(screened(policy, base, still, None, 2**-10 / (1 + 2**-10) * (1 - 1e-9))) == [1]


def test_a_tilt_without_a_normalizer_is_a_suspect() -> None:
    """A direction that is infinite leaves nothing to divide by; what is not tilted does not need one."""
    base = distributions(5, STATES)
    direction = np.zeros(base.shape)
    direction[1, 2] = math.inf
    policy = np.stack([base] * WIDTH, axis=1)
    assert suspects(screened(policy, base, direction, None, 1e-6)) == [2]
    nowhere = base.copy()
    nowhere[:, 3] = 0.0
    screen = screen_of()
    runs = [(CandidateRun(slice(0, WIDTH), np.empty(0)), base)]
    with np.errstate(all="ignore"):
        screening.replayed(screen, runs, np.log(nowhere), policy, None, 1e-6, float(policy.min()))
    assert suspects(screen) == []


def test_utilities_are_those_of_scores() -> None:
    """Bit by bit, for any number of actions."""
    rng = np.random.default_rng(6)
    for actions in (1, 2, 3, 11):
        policy, values = rng.random((actions, WIDTH, STATES)), rng.normal(size=(actions, STATES))
        found = over_actions.expected(policy, values[:, None])
        for candidate in range(WIDTH):
            expected = scores.expected_utility(policy[:, candidate].T.copy(), values.T.copy())
            assert found[candidate].tolist() == expected.tolist()


def test_a_policy_that_is_its_anchor_differs_by_zero_without_a_sign() -> None:
    """Whatever sign the action values have."""
    found = over_actions.expected(np.zeros((ACTIONS, 2)), np.array([[-1.0, 1.0]] * ACTIONS))
    assert np.signbit(found).tolist() == [False, False]


def test_a_sure_distance_is_beyond_every_rounding_and_replay() -> None:
    """It is at least the error that `thresholds` allows a delta, and what tolerated probabilities can move it."""
    rng = np.random.default_rng(7)
    policy, base = distributions(8, 50).T, distributions(9, 50).T
    values = rng.normal(size=policy.shape)
    magnitude = np.abs(values).max(axis=1)
    _, error = thresholds.expected_difference(policy, base, values)
    for tau in (0.0, 0.25):
        assert (screening.sure_distance(magnitude, ACTIONS, 0.0, tau) >= error + 2 * 2.0**-53 * tau).all()
    assert (screening.sure_distance(0 * magnitude, ACTIONS, 1e-6, 0.0) > 0).all()
    for tolerance in (1e-12, 1e-6):
        # Two distributions, each probability within the tolerance of another, between values of this size.
        moved = 2 * tolerance * magnitude
        sure = screening.sure_distance(magnitude, ACTIONS, tolerance, 0.25)
        assert (sure >= moved).all()
        assert (sure <= 100 * moved).all()
