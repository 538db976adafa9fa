"""Hand histories followed bet by bet, beside PokerKit's states."""

from __future__ import annotations

import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest

from behaviour_recipe.reading_hands import snapshots
from behaviour_recipe.writing_hands import HANDS
from sealtrace.studies.games.mathematics.histories import HandDecision, HistoryError, decisions, size_of

TABLES = sorted(HANDS.glob("*.phhs"))


def hands_of(path: Path) -> list[dict[str, Any]]:
    return list(tomllib.loads(path.read_text(encoding="utf-8")).values())


def pokerkit_states(text: str) -> list[tuple[Any, ...]]:
    """(player, street, players, pot, to call) before every fold, call and raise, as PokerKit has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pokerkit import HandHistory

        history = HandHistory.loads(text)
        found = []
        state = next(iter(history))
        before = (state.street_index, sum(state.statuses), state.total_pot_amount, list(state.bets), list(state.stacks))
        for state, action in history.state_actions:
            if action is not None and action.startswith("p") and action.split()[1] in ("f", "cc", "cbr"):
                player = int(action.split()[0][1:]) - 1
                street, players, pot, bets, stacks = before
                found.append((player, street, players, pot, min(max(bets) - bets[player], stacks[player])))
            before = (
                state.street_index,
                sum(state.statuses),
                state.total_pot_amount,
                list(state.bets),
                list(state.stacks),
            )
    return found


def as_phh(hand: dict[str, Any]) -> str:
    listed = ", ".join(f'"{action}"' for action in hand["actions"])
    names = ("antes", "blinds_or_straddles", "min_bet", "starting_stacks")
    return 'variant = "NT"\n' + "".join(f"{name} = {hand[name]}\n" for name in names) + f"actions = [{listed}]\n"


@pytest.mark.parametrize("path", TABLES, ids=[path.stem for path in TABLES])
def test_equal_to_pokerkit(path: Path) -> None:
    """Street, players, pot and the amount to call, before every decision of every shipped hand."""
    for hand in hands_of(path):
        ours = [(one.player, one.street, one.players, one.pot, one.to_call) for one in decisions(hand)]
        assert ours == pokerkit_states(as_phh(hand))


HEADS_UP = {
    "variant": "NT",
    "antes": [0, 0],
    "blinds_or_straddles": [1, 2],
    "min_bet": 2,
    "starting_stacks": [40, 30],
    "players": ["a", "b"],
    "actions": [
        "d dh p1 AsKs",
        "d dh p2 QhQd",
        "p2 cbr 30",
        "p1 cc",
        "p1 sm AsKs",
        "p2 sm QhQd",
        "d db AhKd2c",
        "d db 3c",
        "d db 4c",
    ],
}


def test_two_players_and_all_in() -> None:
    """The button posts the small blind and acts first; nobody calls more than the other has."""
    ours = [(one.player, one.street, one.players, one.pot, one.to_call) for one in decisions(HEADS_UP)]
    assert ours == pokerkit_states(as_phh(HEADS_UP))
    assert ours[1][-1] == 28


def test_recipe_reads_alike() -> None:
    """Written apart, recipe and verifier see the same decisions, raises among them."""

    def plain(found: list[Any]) -> list[tuple[Any, ...]]:
        return [(s.action, s.street, s.players, s.pot, s.to_call, s.label, s.raised) for s in found]

    for path in TABLES:
        for hand in hands_of(path):
            assert plain(decisions(hand)) == plain(snapshots(hand))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("p4 cc", "there is no player"),
        ("p1", "names who acts"),
        ("p1 cbr", "without an amount"),
        ("p1 cbr x", "no amount"),
        ("p1 cbr 1", "less than the bet"),
        ("p1 cbr 900", "more than the stack"),
        ("p٣ cc", "there is no player"),
    ],
)
def test_nonsense_is_named(action: str, words: str) -> None:
    """What cannot be followed is an error with its place, not a guess."""
    hand = {**HEADS_UP, "actions": ["d dh p1 AsKs", action]}
    with pytest.raises(HistoryError, match=words) as error:
        decisions(hand)
    assert error.value.place == 1


def test_sizes() -> None:
    """A raise of exactly a limit does not exceed it."""
    assert [size_of(share, (0.5, 1.0)) for share in (0.5, 0.51, 1.0, 7.0, None)] == [
        "size 0",
        "size 1",
        "size 1",
        "size 2",
        None,
    ]


def test_a_decision_is_what_was_done() -> None:
    """The pot before a raise, and the raise as a share of the pot after a call."""
    first = decisions(HEADS_UP)[0]
    assert first == HandDecision(2, 1, 0, 2, 3.0, 1.0, "raise", 28 / 4)


DEALT = ["d dh p1 Ac6h", "d dh p2 Kd2c", "d dh p3 7h3h"]
PLAYED = ["p3 f", "p1 cc", "p2 cc", "d db 2h9d5d", "p1 cc", "p2 cbr 8", "p1 cc", "p1 sm Ac6h"]


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([*DEALT[:2], "d dh p3 7h6h", *PLAYED], "6h is dealt twice"),
        ([*DEALT, *PLAYED[:3], "d db 2h9d5dx"], "no list of cards"),
        ([*DEALT, *PLAYED[:3], "d db 2h9d"], "three cards, then one"),
        ([*DEALT, *PLAYED[:-1], "p1 sm Ac6s"], "other cards than were dealt"),
        ([*DEALT, *PLAYED, "p1 sm Ac6h"], "for a second time"),
        ([*DEALT, "p3 wins"], "nothing that happens"),
        ([*DEALT, *PLAYED[:4], "p1 cbr 1"], "less than the least bet"),
    ],
)
def test_hands_that_nobody_can_have_played(actions: list[str], said: str) -> None:
    """Cards are dealt once and shown as they were dealt; raises are as large as the rules want."""
    hand = {
        "variant": "NT", "antes": [0, 0, 0], "blinds_or_straddles": [1, 2, 0], "min_bet": 2,
        "starting_stacks": [200, 200, 200], "players": ["a", "b", "c"], "actions": actions,
    }  # fmt: skip
    assert decisions({**hand, "actions": [*DEALT, *PLAYED]})
    with pytest.raises(HistoryError, match=said):
        decisions(hand)


THREE = {
    "variant": "NT", "antes": [0, 0, 0], "blinds_or_straddles": [1, 2, 0], "min_bet": 2,
    "starting_stacks": [200, 200, 200], "players": ["a", "b", "c"],
}  # fmt: skip


def test_antes_and_short_stacks_are_pokerkits() -> None:
    """Who has less than ante and blind puts in what is left, and antes are in the pot before the first decision."""
    hand = {**THREE, "antes": [1, 1, 1], "starting_stacks": [200, 2, 200], "actions": [*DEALT, "p3 cbr 6", "p1 cc"]}
    ours = [
        (decision.player, decision.street, decision.players, decision.pot, decision.to_call)
        for decision in decisions(hand)
    ]
    assert ours == pokerkit_states(as_phh(hand))
    assert [state[3:] for state in ours] == [(5.0, 1.0), (11.0, 5.0)]


def test_raises_on_the_border() -> None:
    """By exactly the least bet, by less with the last chip, and without a least bet by anything."""

    def played(*actions: str, **changed: Any) -> list[float | None]:
        return [decision.raised for decision in decisions({**THREE, **changed, "actions": [*DEALT, *actions]})]

    assert played("p3 cbr 4") == [2 / 5]
    assert played("p3 cbr 200") == [198 / 5]
    assert played("p3 cbr 3", starting_stacks=[200, 200, 3]) == [1 / 5]
    assert played("p3 cbr 2.5", min_bet=None) == [0.5 / 5]
    assert played("p3 f", "p1 cbr 200") == [None, 198 / 4]
    for wrong in (["p3 cbr 2"], ["p3 cbr 201"], ["p3 cbr 3"], ["p3 f", "p1 cbr 201"]):
        with pytest.raises(HistoryError, match="raise"):
            played(*wrong)
    with pytest.raises(HistoryError, match="less than the bet"):
        played("p3 cbr 2", min_bet=None)
    with pytest.raises(HistoryError, match="not of everything"):
        played("p3 cbr 2.5", starting_stacks=[200, 200, 3])


def test_streets_begin_anew() -> None:
    """After a public deal nothing has to be called; who folded is counted no longer."""
    found = decisions({**THREE, "actions": [*DEALT, *PLAYED]})
    assert [(decision.street, decision.players, decision.pot, decision.to_call) for decision in found] == [
        (0, 3, 3.0, 2.0), (0, 2, 3.0, 1.0), (0, 2, 4.0, 0.0),
        (1, 2, 4.0, 0.0), (1, 2, 4.0, 0.0), (1, 2, 12.0, 8.0),
    ]  # fmt: skip


FLOP = ["p3 f", "p1 cc", "p2 cc", "d db 2h9d5d"]


@pytest.mark.parametrize(
    "actions",
    [
        ["d dh p1 ????", "d dh p2 ????", "d dh p3 7h3h", *FLOP, "d db 4c", "d db 4d"],
        ["d dh p1 ????", *DEALT[1:], *FLOP, "p1 sm Ac6h", "p2 sm 2cKd"],
        [*DEALT, *FLOP, "p1 sm -", "p2 sm"],
        [*DEALT, "p3 f # after a while"],
    ],
)
def test_what_may_stand_in_a_history(actions: list[str]) -> None:
    """Cards that nobody saw, any of them twice; cards shown in another order, or not at all; comments."""
    assert [decision.label for decision in decisions({**THREE, "actions": actions})][:1] == ["fold"]


@pytest.mark.parametrize(
    ("changed", "place", "said"),
    [
        ({"variant": "PO"}, -1, "'PO' is not read; these are: NT, FT"),
        ({"antes": [0, 0]}, -1, "one entry per player"),
        ({"players": ["a"]}, -1, "one entry per player"),
        (
            {"starting_stacks": [9], "antes": [0], "blinds_or_straddles": [1], "players": ["a"], "actions": []},
            -1,
            "two or more",
        ),
        ({"starting_stacks": [200, 200, "nan"]}, -1, "'nan' is no amount"),
        ({"antes": [0, -1, 0]}, -1, "-1 is no amount"),
        ({"blinds_or_straddles": [1, "x", 0]}, -1, "'x' is no amount"),
        ({"min_bet": "x"}, -1, "'x' is no amount"),
        ({"actions": [*DEALT, "p3 f", "p3 cc"]}, 4, "has folded"),
        ({"actions": [*DEALT, *FLOP, "d db 3c", "d db 4c", "d db 6c"]}, 9, "fourth public deal"),
        ({"actions": [*DEALT, *FLOP, "d db 3c4c"]}, 7, "three cards, then one"),
        ({"actions": [*DEALT, "3 f"]}, 3, "there is no player '3'"),
        ({"actions": [*DEALT, "p0 f"]}, 3, "there is no player 'p0'"),
        ({"actions": [*DEALT, "p f"]}, 3, "there is no player 'p'"),
        ({"actions": [*DEALT, "d cc"]}, 3, "nothing that happens"),
        ({"actions": [*DEALT, "d dh p1"]}, 3, "nothing that happens"),
        ({"actions": [*DEALT, "d db"]}, 3, "nothing that happens"),
    ],
)
def test_what_no_hand_can_be(changed: dict[str, Any], place: int, said: str) -> None:
    """Each with its place: that of the action, or none where the head of the hand is wrong."""
    with pytest.raises(HistoryError, match=said) as error:
        decisions({**THREE, "actions": [], **changed})
    assert error.value.place == place
