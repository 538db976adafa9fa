"""Which partial maps no other one surpasses."""

from __future__ import annotations

from collections.abc import Sequence


def undominated(safety: Sequence[int], gain: Sequence[int], slack: int) -> list[int]:
    """The positions, in order, of the labels that no other makes needless; labels come in order of preference.

    A label is needless if another is as safe and gains more, or gains as much and is preferred. Numbers
    that differ by less than the slack count as neither larger nor equal.
    """
    order = sorted(range(len(gain)), key=lambda label: (-safety[label], -gain[label], label))
    kept: list[int] = []
    safer, level = _Rivals(), _Rivals()
    waiting = 0
    for label in order:
        while waiting < len(kept) and safety[kept[waiting]] >= safety[label] + max(slack, 1):
            safer.add(gain[kept[waiting]], kept[waiting])
            waiting += 1
        if level.safety != safety[label]:
            level = _Rivals(safety[label])
        if not (safer.surpass(gain[label], label, slack) or level.surpass(gain[label], label, slack)):
            kept.append(label)
            level.add(gain[label], label)
    return sorted(kept)


class _Rivals:
    """Labels that are as safe as the next one: their largest gain, and the first label of every gain."""

    def __init__(self, safety: int | None = None) -> None:
        self.safety = safety
        self._largest: int | None = None
        self._first: dict[int, int] = {}

    def add(self, gain: int, label: int) -> None:
        self._largest = gain if self._largest is None else max(gain, self._largest)
        self._first[gain] = min(label, self._first.get(gain, label))

    def surpass(self, gain: int, label: int, slack: int) -> bool:
        """Whether one of them makes a label needless."""
        if self._largest is not None and self._largest >= gain + max(slack, 1):
            return True
        return self._first.get(gain, label) < label
