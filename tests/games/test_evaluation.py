"""The exact evaluator of small poker games, beside OpenSpiel's tree and beside what theory says."""

from __future__ import annotations

import numpy as np
import pytest

from games.small_games import GAMES, KUHN, LEDUC
from oracles import openspiel
from sealtrace.mathematics import Vector
from sealtrace.studies.games.mathematics.evaluation import evaluate, expected_return, seated
from sealtrace.studies.games.mathematics.tables import ACTIONS, Game


def random_profiles(game: Game, count: int, seed: int, *, concentration: float = 1.0) -> Vector:
    """Profiles with nothing on illegal actions; a small concentration gives nearly pure ones."""
    weights = np.random.default_rng(seed).gamma(concentration, size=(count, *game.legal.shape)) * game.legal
    weights += 1e-300 * game.legal
    profiles: Vector = weights / weights.sum(axis=-1, keepdims=True)
    return profiles


@pytest.mark.parametrize("name", GAMES)
def test_information_sets_are_openspiels(name: str) -> None:
    """Same names, players and legal actions, none missing and none invented."""
    from open_spiel.python.policy import TabularPolicy

    game = GAMES[name]
    theirs = {
        openspiel.name_of(name, state): (state.current_player(), tuple(openspiel.legal_of(name, state)))
        for state in TabularPolicy(openspiel.load(name)).states
    }
    assert theirs == {each.name: (each.player, each.legal) for each in game.information_sets}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("concentration", [1.0, 0.05])
def test_equal_to_openspiel(name: str, concentration: float) -> None:
    """Profile value, both best responses and NashConv agree to 1e-12 on random profiles, mixed and nearly pure."""
    game = GAMES[name]
    profiles = random_profiles(game, 4, seed=7, concentration=concentration)
    ours = evaluate(game, profiles)
    for place, profile in enumerate(profiles):
        theirs = openspiel.ask(name, game.places, profile)
        assert ours.value[place] == pytest.approx(theirs.value, abs=1e-12)
        assert ours.best_response_0[place] == pytest.approx(theirs.best_response_0, abs=1e-12)
        assert ours.best_response_1[place] == pytest.approx(theirs.best_response_1, abs=1e-12)
        assert ours.nash_conv[place] == pytest.approx(theirs.nash_conv, abs=1e-12)


def test_leduc_has_288_information_sets() -> None:
    """18 before the public card and 270 after it."""
    assert len(LEDUC.information_sets) == 288
    assert sum("/" not in each.name for each in LEDUC.information_sets) == 18


@pytest.mark.parametrize("name", GAMES)
def test_chances_sum_to_one(name: str) -> None:
    """Every deal and every public card is counted once."""
    game = GAMES[name]
    assert game.deals.sum() == pytest.approx(1, abs=1e-15)
    if len(game.raises) > 1:
        np.testing.assert_allclose(game.boards.sum(axis=0)[game.deals > 0], 1, atol=1e-15)


@pytest.mark.parametrize("name", GAMES)
def test_zero_sum(name: str) -> None:
    """What player 0 wins, player 1 loses."""
    profiles = random_profiles(GAMES[name], 8, seed=3)
    np.testing.assert_allclose(
        expected_return(GAMES[name], profiles, 0), -expected_return(GAMES[name], profiles, 1), atol=1e-14
    )


@pytest.mark.parametrize("name", GAMES)
def test_no_reply_beats_the_best_response(name: str) -> None:
    """A best response is at least as good as any of many random replies, in both seats."""
    game = GAMES[name]
    fixed = random_profiles(game, 1, seed=1)
    replies = random_profiles(game, 64, seed=2, concentration=0.1)
    best = evaluate(game, fixed)
    assert expected_return(game, seated(game, replies, fixed), 0).max() <= best.best_response_0[0] + 1e-14
    assert expected_return(game, seated(game, fixed, replies), 1).max() <= best.best_response_1[0] + 1e-14


def test_kuhn_equilibrium() -> None:
    """The known equilibrium of Kuhn poker is worth -1/18 to the first player and cannot be exploited."""
    profile = np.zeros(KUHN.legal.shape)

    def play(name: str, **probabilities: float) -> None:
        for action, probability in probabilities.items():
            profile[KUHN.places[name], ACTIONS.index({"bet": "raise"}.get(action, action))] = probability

    play("J:", call=1)
    play("Q:", call=1)
    play("K:", call=1)
    play("J:cr", fold=1)
    play("Q:cr", fold=2 / 3, call=1 / 3)
    play("K:cr", call=1)
    play("J:c", call=2 / 3, bet=1 / 3)
    play("Q:c", call=1)
    play("K:c", bet=1)
    play("J:r", fold=1)
    play("Q:r", fold=2 / 3, call=1 / 3)
    play("K:r", call=1)
    answer = evaluate(KUHN, profile[None])
    assert answer.value[0] == pytest.approx(-1 / 18, abs=1e-15)
    assert answer.nash_conv[0] == pytest.approx(0, abs=1e-15)
    assert answer.exploitability[0] == answer.nash_conv[0] / 2
