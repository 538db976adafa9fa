"""The empirical-zero rule against an enumeration."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealtrace.studies.policies.mathematics.scores import ScaleChoice, empirical_zero

grids = st.lists(st.tuples(st.fractions(0, 10), st.integers(0, 2)), unique_by=lambda item: item[0])


@given(grids)
def test_empirical_zero(items: list[tuple[Fraction, int]]) -> None:
    """The largest scale without a crossing, whatever the order of the grid."""
    grid, counts = [scale for scale, _ in items], [count for _, count in items]
    free = [scale for scale, count in items if count == 0]
    found = empirical_zero(grid, counts)
    assert found.certified == tuple(free)
    assert found.chosen == (sorted(free)[-1] if free else None)


def test_crossings_need_not_grow_with_the_scale() -> None:
    """A larger scale without crossings is taken although a smaller one crosses."""
    grid = [Fraction(0), Fraction(1, 3), Fraction(1, 2)]
    assert empirical_zero(grid, [0, 2, 0]) == ScaleChoice((Fraction(0), Fraction(1, 2)), Fraction(1, 2))


def test_no_certified_candidate() -> None:
    """Nothing admitted is an answer: no scale is made up."""
    assert empirical_zero([Fraction(0), Fraction(1)], [1, 1]) == ScaleChoice((), None)


def test_counts_must_match_the_grid() -> None:
    """A count too few is misuse, not a shorter grid."""
    with pytest.raises(ValueError, match="shorter"):
        empirical_zero([Fraction(0), Fraction(1)], [0])
