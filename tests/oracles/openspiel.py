"""OpenSpiel's Leduc and Kuhn poker and an all-in game, asked about profiles in this project's names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

GAMES = {"leduc": "leduc_poker(suit_isomorphism=True)", "kuhn": "kuhn_poker"}
RANKS = "JQK"


@dataclass(frozen=True)
class Answer:
    """What OpenSpiel says of a profile."""

    value: float
    best_response_0: float
    best_response_1: float
    nash_conv: float


def load(game: str) -> Any:
    import pyspiel

    return pyspiel.load_game(GAMES[game])


def name_of(game: str, state: Any) -> str:
    """The project's name of the information set that a state of OpenSpiel lies in."""
    text: str = state.information_state_string()
    if game == "kuhn":
        return RANKS[int(text[0])] + ":" + text[1:].translate(str.maketrans("pb", "cr"))
    fields = dict(re.findall(r"\[(\w+): ([^\]]*)\]", text))
    first, second = ("".join("fcr"[int(action)] for action in fields[name].split()) for name in ("Round1", "Round2"))
    private = RANKS[int(fields["Private"])]
    return f"{private}:{first}/{RANKS[int(fields['Public'])]}:{second}" if "Public" in fields else f"{private}:{first}"


def legal_of(game: str, state: Any) -> list[int]:
    """The project's actions (fold, call, raise) that are legal, in OpenSpiel's order of them."""
    legal: list[int] = state.legal_actions()
    if game == "leduc":
        return legal
    # Kuhn has two actions: pass folds against a bet and checks otherwise; bet calls a bet and raises otherwise.
    facing = state.information_state_string().endswith("b")
    return [{0: 0, 1: 1}[action] if facing else {0: 1, 1: 2}[action] for action in legal]


def ask(game: str, places: dict[str, int], profile: npt.NDArray[np.float64]) -> Answer:
    """The exact values of a profile, given as information set × action."""

    def probability(state: Any, action: int) -> float:
        own = legal_of(game, state)[state.legal_actions().index(action)]
        return float(profile[places[name_of(game, state)], own])

    return values_of(load(game), probability)


def all_in(places: dict[str, int], profile: npt.NDArray[np.float64]) -> Answer:
    """The same of the all-in game: one card of a full deck, an ante of one, and one bet of nine."""
    import pyspiel

    rules = {"betting": "limit", "numPlayers": 2, "numRounds": 1, "blind": "1 1", "raiseSize": "9", "stack": "10 10"}
    deck = {"numSuits": 4, "numRanks": 13, "numHoleCards": 1, "numBoardCards": "0"}

    def probability(state: Any, action: int) -> float:
        fields = dict(re.findall(r"\[(\w+): ([^\]]*)\]", state.information_state_string()))
        return float(profile[places[f"{fields['Private'][0]}:{fields['Sequences']}"], action])

    game = pyspiel.load_game("universal_poker", {**rules, **deck, "firstPlayer": "1", "maxRaises": "1"})
    return values_of(game, probability)


def values_of(rules: Any, probability: Callable[[Any, int], float]) -> Answer:
    """The exact values of the profile that plays an action of a state with some probability."""
    from open_spiel.python.algorithms import best_response, expected_game_score, exploitability
    from open_spiel.python.policy import TabularPolicy

    policy = TabularPolicy(rules)
    for state in policy.states:
        row = policy.policy_for_key(state.information_state_string())
        for action in state.legal_actions():
            row[action] = probability(state, action)
    root = rules.new_initial_state()
    value = expected_game_score.policy_value(root, [policy, policy])[0]
    first, second = (
        best_response.BestResponsePolicy(rules, player, policy).value(rules.new_initial_state()) for player in range(2)
    )
    return Answer(value, first, second, exploitability.nash_conv(rules, policy))
