"""Certificates and maps for people: a block per group, then a paragraph per selector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sealtrace.report.findings import times
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.text import titled, wrapped
from sealtrace.studies.policies.certifying import Assigned, Certified, Competitor, Group, PartitionTable, SelectorChoice

NOT_CERTIFIED = "A choice made after looking at the calibration scores is not certified."
_NAME, _MARK = "candidate", "certified"
"""The headings of the first and the last column."""
_HEADINGS = ("k/n", "U", "mean", "L")
_NARROW = ("k/n", "U", "L")
_INDENT = "  "


def render_text(found: Certified, *, width: int = 80, paint: Paint = plain) -> str:
    """The whole answer, no line wider than `width` unless a digest is."""
    lines = [
        *_headline(found, width, paint),
        *_exploratory(found, width, paint),
        *_setting(found, width),
        *(line for one in found.partitions for line in _partition(one, width, paint)),
        *(line for one in found.selectors for line in _choice(one, found, width, paint)),
        *_assumptions(found, width),
        *(
            line
            for reason in found.missing
            for line in ["", *_titled("missing", f": {reason}", width, paint, "yellow")]
        ),
        *_exploratory(found, width, paint),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _headline(found: Certified, width: int, paint: Paint) -> Iterator[str]:
    said = "recomputed from the records; `sealtrace verify` checks the records themselves"
    yield from _titled(harmless(found.name) or "unnamed bundle", f"  {said}", width, paint, "cyan")
    if found.root_sha256:
        yield f"root {found.root_sha256}"


def _exploratory(found: Certified, width: int, paint: Paint) -> Iterator[str]:
    if not found.exploratory:
        return
    changes = ", ".join(
        f"{name} {one.explored}" + ("" if one.declared is None else f" instead of {one.declared}")
        for name, one in found.changed.items()
    )
    yield ""
    yield from _titled("EXPLORATORY", f": {changes}. {NOT_CERTIFIED}", width, paint, "yellow")


def _setting(found: Certified, width: int) -> Iterator[str]:
    """What is declared, or explored instead; what is not declared is left out."""
    known = found.setting
    if not known:
        return
    bounds = known["utility_range"]
    parts = (
        ("tau {}", known["tau"]),
        ("epsilon {} in groups", known["epsilon_group"]),
        ("epsilon {} over mixtures", known["epsilon_global"]),
        ("zeta {} for risk", known["zeta_risk"]),
        ("zeta {} for utility", known["zeta_util"]),
        ("rho {}", known["rho"]),
        ("risk by {}", known["risk"]),
        ("utility by {}" + ("" if bounds is None else f" in [{bounds[0]}, {bounds[1]}]"), known["utility"]),
        (f"{known['states']} states of {{}}", known["split"]),
    )
    yield ""
    yield from _wrapped("; ".join(form.format(value) for form, value in parts if value is not None), width)
    grouped = found.missing or found.partitions or any(one.partition is not None for one in found.selectors)
    if found.selectors and not grouped:
        yield ""
        yield from _wrapped("The study certifies nothing in groups.", width)


# Certificates


@dataclass(frozen=True)
class _Layout:
    """How the blocks of a partition are set."""

    headings: tuple[str, ...]
    columns: tuple[int, ...]
    """Widths of the figures, the same in all blocks."""
    names: int
    """The width of names; 0 where they stand on lines of their own."""

    @property
    def width(self) -> int:
        return len(_INDENT) + self.names + sum(column + 2 for column in self.columns) + 2 + len(_MARK)


def _layout(one: PartitionTable, width: int) -> _Layout:
    """The widest form that fits: without means where room is scarce, and with names on lines of their own at last."""
    names = [harmless(competitor.candidate) for group in one.groups for competitor in group.candidates]
    longest = max(map(len, [*names, _NAME]))
    for headings, room in ((_HEADINGS, longest), (_NARROW, longest), (_NARROW, 0)):
        columns = tuple(
            max(
                len(heading), *(len(_figure(heading, group, each)) for group in one.groups for each in group.candidates)
            )
            for heading in headings
        )
        layout = _Layout(headings, columns, room)
        if layout.width <= width:
            break
    return layout


def _partition(one: PartitionTable, width: int, paint: Paint) -> Iterator[str]:
    yield ""
    yield from _titled(harmless(one.name), f"  partition, {times(len(one.groups), 'group')}", width, paint, "cyan")
    layout = _layout(one, width)
    for place, group in enumerate(one.groups):
        if place:
            yield ""
        yield from _block(group, layout, width, paint)


_FIELDS = {"U": "risk_upper", "mean": "utility_mean", "L": "utility_lower"}


def _figure(heading: str, group: Group, one: Competitor) -> str:
    return f"{one.crossings}/{group.states}" if heading == "k/n" else _number(getattr(one, _FIELDS[heading]))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _block(group: Group, layout: _Layout, width: int, paint: Paint) -> Iterator[str]:
    """The certificates of one group."""
    decided = [one.certified for one in group.candidates if one.certified is not None]
    own = "" if group.epsilon is None else f"epsilon {group.epsilon}, "
    count = f"{sum(decided)} of {len(group.candidates)} certified" if decided else "nothing is certified"
    room = layout.width if layout.names else width
    yield from _wrapped(f"{group.group}: n = {group.states}, {own}{count}", room, _INDENT, _INDENT * 2)

    def row(name: str, figures: Sequence[str], mark: str) -> Iterator[str]:
        if not layout.names:
            yield from _wrapped(name, width, _INDENT)
        body = f"{_INDENT}{name:<{layout.names}}" if layout.names else _INDENT
        yield body + "".join(f"  {text:>{column}}" for text, column in zip(figures, layout.columns, strict=True)) + mark

    yield from row(_NAME, layout.headings, f"  {_MARK}")
    marks = {True: paint("yes", "green"), False: paint("no", "red"), None: "-"}
    for one in group.candidates:
        figures = [_figure(name, group, one) for name in layout.headings]
        yield from row(harmless(one.candidate), figures, f"  {marks[one.certified]}")


# Maps


def _choice(one: SelectorChoice, found: Certified, width: int, paint: Paint) -> Iterator[str]:
    yield ""
    place = f"groups of {one.partition}" if one.partition is not None else "the scale grid, without groups"
    compared = "" if found.exploratory or not one.map else f"; {_SEALED[one.sealed]}"
    colour = "red" if compared and one.sealed == "differs" else "cyan"
    yield from _titled(harmless(one.selector), f"  rule {one.rule}, {place}{compared}", width, paint, colour)
    if one.map:
        if one.counts:
            counted = ", ".join(f"{count.candidate} {count.crossings}/{count.states}" for count in one.counts)
            yield from _item(f"crossings: {counted}", width)
        yield from _item(_map(one.map), width)
        yield from _item(_bounds(one), width)
        yield from _item(f"why: {_why(one)}", width)
    else:
        yield from _item("not computed: see what is missing below", width)
    if found.exploratory:
        declared = "the same" if one.declared is None else _map(one.declared) or "nothing that could be computed"
        yield from _item(f"the declared setting chooses {declared}", width)
        return
    for difference in one.differences:
        yield from _item(difference, width)


def _item(text: str, width: int) -> Iterator[str]:
    return _wrapped(text, width, _INDENT, _INDENT * 2)


_SEALED = {"same": "as sealed", "differs": "differs from the sealed record", "none": "no sealed record to compare with"}


def _map(assigned: Sequence[Assigned]) -> str:
    return ", ".join(
        (f"{one.group} -> " if one.group is not None else "chosen: ")
        + one.candidate
        + (" (NO-CERTIFIED-CANDIDATE)" if one.outcome == "no-certified-candidate" else "")
        for one in assigned
    )


def _bounds(one: SelectorChoice) -> str:
    stated = [
        f"{name} {_number(value)}"
        for name, value in (("risk at most", one.risk_upper), ("utility at least", one.utility_lower))
        if value is not None
    ]
    if not stated:
        return "the rule states no bound of its map" if one.partition is not None else "counted, not certified"
    if one.radius in (None, "0"):
        where = "at the calibration mixture of groups"
    else:
        where = f"at every mixture of groups within {one.radius} (l1) of the calibration mixture"
    return f"{', '.join(stated)}, {where}"


def _why(one: SelectorChoice) -> str:
    if all(assigned.outcome == "no-certified-candidate" for assigned in one.map):
        return "the rule admits no candidate, so that the anchor is deployed"
    binds = "the global budget can bind, and " if one.global_budget == "can-bind" else ""
    return f"{binds}{one.reason}"


def _assumptions(found: Certified, width: int) -> Iterator[str]:
    if not found.assumptions:
        return
    yield ""
    yield "Assumed, not verified:"
    for assumption in found.assumptions:
        yield from _item(f"- {assumption}", width)


def _titled(title: str, text: str, width: int, paint: Paint, colour: str) -> Iterator[str]:
    return titled((title, colour), text, width, paint, _INDENT, broken=True)


def _wrapped(text: str, width: int, first: str = "", rest: str | None = None) -> Iterator[str]:
    return wrapped(text, width, first, rest, broken=True)
