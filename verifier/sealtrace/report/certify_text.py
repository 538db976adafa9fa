"""Certificates and maps for people: a block per group, then a paragraph per selector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sealtrace.report.findings import times
from sealtrace.report.formats import Paint, plain
from sealtrace.report.inert import harmless
from sealtrace.report.sheet import TextSheet
from sealtrace.studies.policies.certified import (
    Certified,
    ChosenCandidate,
    Competitor,
    GroupTable,
    PartitionTable,
    SelectorChoice,
)

NOT_CERTIFIED = "A choice made after looking at the calibration scores is not certified."
_NAME, _MARK = "candidate", "certified"
"""The headings of the first and the last column."""
_HEADINGS = ("k/n", "U", "mean", "L")
_NARROW = ("k/n", "U", "L")
_INDENT = "  "
LEGEND = {
    "arm@scale": "a candidate: its arm, and the scale of its tilt; the anchor, which it is compared with, has none",
    "k/n": "calibration states of the group that cross, of all n; a state crosses where d < -tau",
    "d": "what the risk evaluator expects of the candidate, less what it expects of the anchor, at the same state",
    "U": "the Clopper-Pearson bound: the share of states that cross is at most U",
    "mean": "the mean utility of the group's calibration states, from 0 to 1 over the utility range",
    "L": "the Hoeffding bound: that mean is at least L at deployment",
    "certified": "U is at most the group's epsilon",
}
"""The columns of the certificates, and what they are made of."""
MOST_REMOVED = 3
"""Removed options that are shown with their arithmetic; all are in the JSON form."""


def render_text(found: Certified, *, width: int = 80, paint: Paint = plain) -> str:
    """The whole answer, no line wider than `width` unless a digest is."""
    sheet = TextSheet(width, paint, broken=True)
    said = "recomputed from the records; `sealtrace verify` checks the records themselves"
    sheet.titled(harmless(found.name) or "unnamed bundle", "cyan", f"  {said}", _INDENT)
    if found.title:
        sheet.say(found.title)
    if found.root_sha256:
        sheet.line(f"root {found.root_sha256}")
    _exploratory(sheet, found)
    _setting(sheet, found)
    for table in found.partitions:
        _partition(sheet, table)
    for choice in found.selectors:
        _choice(sheet, choice, found)
    if found.assumptions:
        sheet.gap()
        sheet.line("Assumed, not verified:")
    for assumption in found.assumptions:
        _item(sheet, f"- {assumption}")
    for reason in found.missing:
        sheet.gap()
        sheet.titled("missing", "yellow", f": {reason}", _INDENT)
    _exploratory(sheet, found)
    return str(sheet)


def _exploratory(sheet: TextSheet, found: Certified) -> None:
    if found.exploratory:
        changes = ", ".join(
            f"{name} {change.explored}" + ("" if change.declared is None else f" instead of {change.declared}")
            for name, change in found.changed.items()
        )
        sheet.gap()
        sheet.titled("EXPLORATORY", "yellow", f": {changes}. {NOT_CERTIFIED}", _INDENT)


def _setting(sheet: TextSheet, found: Certified) -> None:
    """What is declared, or explored instead; what is not declared is left out."""
    known = found.setting
    if not known:
        return
    bounds = known["utility_range"]
    utility = known["utility"] + ("" if bounds is None else f" in [{bounds[0]}, {bounds[1]}]")
    states = None if known["split"] is None else f"{known['states']} of {known['split']}"
    parts = (
        ("tau", known["tau"], "how much a candidate may lose against the anchor in a state before the state crosses"),
        ("epsilon in groups", known["epsilon_group"], "the largest share of a group's states that may cross"),
        ("epsilon over mixtures", known["epsilon_global"], "the same for all groups together, however they are mixed"),
        ("zeta for risk", known["zeta_risk"], "the chance that any bound U fails, shared among candidates and groups"),
        ("zeta for utility", known["zeta_util"], "the same for the bounds L"),
        ("rho", known["rho"], "how far the mixture of groups may move, as a sum of absolute differences (l1)"),
        ("risk by", known["risk"], "the evaluator that decides whether a state crosses"),
        ("utility by", utility, "the evaluator of the mean and of L, and its range"),
        ("states", states, "what all of this is counted on"),
    )
    sheet.gap()
    sheet.line("Declared:" if not found.exploratory else "Declared, or explored instead:")
    for name, value, meaning in parts:
        if value is not None:
            _item(sheet, f"{name} {value}: {meaning}")
    grouped = found.missing or found.partitions or any(selector.partition is not None for selector in found.selectors)
    if found.selectors and not grouped:
        sheet.gap()
        sheet.say("The study certifies nothing in groups.")
    elif grouped:
        sheet.line("Columns:")
        for symbol, meaning in LEGEND.items():
            _item(sheet, f"{symbol}: {meaning}")


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


def _layout(table: PartitionTable, width: int) -> _Layout:
    """The widest form that fits: without means where room is scarce, and with names on lines of their own at last."""
    names = [harmless(competitor.candidate) for group in table.groups for competitor in group.candidates]
    longest = max(map(len, [*names, _NAME]))
    for headings, name_width in ((_HEADINGS, longest), (_NARROW, longest), (_NARROW, 0)):
        columns = tuple(
            max(
                len(heading),
                *(len(_figure(heading, group, each)) for group in table.groups for each in group.candidates),
            )
            for heading in headings
        )
        layout = _Layout(headings, columns, name_width)
        if layout.width <= width:
            break
    return layout


def _partition(sheet: TextSheet, table: PartitionTable) -> None:
    sheet.gap()
    sheet.titled(harmless(table.name), "cyan", f"  partition, {times(len(table.groups), 'group')}", _INDENT)
    layout = _layout(table, sheet.width)
    for place, group in enumerate(table.groups):
        if place:
            sheet.gap()
        _block(sheet, group, layout)


_FIELDS = {"U": "risk_upper", "mean": "utility_mean", "L": "utility_lower"}


def _figure(heading: str, group: GroupTable, competitor: Competitor) -> str:
    return (
        f"{competitor.crossings}/{group.states}" if heading == "k/n" else _number(getattr(competitor, _FIELDS[heading]))
    )


def _number(value: float | None) -> str:
    # Adding zero takes the sign from a number that rounds to zero.
    return "-" if value is None else f"{round(value, 4) + 0.0:.4f}"


def _block(sheet: TextSheet, group: GroupTable, layout: _Layout) -> None:
    decided = [competitor.certified for competitor in group.candidates if competitor.certified is not None]
    own = "" if group.epsilon is None else f"epsilon {group.epsilon}, "
    count = f"{sum(decided)} of {len(group.candidates)} certified" if decided else "nothing is certified"
    _item(sheet, f"{group.group}: n = {group.states}, {own}{count}")

    def row(name: str, figures: Sequence[str], mark: str) -> None:
        if not layout.names:
            sheet.say(name, _INDENT)
        body = f"{_INDENT}{name:<{layout.names}}" if layout.names else _INDENT
        columns = zip(figures, layout.columns, strict=True)
        sheet.line(body + "".join(f"  {text:>{column}}" for text, column in columns) + f"  {mark}")

    row(_NAME, layout.headings, _MARK)
    marks = {True: sheet.paint("yes", "green"), False: sheet.paint("no", "red"), None: "-"}
    for competitor in group.candidates:
        figures = [_figure(name, group, competitor) for name in layout.headings]
        row(harmless(competitor.candidate), figures, marks[competitor.certified])


# Maps


def _choice(sheet: TextSheet, chosen: SelectorChoice, found: Certified) -> None:
    place = f"groups of {chosen.partition}" if chosen.partition is not None else "the scale grid, without groups"
    compared = "" if found.exploratory or not chosen.map else f"; {_SEALED[chosen.sealed]}"
    colour = "red" if compared and chosen.sealed == "differs" else "cyan"
    sheet.gap()
    sheet.titled(harmless(chosen.selector), colour, f"  rule {chosen.rule}, {place}{compared}", _INDENT)
    if chosen.counts and chosen.map:
        counted = ", ".join(f"{count.candidate} {count.crossings}/{count.states}" for count in chosen.counts)
        _item(sheet, f"crossings: {counted}")
    if chosen.map:
        _item(sheet, _map(chosen.map))
        _item(sheet, _bounds(chosen))
        _item(sheet, f"why: {_why(chosen)}")
        for sentence in _budget(chosen, found.setting and found.setting["epsilon_global"]):
            _item(sheet, sentence)
    else:
        _item(sheet, "not computed: see what is missing below")
    if found.exploratory:
        declared = "the same" if chosen.declared is None else _map(chosen.declared) or "nothing that could be computed"
        _item(sheet, f"the declared setting chooses {declared}")
    for difference in chosen.differences if not found.exploratory else ():
        _item(sheet, difference)


def _item(sheet: TextSheet, text: str) -> None:
    sheet.say(text, _INDENT, _INDENT * 2)


_SEALED = {"same": "as sealed", "differs": "differs from the sealed record", "none": "no sealed record to compare with"}


def _map(assigned: Sequence[ChosenCandidate]) -> str:
    return ", ".join(
        (f"{assignment.group} -> " if assignment.group is not None else "chosen: ")
        + assignment.candidate
        + (" (NO-CERTIFIED-CANDIDATE)" if assignment.outcome == "no-certified-candidate" else "")
        for assignment in assigned
    )


def _bounds(chosen: SelectorChoice) -> str:
    stated = [
        f"{name} {_number(value)}"
        for name, value in (("risk at most", chosen.risk_upper), ("utility at least", chosen.utility_lower))
        if value is not None
    ]
    if not stated:
        return "the rule states no bound of its map" if chosen.partition is not None else "counted, not certified"
    if chosen.radius in (None, "0"):
        where = "at the calibration mixture of groups"
    else:
        where = f"at every mixture of groups within {chosen.radius} (l1) of the calibration mixture"
    return f"{', '.join(stated)}, {where}"


def _budget(chosen: SelectorChoice, budget: str | None) -> Iterator[str]:
    """What the global budget does to a map's options, with the numbers that show it."""
    if chosen.removed:
        shown = [
            f"{one.group} {one.candidate} (U {_number(one.risk_upper)} x share {_number(one.share)} = "
            f"{_number(one.risk)} > {budget})"
            for one in chosen.removed[:MOST_REMOVED]
        ]
        if more := len(chosen.removed) - len(shown):
            shown.append(f"and {more} more")
        options = times(len(chosen.removed), "certified option")
        yield f"the global budget removes {options}, each too risky even alone: {', '.join(shown)}"
    if chosen.global_budget in ("idle", "removes"):
        yield (
            f"the riskiest options that are left have a worst risk of {_number(chosen.largest_risk)} together, "
            f"within {budget}: the global budget cannot bind among them"
        )


def _why(chosen: SelectorChoice) -> str:
    if all(assigned.outcome == "no-certified-candidate" for assigned in chosen.map):
        return "the rule admits no candidate, so that the anchor is deployed"
    binds = "the global budget can bind, and " if chosen.global_budget == "can-bind" else ""
    return f"{binds}{chosen.reason}"
