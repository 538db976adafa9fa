"""States are dealt as a plain loop over Python's generator deals them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sealtrace.mathematics.resampling import deal, stratified_order, systematic


def _plain_order(seed: int, strata: list[list[float]], size: int) -> list[int]:
    generator = random.Random(seed)
    keys = []
    for place in range(size):
        draw = generator.random()
        keys.append(([stratum[place] for stratum in strata], draw, place))
    return [place for _, _, place in sorted(keys)]


@pytest.mark.parametrize("seed", [0, 7, 2**33])
def test_order_is_that_of_a_plain_sort(seed: int) -> None:
    """Strata first, in the order given, then the draw."""
    shuffled = random.Random(seed + 1)
    strata = [[float(shuffled.randrange(3)) for _ in range(200)], [shuffled.choice([0.25, 0.5]) for _ in range(200)]]
    order = stratified_order(seed, [np.array(one) for one in strata], 200)
    assert order.tolist() == _plain_order(seed, strata, 200)


@pytest.mark.parametrize(("size", "wanted"), [(10, 0), (10, 3), (10, 10), (1024, 512), (27648, 512), (7, 6)])
def test_systematic_takes_exactly_as_many_and_evenly(size: int, wanted: int) -> None:
    """Any run of consecutive places holds its share, to within one."""
    taken = systematic(size, wanted)
    assert taken.sum() == wanted
    reached = np.cumsum(taken)
    assert np.abs(reached - np.arange(1, size + 1) * wanted / size).max() < 1 + 1e-9


def test_splits_are_disjoint_and_leave_the_rest() -> None:
    """What one split takes, no later one can."""
    parts = deal(np.arange(100), [10, 20, 70])
    assert sorted(np.concatenate(parts).tolist()) == list(range(100))
    assert [len(part) for part in parts] == [10, 20, 70]


def test_more_than_there_are_is_refused() -> None:
    """Nothing is dealt twice to make up the number."""
    with pytest.raises(ValueError, match="31 states are wanted, and 30 are left"):
        deal(np.arange(40), [10, 31])


def test_one_place_is_taken() -> None:
    """A split of one takes the only place that there is; a split of none takes nothing of nothing."""
    assert systematic(1, 1).tolist() == [True]
    assert systematic(0, 0).tolist() == []
