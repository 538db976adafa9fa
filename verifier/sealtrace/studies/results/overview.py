"""What a study of results says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sealtrace.studies.results.evidence import Results

if TYPE_CHECKING:
    from sealtrace.examination import Examination


def summary(results: Results, _: Examination) -> dict[str, Any]:
    """What the study holds."""
    found = [_dataset(results, name) for name in results.declarations]
    if size := results.frame("label").size:
        found.append(f"{size} labelled items")
    if size := results.frame("prediction").size:
        found.append(f"{size} predictions of {len(results.predicted[0])} models")
    others = {kind: results.frame(kind).size for kind in ("measurement", "run")}
    return {"inspected": [*found, *(f"{size} {kind}s" for kind, size in others.items() if size)]}


def _dataset(results: Results, name: str) -> str:
    """Such as `28,476 predictions: 2,373 id x 3 model x 4 seed`."""
    declaration, frame = results.declarations[name], results.frame(name)
    groups: list[list[str]] = next((one["every"] for one in declaration.get("complete") or []), [])
    sizes = [f"{results.combinations(name, group):,} {'+'.join(group)}" for group in groups] if frame.size else []
    return f"{frame.size:,} {name}" + (f" ({' x '.join(sizes)})" if sizes else "")


def details(_: Results, __: Examination) -> dict[str, Any]:
    """A page draws nothing of its own for results."""
    return {}
