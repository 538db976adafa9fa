"""Relations between printed numbers for people: what is known of one, in the same words in every format."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sealtrace.contract.result import ClaimNumber, ClaimResult

NUMBERS = 8
"""How many numbers of one relation are printed."""
BROKEN = ("contradiction", "suspicion", "rounding", "question")
"""Grades of relations that cannot hold; the first is proved, the others are not."""
_WORKS = {True: "would repair it", False: "would not repair it", None: "undecided whether it would repair it"}


def known_of(claim: ClaimResult) -> dict[str, Sequence[str]]:
    """What is known of a relation, by name, in the order in which it is read."""
    members = [f"{number.printed}  {place_text(number)}" for number in claim.numbers]
    more = [f"... and {len(members) - NUMBERS} more"] if len(members) > NUMBERS else []
    chance = "" if claim.chance is None else f" ({claim.chance:.1g} expected by chance)"
    source = (
        ("written", claim.place) if claim.grade == "refused"
        else ("stands in" if claim.family == "claims" else "read from" if claim.evidence else "implied by", claim.quote)
    )  # fmt: skip
    known: dict[str, Sequence[str | None]] = {
        source[0]: [source[1]],
        "evidence": [claim.evidence + chance if claim.evidence else None],
        "printed": [*members[:NUMBERS], *more],
        "together": claim.together,
        "arithmetic": [_shortened(line) for line in claim.arithmetic],
        "off by": [distance_text(claim)],
        "assumes": claim.assumes,
        "perhaps": [f"{repair.says}: {_WORKS[repair.works]}" for repair in claim.repairs],
        "refused" if claim.grade == "refused" else "missing": [claim.reason],
        "graded so": claim.missing,
        "to ask": [claim.question],
    }
    return {name: lines for name, values in known.items() if (lines := [value for value in values if value])}


_NOR, _WAYS = "; nor: ", 2


def _shortened(arithmetic: str) -> str:
    """What several readings give: of more than two the first, which is how the words are usually meant."""
    ways = arithmetic.split(_NOR)
    return arithmetic if len(ways) <= _WAYS else f"{ways[0]}; nor does any of {len(ways) - 1} other readings give it"


SOURCES = ("implied by", "read from", "stands in", "written")
"""The names that the first entry of `known_of` can have."""


def distance_text(claim: ClaimResult) -> str | None:
    """How far the nearest number would have to move."""
    if claim.distance is None:
        return None
    amount = float(Fraction(claim.distance))
    size = f"{amount:,.0f}" if amount >= 100 else f"{amount:.3g}"
    units = f"{size} {'unit' if size == '1' else 'units'} of the last printed digit"
    return f"{units} of {bare(claim.nearest)}" if claim.nearest else f"{units}, over several numbers together"


def bare(address: str) -> str:
    """An address without the way in which its number is read, which only formulas need."""
    for reading in ("rounded(", "printed("):
        if address.startswith(reading):
            return bare(address.removeprefix(reading).removesuffix(")"))
    return address


def place_text(number: ClaimNumber) -> str:
    """A printed number's address and line."""
    return f"{bare(number.id)}, line {number.line}" if number.line else bare(number.id)


def is_owed(claim: ClaimResult) -> bool:
    """Whether somebody declared it, so that it should have been decided."""
    return claim.family in ("declared", "claims", "group")
