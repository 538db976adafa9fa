"""Hands replayed: chance from digests, OpenSpiel's rules, and the exact value as the limit of the mean."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

from games.small_games import KUHN, LEDUC
from games.test_evaluation import random_profiles
from oracles import openspiel
from sealtrace.studies.games.mathematics import hands
from sealtrace.studies.games.mathematics.evaluation import action_values, evaluate, expected_return, seated
from sealtrace.studies.games.mathematics.tables import ACTIONS, Game


def test_draw_is_the_head_of_a_digest() -> None:
    """Anybody can draw again with a SHA-256 and a division."""
    digest = hashlib.sha256(b"5/17/card 0").hexdigest()
    assert hands.draw(5, "17", "card 0") == (int(digest[:16], 16) >> 11) / 2**53


def test_deals_follow_the_chances_of_the_game() -> None:
    """Over many matches the cards come as often as the deck says, within four standard errors."""
    deals = np.array([hands.deal(LEDUC, 1, str(match)) for match in range(6000)])
    for (one, other), chance in np.ndenumerate(LEDUC.deals):
        share = ((deals[:, 0] == one) & (deals[:, 1] == other)).mean()
        assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / len(deals))
    triples = (deals[:, 0] == deals[:, 1]) & (deals[:, 1] == deals[:, 2])
    assert not triples.any()


@pytest.mark.parametrize(("name", "game"), [("leduc", LEDUC), ("kuhn", KUHN)])
def test_endings_are_openspiels(name: str, game: Game) -> None:
    """Every terminal history of OpenSpiel is known and pays the same, and no other is known."""
    found: dict[str, hands.Ending] = {}

    def visit(state: Any, history: str, cards: list[int]) -> None:
        if state.is_terminal():
            ending = known[history]
            board = cards[2] if len(cards) > 2 else 0
            paid = hands.returns(game, [ending], np.array([0]), np.array([cards[:2]]), np.array([board]))[0]
            assert state.returns()[0] == paid
            found[history] = ending
            return
        if state.is_chance_node():
            for action, _ in state.chance_outcomes():
                dealt = state.child(action)
                visit(dealt, history + ("/" if len(cards) == 2 else ""), [*cards, action])
            return
        for action, own in zip(state.legal_actions(), openspiel.legal_of(name, state), strict=True):
            visit(state.child(action), history + "fcr"[own], cards)

    known = {one.history: one for one in hands.endings(game)}
    visit(openspiel.load(name).new_initial_state(), "", [])
    assert found == known


def test_mean_return_nears_the_exact_value() -> None:
    """Four thousand replayed hands per seat lie within four standard errors of the tree."""
    profiles = random_profiles(LEDUC, 2, seed=9)
    count = 4000
    deals = np.array([hands.deal(LEDUC, 2, str(match)) for match in range(count)])
    histories = hands.play(
        LEDUC,
        profiles,
        np.tile([0, 1], (count, 1)),
        deals[:, :2],
        deals[:, 2],
        lambda playing, step: np.array([hands.draw(2, str(match), f"action {step}") for match in playing.tolist()]),
    )
    endings = {one.history: one for one in hands.endings(LEDUC)}
    places = {history: place for place, history in enumerate(endings)}
    ending = np.array([places[history] for history in histories])
    won = hands.returns(LEDUC, list(endings.values()), ending, deals[:, :2], deals[:, 2])
    due = expected_return(LEDUC, seated(LEDUC, profiles[0], profiles[1])[None], 0)[0]
    assert abs(won.mean() - due) < 4 * won.std() / np.sqrt(count)


def test_a_draw_takes_the_first_action_that_it_does_not_pass() -> None:
    """Probabilities are laid end to end in the order fold, call, raise; a draw on a border takes the later action."""
    profile = np.zeros((1, *KUHN.legal.shape))
    profile[0, :, ACTIONS.index("call")] = 0.25
    profile[0, :, ACTIONS.index("raise")] = 0.75
    seats, cards, board = np.zeros((3, 2), np.int64), np.tile([0, 1], (3, 1)), np.full(3, -1)
    first = np.array([0.2, 0.25, 0.999])
    histories = hands.play(KUHN, profile, seats, cards, board, lambda playing, _: first[playing])
    assert [history[0] for history in histories] == ["c", "r", "r"]


def test_action_values_of_the_own_policy_give_its_value() -> None:
    """Where both play the same, following the action values from the first node gives the value of the profile."""
    (profile,) = random_profiles(LEDUC, 1, seed=4)
    values = action_values(LEDUC, profile, profile)
    roots = [LEDUC.places[f"{rank}:"] for rank in LEDUC.ranks]
    mean = np.mean([(profile[root] * values[root]).sum() for root in roots])
    assert mean == pytest.approx(evaluate(LEDUC, profile[None]).value[0], abs=1e-13)
    assert (values[~LEDUC.legal] == 0).all()
