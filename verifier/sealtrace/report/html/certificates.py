"""Certificates as plots: the risk bound against the budget, and the utility bound, by candidate and group."""

from __future__ import annotations

from markupsafe import Markup

from sealtrace.contract.details import CandidateBound, GroupBounds, PartitionBounds
from sealtrace.report.html.figure import Figure
from sealtrace.report.html.svg import WIDTH, Axis, declared, line, mark, picture, short, tag, words

_ROW, _TOP = 15.0, 34.0
_LABELS, _COUNTS = 96.0, 300.0
_RISK, _UTILITY = (104.0, 256.0), (312.0, WIDTH - 6.0)


def certificate_plots(partition: PartitionBounds) -> Figure:
    """A panel per group, all on the same axes."""
    budget = declared(partition.budget)
    bounds = [one for group in partition.groups for one in group.bounds]
    risk = Axis(0.0, max([one.risk_upper for one in bounds] + [budget or 0.0, 1e-6]) * 1.05, *_RISK)
    lowers = [value for one in bounds for value in (one.utility_lower, one.utility_mean) if value is not None]
    utility = Axis(min([0.0, *lowers]), max([*lowers, 0.0]) * 1.05 or 1.0, *_UTILITY) if lowers else None
    return Figure(
        title=partition.partition,
        caption="A line runs from what was counted to what is certified: k/n to U for risk, the mean to L for "
        "utility. A full dot is certified, a ring is not."
        + (f" The dashed line is the group's budget, {partition.budget}." if partition.budget else ""),
        pictures=[_panel(group, partition, risk, utility, budget) for group in partition.groups],
        columns=["Group", "Candidate", "k", "n", "Risk bound U", "Utility bound L", "Certified"],
        rows=[
            [
                group.group,
                one.candidate,
                str(one.crossings),
                str(group.states),
                short(one.risk_upper),
                "" if one.utility_lower is None else short(one.utility_lower),
                "yes" if one.certified else "no",
            ]
            for group in partition.groups
            for one in group.bounds
        ],
    )


def certified_pairs(partition: PartitionBounds) -> tuple[int, int]:
    """How many pairs of candidate and group are certified, of how many."""
    bounds = [one for group in partition.groups for one in group.bounds]
    return sum(one.certified for one in bounds), len(bounds)


def _panel(
    group: GroupBounds, partition: PartitionBounds, risk: Axis, utility: Axis | None, budget: float | None
) -> Markup:
    bottom = _TOP + _ROW * len(group.bounds)
    parts = [words(f"{group.group}, n = {group.states}", 0, 12, "strong"), words("k/n", _COUNTS, 27, "soft", "end")]
    for axis, name in ((risk, "risk bound U"), (utility, "utility bound L")):
        if axis is None:
            continue
        parts.append(words(name, (axis.start + axis.end) / 2, 27, "soft", "middle"))
        parts += [line(axis.at(tick), _TOP - 3, axis.at(tick), bottom, "grid") for tick in axis.ticks(3)]
        parts += [words(short(tick), axis.at(tick), bottom + 13, "tick", "middle") for tick in axis.ticks(3)]
    if budget is not None:
        parts.append(line(risk.at(budget), _TOP - 3, risk.at(budget), bottom, "limit"))
    for place, one in enumerate(group.bounds):
        parts.append(_row(one, group.states, _TOP + _ROW * place + _ROW / 2, risk, utility))
    certified = sum(one.certified for one in group.bounds)
    said = (
        f"{certified} of {len(group.bounds)} candidates are certified in group {group.group} of {partition.partition} "
        f"with {group.states} calibration states"
        + (f" and the budget {partition.budget}." if partition.budget else ".")
    )
    return picture(f"Certificates of {group.group}", said, bottom + 18, *parts)


def _row(one: CandidateBound, states: int, y: float, risk: Axis, utility: Axis | None) -> Markup:
    class_ = "dot good" if one.certified else "dot ring"
    counted = one.crossings / states if states else 0.0
    told = f"{one.candidate}: {one.crossings}/{states} cross, U = {short(one.risk_upper)}"
    parts = [
        words(one.candidate, _LABELS, y + 3.5, "label", "end"),
        line(risk.at(counted), y, risk.at(one.risk_upper), y, "reach"),
        line(risk.at(counted), y - 3, risk.at(counted), y + 3, "reach"),
        mark("circle", risk.at(one.risk_upper), y, class_, told),
        words(f"{one.crossings}/{states}", _COUNTS, y + 3.5, "tick", "end"),
    ]
    if utility is not None and one.utility_lower is not None:
        if one.utility_mean is not None:
            parts.append(line(utility.at(one.utility_lower), y, utility.at(one.utility_mean), y, "reach"))
            parts.append(line(utility.at(one.utility_mean), y - 3, utility.at(one.utility_mean), y + 3, "reach"))
        told = f"{one.candidate}: L = {short(one.utility_lower)}"
        parts.append(mark("circle", utility.at(one.utility_lower), y, class_, told))
    return tag("g", *parts)
