"""The stage chain as a table, and in a sentence."""

from __future__ import annotations

from sealtrace.contract.details import StageLink
from sealtrace.report.html.plots import Figure

_CHAIN = ("Stage", "Link", "Files", "Bytes", "Kinds", "Seen from outside by", "Digest of the seal")


def stage_chain(stages: list[StageLink]) -> Figure:
    """A row for each stage; what is broken or not sealed is said above it."""
    rows = []
    for place, stage in enumerate(stages):
        kinds = ", ".join(f"{number} {kind}" for kind, number in stage.kinds.items()) or stage.empty_reason or ""
        witnesses = "; ".join(stage.witnesses) or "nobody: its time is the authors’ word"
        link = "–" if not stage.sealed else "✗ broken" if not stage.linked else "✓ holds" if place else "first"
        digest = stage.digest or "not sealed"
        rows.append([stage.stage, link, str(stage.files), f"{stage.bytes:,}", kinds, witnesses, digest])
    broken = [link.stage for link in stages if link.sealed and not link.linked]
    absent = [link.stage for link in stages if not link.sealed]
    said = f"{len(stages) - len(absent)} of {len(stages)} stages are sealed"
    said += f". The chain is broken before {', '.join(broken)}." if broken else ". No link is broken."
    said += f" Not sealed: {', '.join(absent)}." if absent else ""
    caption = "Each seal names the digest of the one before it, so a later stage commits to all earlier ones."
    return Figure(title="Stage chain", caption=f"{said} {caption}", pictures=[], columns=list(_CHAIN), rows=rows)
