"""The frontier of utility against violation on the held-out states."""

from __future__ import annotations

from markupsafe import Markup

from sealtrace.contract.details import Frontier, Reached
from sealtrace.report.html.figure import Figure
from sealtrace.report.html.svg import SHAPES, WIDTH, Axis, apart, around, line, mark, picture, short, tag, words

_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 276.0, 14.0, 268.0
_LABELS = 292.0


def frontier_plot(frontier: Frontier) -> Figure:
    """Candidates by family, what nothing surpasses joined by a line, and what each selector chose."""
    families = list(dict.fromkeys(one.family or "" for one in frontier.candidates))
    shapes = {family: SHAPES[place % len(SHAPES)] for place, family in enumerate(families)}
    return Figure(
        title=f"{frontier.evaluator.capitalize()} EV against violation",
        caption=f"Every candidate on the split {frontier.split}. The line joins those that no other surpasses in both."
        + (" Crosses are what selectors chose." if frontier.chosen else ""),
        pictures=[_drawn(frontier, shapes)],
        columns=["Policy", "Family", f"Mean {frontier.evaluator} EV", "Crossings", "States", "Violation", "Surpassed"],
        rows=[
            [
                one.name,
                one.family or "a selector's choice",
                short(one.utility),
                str(one.crossings),
                str(one.states),
                short(rate(one)),
                "no" if one in best_of(frontier.candidates + frontier.chosen) else "yes",
            ]
            for one in [*frontier.candidates, *frontier.chosen]
        ],
        legend=[_key(shapes[family], f"f{place % len(SHAPES)}", family) for place, family in enumerate(families)]
        + ([_key("cross", "choice", "chosen by a selector")] if frontier.chosen else []),
    )


def rate(one: Reached) -> float:
    """The share of states that cross."""
    return one.crossings / one.states


def best_of(policies: list[Reached]) -> list[Reached]:
    """Those that no other surpasses, by rising violation."""
    best: list[Reached] = []
    for one in sorted(policies, key=lambda one: (one.crossings, -one.utility)):
        if not best or one.utility > best[-1].utility:
            best.append(one)
    return best


def _key(shape: str, class_: str, name: str) -> Markup:
    """An entry of the legend."""
    drawn = tag("svg", mark(shape, 8, 8, f"dot {class_}"), viewBox="0 0 16 16", aria_hidden="true", class_="key")
    return Markup("{}{}").format(drawn, tag("span", name))


def _drawn(frontier: Frontier, shapes: dict[str, str]) -> Markup:
    everything = [*frontier.candidates, *frontier.chosen]
    across = around([rate(one) for one in everything], _LEFT, _RIGHT)
    up = around([one.utility for one in everything], _BOTTOM, _TOP)
    best = best_of(frontier.candidates)
    path = "M" + "L".join(f"{across.at(rate(one)):.1f} {up.at(one.utility):.1f}" for one in best)
    parts = [*_axes(across, up, frontier.evaluator), tag("path", d=path, class_="front")]
    for one in frontier.candidates:
        family = one.family or ""
        told = f"{one.name}: {short(one.utility)}, {one.crossings}/{one.states} cross"
        class_ = f"dot f{list(shapes).index(family) % len(SHAPES)}"
        parts.append(mark(shapes[family], across.at(rate(one)), up.at(one.utility), class_, told))
    labels: dict[tuple[float, float], list[str]] = {}
    for one in frontier.chosen or best:
        labels.setdefault((across.at(rate(one)), up.at(one.utility)), []).append(one.name)
    heights = apart([y for _, y in labels], 12, _TOP, _BOTTOM)
    for ((x, y), names), height in zip(labels.items(), heights, strict=True):
        if frontier.chosen:
            parts.append(mark("cross", x, y, "dot choice", ", ".join(names)))
        bent = f"M{x:.1f} {y:.1f}L{_LABELS - 10:.1f} {height:.1f}H{_LABELS - 3:.1f}"
        parts.append(tag("path", d=bent, class_="lead"))
        more = f" +{len(names) - 1}" if len(names) > 1 else ""
        parts.append(words(f"{names[0]}{more}", _LABELS, height + 3.5, "label"))
    said = (
        f"{len(frontier.candidates)} candidates on {frontier.split}; unsurpassed, by rising violation: "
        + "; ".join(f"{one.name} with {short(one.utility)} at {one.crossings} of {one.states}" for one in best)
        + "."
    )
    return picture(f"{frontier.evaluator} EV against violation", said, _BOTTOM + 36, *parts, width=WIDTH)


def _axes(across: Axis, up: Axis, evaluator: str) -> list[Markup]:
    parts = [words(f"mean {evaluator} EV", _LEFT, _TOP - 4, "soft")]
    # A share is never negative, whatever room the axis leaves.
    for tick in (tick for tick in across.ticks() if tick >= 0):
        parts.append(line(across.at(tick), _TOP, across.at(tick), _BOTTOM, "grid"))
        parts.append(words(short(tick), across.at(tick), _BOTTOM + 14, "tick", "middle"))
    for tick in up.ticks():
        parts.append(line(_LEFT, up.at(tick), _RIGHT, up.at(tick), "grid"))
        parts.append(words(short(tick), _LEFT - 5, up.at(tick) + 3.5, "tick", "end"))
    parts.append(words("violation, share of states", (_LEFT + _RIGHT) / 2, _BOTTOM + 29, "soft", "middle"))
    return parts
