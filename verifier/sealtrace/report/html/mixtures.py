"""The worst mixture over the l1 ball: a map's bounds against the radius."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from sealtrace.contract.details import ChosenMap, Details, Mixture
from sealtrace.report.html.figure import Figure
from sealtrace.report.html.svg import Axis, apart, around, declared, line, picture, short, tag, words

_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 276.0, 18.0, 212.0
_LABELS = 292.0

Curve = tuple[float, ...]


def mixture_plots(details: Details) -> Figure | None:
    """Risk and utility bounds of every map that states them; None where none does."""
    panels = [
        _panel(details, "Worst risk bound", lambda one: one.risk_upper, details.budget),
        _panel(details, "Worst utility bound", lambda one: one.utility_lower, None),
    ]
    pictures = [panel for panel in panels if panel is not None]
    if not pictures:
        return None
    stating = [one for one in details.maps if one.mixtures]
    return Figure(
        title="Worst mixture over the l1 ball",
        caption="How each map's bounds fall off as the mixture of groups may move: at radius 0 it stays as calibrated, "
        "at 2 it may be any mixture." + (f" The declared radius is {details.radius}." if details.radius else ""),
        pictures=pictures,
        columns=["Selector", "Map", "Radius", "Risk bound", "Utility bound"],
        rows=[
            [
                one.selector,
                " / ".join(one.assigned.values()),
                short(mixture.radius),
                "" if mixture.risk_upper is None else short(mixture.risk_upper),
                "" if mixture.utility_lower is None else short(mixture.utility_lower),
            ]
            for one in stating
            for mixture in one.mixtures[::10]
        ],
    )


def _panel(details: Details, title: str, value: Callable[[Mixture], float | None], budget: str | None) -> Markup | None:
    curves: dict[Curve, list[ChosenMap]] = {}
    for one in details.maps:
        values = [value(mixture) for mixture in one.mixtures]
        if values and None not in values:
            curves.setdefault(tuple(number for number in values if number is not None), []).append(one)
    if not curves:
        return None
    limit = declared(budget)
    numbers = [number for curve in curves for number in curve] + ([] if limit is None else [limit])
    across, up = Axis(0.0, 2.0, _LEFT, _RIGHT), around(numbers, _BOTTOM, _TOP)
    parts = [words(title, 0, 9, "strong")]
    parts += [line(_LEFT, up.at(tick), _RIGHT, up.at(tick), "grid") for tick in up.ticks()]
    parts += [words(short(tick), _LEFT - 5, up.at(tick) + 3.5, "tick", "end") for tick in up.ticks()]
    parts += [words(short(tick), across.at(tick), _BOTTOM + 14, "tick", "middle") for tick in across.ticks()]
    parts.append(words("radius of the l1 ball", (_LEFT + _RIGHT) / 2, _BOTTOM + 29, "soft", "middle"))
    if (radius := declared(details.radius)) is not None:
        rho = across.at(radius)
        parts.append(line(rho, _TOP, rho, _BOTTOM, "declared"))
        parts.append(words("ρ", rho + 3, _TOP + 8, "soft"))
    if limit is not None:
        parts.append(line(_LEFT, up.at(limit), _RIGHT, up.at(limit), "limit"))
        parts.append(words(f"budget {budget}", _RIGHT, up.at(limit) - 4, "soft", "end"))
    heights = apart([up.at(curve[-1]) for curve in curves], 12, _TOP, _BOTTOM)
    for place, ((curve, maps), height) in enumerate(zip(curves.items(), heights, strict=True)):
        radii = [mixture.radius for mixture in maps[0].mixtures]
        points = [f"{across.at(radius):.1f} {up.at(number):.1f}" for radius, number in zip(radii, curve, strict=True)]
        parts.append(
            tag(
                "path",
                tag("title", ", ".join(one.selector for one in maps)),
                d="M" + "L".join(points),
                class_=f"curve f{place % 7}",
            )
        )
        end = up.at(curve[-1])
        parts.append(tag("path", d=f"M{_RIGHT} {end:.1f}L{_LABELS - 6:.1f} {height:.1f}", class_="lead"))
        more = f" +{len(maps) - 1}" if len(maps) > 1 else ""
        parts.append(words(f"{maps[0].selector}{more}", _LABELS - 4, height + 3.5, "label"))
    said = "; ".join(
        f"{', '.join(one.selector for one in maps)}: {short(curve[0])} at radius 0, {short(curve[-1])} at 2"
        for curve, maps in curves.items()
    )
    return picture(f"{title} against the radius", f"{said}.", _BOTTOM + 36, *parts)
