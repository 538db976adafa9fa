"""`python -m behaviour_recipe.writing_hands` writes the study's hands anew: three players of made-up habits at a table.

Nobody has played these hands. They are drawn by a seed, so that the study can be shipped whole.
"""

from __future__ import annotations

import random
from pathlib import Path

HANDS = Path(__file__).parent / "hands"
TABLES = 8
HANDS_EACH = 11
STACK = 200
SMALL, BIG = 1, 2
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
SCREEN_NAMES = ("north", "east", "south")
"""What players are called at a table; the release must not show it."""


class Table:
    """One hand in the making: three seats, the button last."""

    def __init__(self, chance: random.Random, habits: list[tuple[float, float]]) -> None:
        self.chance = chance
        self.habits = habits
        self.cards = chance.sample(DECK, 11)
        self.stacks = [STACK - SMALL, STACK - BIG, STACK]
        self.bets = [SMALL, BIG, 0]
        self.pot = SMALL + BIG
        self.playing = [True] * 3
        self.actions = [f"d dh p{seat + 1} {''.join(self.cards[2 * seat : 2 * seat + 2])}" for seat in range(3)]

    def play(self) -> list[str]:
        """The whole hand in notation."""
        boards = (None, self.cards[6:9], self.cards[9:10], self.cards[10:11])
        for street, board in enumerate(boards):
            if board is not None:
                self.actions.append(f"d db {''.join(board)}")
                self.bets = [0, 0, 0]
            self._bet(first=2 if street == 0 else 0, smallest=BIG)
            if sum(self.playing) == 1:
                return self.actions
        for seat in range(3):
            if self.playing[seat]:
                self.actions.append(f"p{seat + 1} sm {''.join(self.cards[2 * seat : 2 * seat + 2])}")
        return self.actions

    def _bet(self, first: int, smallest: int) -> None:
        """One round: at most three raises, so that nobody is ever all in."""
        owing = [(first + step) % 3 for step in range(3)]
        owing = [seat for seat in owing if self.playing[seat]]
        step, raises = smallest, 0
        while owing and sum(self.playing) > 1:
            seat = owing.pop(0)
            caution, boldness = self.habits[seat]
            to_call = max(self.bets) - self.bets[seat]
            drawn = self.chance.random()
            if to_call and drawn < caution:
                self.playing[seat] = False
                self.actions.append(f"p{seat + 1} f")
            elif drawn > 1 - boldness and raises < 2 and self.pot < STACK // 2:
                share = self.chance.choice((0.4, 0.75, 0.75, 1.5))
                target = max(self.bets) + max(step, int(share * (self.pot + to_call)))
                step, raises = target - max(self.bets), raises + 1
                self._pay(seat, target - self.bets[seat])
                self.actions.append(f"p{seat + 1} cbr {target}")
                owing = [other for turn in (1, 2) if self.playing[other := (seat + turn) % 3]]
            else:
                self._pay(seat, to_call)
                self.actions.append(f"p{seat + 1} cc")

    def _pay(self, seat: int, amount: int) -> None:
        if amount >= self.stacks[seat]:
            raise ValueError("a hand of this study leaves nobody all in")
        self.bets[seat] += amount
        self.stacks[seat] -= amount
        self.pot += amount


def main() -> None:
    chance = random.Random(2718)
    HANDS.mkdir(exist_ok=True)
    for table in range(TABLES):
        habits = [(chance.uniform(0.15, 0.45), chance.uniform(0.15, 0.45)) for _ in range(3)]
        names = [f"{name} of table {table + 1}" for name in SCREEN_NAMES]
        parts: list[str] = []
        while len(parts) < HANDS_EACH:
            try:
                actions = Table(chance, habits).play()
            except ValueError:
                continue
            parts.append(written(len(parts) + 1, actions, names))
        (HANDS / f"table-{table + 1}.phhs").write_text("\n".join(parts), encoding="utf-8")


def written(number: int, actions: list[str], names: list[str]) -> str:
    """One hand as a TOML table."""
    listed = "".join(f'  "{action}",\n' for action in actions)
    quoted = ", ".join(f'"{name}"' for name in names)
    return (
        f'[{number}]\nvariant = "NT"\nantes = [0, 0, 0]\nblinds_or_straddles = [{SMALL}, {BIG}, 0]\nmin_bet = {BIG}\n'
        f"starting_stacks = [{STACK}, {STACK}, {STACK}]\nplayers = [{quoted}]\nactions = [\n{listed}]\n"
    )


if __name__ == "__main__":
    main()
