"""The data: leaves of four trees, each with four measurements, and the split."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

CLASSES = ("birch", "oak", "pine", "shepherd's tree")
CENTRES = ((0.0, 0.0, 0.4, 0.0), (1.5, 0.2, 0.0, 0.5), (0.3, 1.7, 0.2, 0.0), (1.3, 1.4, 0.0, 1.2))
ITEMS = 400
TRAINING_ITEMS = 160
SEED = 2024

Vector = tuple[float, ...]


@dataclass(frozen=True)
class Item:
    """One leaf."""

    name: str
    split: str
    label: str
    features: Vector


def items() -> list[Item]:
    """All leaves, in the order of their names; the first ones are for training."""
    random = Random(SEED)
    return [_item(number, random) for number in range(1, ITEMS + 1)]


def _item(number: int, random: Random) -> Item:
    kind = math.floor(random.random() * len(CLASSES))
    features = tuple(centre + 0.6 * _bell(random) for centre in CENTRES[kind])
    split = "train" if number <= TRAINING_ITEMS else "test"
    return Item(f"leaf-{number:03d}", split, CLASSES[kind], features)


def _bell(random: Random) -> float:
    """Nearly normal. `random.gauss` needs logarithms, which platforms round differently."""
    return math.fsum(random.random() for _ in range(12)) - 6
