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


def test_deals_are_drawn_in_turn_from_a_sorted_deck() -> None:
    """Two private cards, then the public one where the game has it."""
    for match in map(str, range(50)):
        deck = [0, 0, 1, 1, 2, 2]
        first, second = (deck.pop(int(hands.draw(3, match, f"card {card}") * len(deck))) for card in range(2))
        assert hands.deal(LEDUC, 3, match) == (first, second, deck[int(hands.draw(3, match, "board") * 4)])
        assert hands.deal(KUHN, 3, match)[2] == -1


def plain_hand(game: Game, profiles: Any, seats: Any, cards: Any, board: int, draws: list[float]) -> str:
    """One hand, action by action, by the names of information sets."""
    before, history, step = "", "", 0
    while True:
        shown = f"{before}/{game.ranks[board]}:" if before else ""
        player = len(history) % 2
        place = game.places[f"{game.ranks[cards[player]]}:{shown}{history}"]
        legal = np.flatnonzero(game.legal[place]).tolist()
        reached, action = 0.0, legal[-1]
        for possible in legal:
            reached += profiles[seats[player], place, possible]
            if reached > draws[step]:
                action = possible
                break
        history, step = history + "fcr"[action], step + 1
        if history[-1] == "f":
            break
        if history[-1] == "c" and history != "c":
            if before or len(game.raises) == 1:
                break
            before, history = history, ""
    return f"{before}/{history}" if before else history


@pytest.mark.parametrize("game", [LEDUC, KUHN])
def test_hands_are_those_of_a_plain_loop(game: Game) -> None:
    """Seats, cards, public cards and draws as they come; what probabilities leave goes to the last legal action."""
    generator = np.random.default_rng(8)
    profiles = 0.8 * random_profiles(game, 2, seed=6)
    seats, draws = generator.integers(0, 2, (300, 2)), generator.random((300, 12))
    deals = np.array([hands.deal(game, 4, str(match)) for match in range(300)])
    found = hands.play(game, profiles, seats, deals[:, :2], deals[:, 2], lambda playing, step: draws[playing, step])
    assert found == [
        plain_hand(game, profiles, seats[hand], deals[hand], int(deals[hand, 2]), draws[hand].tolist())
        for hand in range(300)
    ]
    endings = {ending.history: ending for ending in hands.endings(game)}
    assert {ending.public for history, ending in endings.items() if "/" in history} <= {True}
    assert {ending.public for history, ending in endings.items() if "/" not in history} == {False}


def test_action_values_are_what_a_choice_is_worth() -> None:
    """At every information set with three actions: to choose another one changes the return in proportion."""
    own, other = random_profiles(LEDUC, 2, seed=12)
    values = action_values(LEDUC, own, other)
    for player in range(2):
        profile = seated(LEDUC, *((own, other) if player == 0 else (other, own)))
        places = np.flatnonzero(LEDUC.legal.all(axis=1) & (LEDUC.players == player))
        changed = np.tile(profile, (len(places), 3, 1, 1))
        for row, place in enumerate(places):
            changed[row, :, place] = np.eye(3)
        gained = expected_return(LEDUC, changed.reshape(-1, *profile.shape), player).reshape(-1, 3)
        left, right = gained[:, 0] - gained[:, 1], gained[:, 0] - gained[:, 2]
        due = values[places]
        assert left * (due[:, 0] - due[:, 2]) == pytest.approx(right * (due[:, 0] - due[:, 1]), abs=1e-12)
        assert np.abs(left).min() > 0


def test_action_values_of_the_first_choices_add_up_to_the_return() -> None:
    """What the own policy expects where it first acts, by how often the other one leads there."""
    own, other = random_profiles(LEDUC, 2, seed=12)
    values = action_values(LEDUC, own, other)
    worth = (own * values).sum(axis=1)
    first = [LEDUC.places[f"{rank}:"] for rank in LEDUC.ranks]
    assert worth[first].mean() == pytest.approx(expected_return(LEDUC, seated(LEDUC, own, other)[None], 0)[0])
    answered = sum(
        LEDUC.deals[opponent, card] * other[first[opponent], action] * worth[LEDUC.places[f"{rank}:{letter}"]]
        for opponent in range(3)
        for card, rank in enumerate(LEDUC.ranks)
        for action, letter in ((1, "c"), (2, "r"))
    )
    assert answered == pytest.approx(expected_return(LEDUC, seated(LEDUC, other, own)[None], 1)[0])
