"""Numbers in the wrong row, which only the text shows."""

from __future__ import annotations

import pytest

from relations.families.small_papers import decided, read, table
from sealtrace.relations.decision import Status

_ROWS = {"Elm": "6,933 | 0.663", "Oak": "95,144 | 0.758", "Ash": "736 | 0.898", "Yew": "104 | 0.741"}
_TEXT = (
    "By median shift Oak's 0.758 is second to Ash's 0.898. Of the trees in the table, Yew (104) and Ash (736) are few."
)


def _suspected(prose: str, **changed: str) -> list[str]:
    rows = [f"{name} | {cells}" for name, cells in (_ROWS | changed).items()]
    paper = read(table("Trees in the table, and their shift.", "Kind | Trees | Median shift", rows), prose=prose)
    return [one.claim.sentence for one in decided(paper) if one.status is Status.SUSPICION]


def test_two_cells_that_changed_places_are_found_by_what_the_text_says_of_them() -> None:
    """The text gives the row a number, and the next row prints it."""
    assert _suspected(_TEXT) == []
    swapped = _suspected(_TEXT, Elm="6,933 | 0.758", Oak="95,144 | 0.663")
    assert len(swapped) == 1
    assert "'Oak', which prints 0.663; the table prints that in the row 'Elm'" in swapped[0]
    both = _suspected(_TEXT, Oak="95,144 | 0.898", Ash="736 | 0.758")
    assert len(both) == 1
    assert "'Oak'" in both[0]
    assert "'Ash'" in both[0]


def test_a_cell_that_repeats_its_neighbour_is_found_by_what_the_text_says_of_it() -> None:
    """The text gives the row a number that stands nowhere, and the row prints what the one above it does."""
    assert len(_suspected(_TEXT, Oak="95,144 | 0.663")) == 1
    assert len(_suspected(_TEXT, Yew="736 | 0.741")) == 1
    assert _suspected("By median shift Oak's 0.758 is second.", Elm="6,933 | 1.000", Oak="95,144 | 1.000") == []
    assert _suspected("By median shift it is so for Oak (0.758 versus 0.9).", Oak="95,144 | 0.663") == []


@pytest.mark.parametrize(
    "prose",
    [
        "By median shift Oak is ahead of Elm (0.758 vs 0.66).",
        "By median shift it is so for Elm and Oak (0.663 and 0.758, respectively).",
        "By median shift it is 0.758 for the second; Elm has a median shift of 0.663.",
        "By median shift it is 0.663 for Elm, 0.758 for others, and more elsewhere.",
        "By median shift it is 0.663 for Elm, 0.758 after all.",
        "By median shift Elm gains 0.663–0.758 of its length.",
        "By median shift Elm grows 0.758 higher than before.",
    ],
)
def test_numbers_that_are_of_another_row_or_of_none(prose: str) -> None:
    """Pairs, lists in step, ranges and differences leave both rows what they print."""
    assert _suspected(prose) == []
