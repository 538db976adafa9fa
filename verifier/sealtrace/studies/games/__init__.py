"""Small games: strategies of the whole game, students of it, and paired hands."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from sealtrace.contract.packs import Pack
from sealtrace.studies.games.catalogue import CATALOGUE
from sealtrace.studies.games.kinds import KINDS

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.games"


def _absent(evidence: Evidence) -> str | None:
    """A study plays a game where it holds records that only games leave."""
    held = {kind.name for kind in KINDS}.intersection(entry.kind for entry in evidence.bundle.entries)
    return None if held else "the study plays no game"


def _unusable(evidence: Evidence) -> str | None:
    """Behaviour is recorded in notation of its own; everything else needs the rules of a game."""
    kinds = {entry.kind for entry in evidence.bundle.entries}
    if "behaviour" in kinds and not kinds & {"profile", "contest", "match", "distillation", "student", "scale"}:
        return None
    document = evidence.bundle.document("game")
    if document is None:
        return "the game is not declared"
    if document.value.get("openspiel") is None:
        return None
    if kinds & {"contest", "match", "distillation", "student", "scale"}:
        return "hands and students are of declared games of cards, not of OpenSpiel's"
    return None if find_spec("pyspiel") else "OpenSpiel is not installed: pip install 'sealtrace[games]'"


PACK = Pack(
    name="games",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    metrics=f"{_HERE}.metrics",
    evidence=f"{_HERE}.evidence:GameStudy",
    overview=f"{_HERE}.overview",
    reported=("scale",),
    absent=_absent,
    unusable=_unusable,
)
