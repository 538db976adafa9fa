"""The stage chain as boxes with arrows between them."""

from __future__ import annotations

from itertools import pairwise

from markupsafe import Markup

from sealtrace.contract.details import StageLink
from sealtrace.report.findings import size_text, times
from sealtrace.report.html.plots import Figure
from sealtrace.report.html.svg import picture, tag, words

_BOX_WIDTH, _BOX_HEIGHT = 168, 66
_GAP_ACROSS, _GAP_DOWN = 32, 34


_CHAIN = ("Stage", "Files", "Bytes", "Kinds", "Digest of the seal", "Names before it", "Link", "Seen from outside by")


def stage_chain(stages: list[StageLink]) -> Figure:
    """Two rows of boxes for a wide page, four for a narrow one."""
    rows = []
    for place, stage in enumerate(stages):
        kinds = ", ".join(f"{number} {kind}" for kind, number in stage.kinds.items()) or stage.empty_reason or ""
        witnesses = "; ".join(stage.witnesses) or "nobody: its time is the authors’ word"
        link = "not sealed" if not stage.sealed else "broken" if not stage.linked else "holds" if place else "first"
        digests = stage.digest or "not sealed", stage.previous or ""
        rows.append([stage.stage, str(stage.files), f"{stage.bytes:,}", kinds, *digests, link, witnesses])
    return Figure(
        title="Stage chain",
        caption="Each seal names the digest of the one before it, so a later stage commits to all earlier ones.",
        pictures=[_drawn(stages, 4), _drawn(stages, 2)],
        columns=list(_CHAIN),
        rows=rows,
        wide=True,
    )


def _drawn(stages: list[StageLink], columns: int) -> Markup:
    rows = -(-len(stages) // columns)
    width = columns * (_BOX_WIDTH + _GAP_ACROSS) - _GAP_ACROSS + 4
    height = rows * (_BOX_HEIGHT + _GAP_DOWN) - _GAP_DOWN + 4
    places = [
        (2.0 + (place % columns) * (_BOX_WIDTH + _GAP_ACROSS), 2.0 + (place // columns) * (_BOX_HEIGHT + _GAP_DOWN))
        for place in range(len(stages))
    ]
    parts = [_link(start, other, stage) for (start, other), stage in zip(pairwise(places), stages[1:], strict=True)]
    parts += [_box(stage, place + 1, *places[place]) for place, stage in enumerate(stages)]
    broken = [link.stage for link in stages if link.sealed and not link.linked]
    absent = [link.stage for link in stages if not link.sealed]
    order = ", ".join(link.stage for link in stages)
    said = f"{len(stages) - len(absent)} of {len(stages)} stages are sealed, in the order {order}"
    said += f". The chain is broken before {', '.join(broken)}." if broken else ". No link is broken."
    said += f" Not sealed: {', '.join(absent)}." if absent else ""
    seen = [link.stage for link in stages if link.witnesses]
    said += f" Seen from outside: {', '.join(seen)}." if seen else " Nobody outside has seen any of them."
    return picture("Stage chain", said, height, *parts, width=width)


def _box(stage: StageLink, number: int, x: float, y: float) -> Markup:
    bad = stage.sealed and not stage.linked
    class_ = "box bad" if bad else "box" if stage.sealed else "box absent"
    told = stage.empty_reason or ", ".join(f"{count} {kind}" for kind, count in stage.kinds.items())
    size = "empty" if stage.sealed and not stage.files else f"{times(stage.files, 'file')}, {size_text(stage.bytes)}"
    return tag(
        "g",
        *([tag("title", f"{stage.stage}: {told}")] if told else []),
        tag("rect", x=x, y=y, width=_BOX_WIDTH, height=_BOX_HEIGHT, rx=6, class_=class_),
        words(f"{number}  {stage.stage}", x + 12, y + 22, "strong"),
        *([words("◆ witnessed", x + 98, y + 22, "soft")] if stage.witnesses else []),
        words(size if stage.sealed else "not sealed", x + 12, y + 39, "soft"),
        words(f"{(stage.digest or '')[:16]}…" if stage.digest else "", x + 12, y + 55, "code soft"),
    )


def _link(start: tuple[float, float], other: tuple[float, float], stage: StageLink) -> Markup:
    """An arrow to the next box; where it turns to the next row, through the gap between rows."""
    broken, beside = stage.sealed and not stage.linked, start[1] == other[1]
    class_ = "link bad" if broken else "link" if stage.sealed else "link absent"
    if beside:
        x, y, end = start[0] + _BOX_WIDTH, start[1] + _BOX_HEIGHT / 2, other[0]
        path = f"M{x:.0f} {y:.0f}H{end - 5:.0f}"
        head = f"M{end - 8:.0f} {y - 4:.0f}L{end - 2:.0f} {y:.0f}L{end - 8:.0f} {y + 4:.0f}"
        middle = ((x + end) / 2 - 4, y - 6)
    else:
        x, y = start[0] + _BOX_WIDTH / 2, start[1] + _BOX_HEIGHT
        end_x, end_y = other[0] + _BOX_WIDTH / 2, other[1]
        turn = y + _GAP_DOWN / 2
        path = f"M{x:.0f} {y:.0f}V{turn:.0f}H{end_x:.0f}V{end_y - 5:.0f}"
        head = f"M{end_x - 4:.0f} {end_y - 8:.0f}L{end_x:.0f} {end_y - 2:.0f}L{end_x + 4:.0f} {end_y - 8:.0f}"
        middle = ((x + end_x) / 2, turn - 4)
    parts = [tag("path", d=path, class_=class_), tag("path", d=head, class_=class_)]
    if broken:
        parts.append(words("✗" if beside else "✗ broken", *middle, class_="bad"))
    return tag("g", *parts)
