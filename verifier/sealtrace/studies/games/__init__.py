"""Small games: strategies of the whole game, students of it, and paired hands."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from sealtrace.contract.packs import Form, Kind, Pack, any_role, unless_held
from sealtrace.studies.games.catalogue import CALLED, CATALOGUE, METRICS

if TYPE_CHECKING:
    from sealtrace.evidence import Evidence

_HERE = "sealtrace.studies.games"
_RECORDS = f"{_HERE}.records"
KINDS = (
    Kind("game", Form.DOCUMENT, f"{_RECORDS}:GameRules", stages=any_role("declare")),
    Kind("profile", Form.ROWS, f"{_RECORDS}:Profile", ("profile", "information_set"), any_role("bank", "report")),
    Kind("contest", Form.DOCUMENT, f"{_RECORDS}:Contest", stages=any_role("declare")),
    Kind("match", Form.ROWS, f"{_RECORDS}:Match", ("match", "arm", "opponent", "seat"), any_role("report")),
    Kind("distillation", Form.DOCUMENT, f"{_RECORDS}:Distillation", stages=any_role("declare")),
    Kind("student", Form.DOCUMENT, f"{_RECORDS}:Student", stages=any_role("bank")),
    Kind("hand", Form.ROWS, f"{_RECORDS}:Hand", ("entry", "hand"), any_role("declare")),
    Kind("behaviour", Form.DOCUMENT, f"{_RECORDS}:Behaviour", stages=any_role("declare")),
    Kind("snapshot", Form.ROWS, f"{_RECORDS}:Snapshot", ("entry", "hand", "action"), any_role("bank", "report")),
    Kind("scale", Form.ROWS, f"{_RECORDS}:Scale", ("run", "scale"), any_role("calibrate")),
)


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
    entities={
        **{name: name for name in ("arm", "endpoint", "label", "opponent", "player")},
        **{name: name for name in ("policy", "profile", "result", "run")},
        "runs": "run",
        "teacher": "profile",
        "split": "population",
    },
    metrics=f"{_HERE}.metrics",
    listed=METRICS + CALLED,
    paper="RSD-Poker paper",
    evidence=f"{_HERE}.evidence:GameStudy",
    overview=f"{_HERE}.overview",
    reported=("scale",),
    absent=unless_held("the study plays no game", *KINDS),
    unusable=_unusable,
)
