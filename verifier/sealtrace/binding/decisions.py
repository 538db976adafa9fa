"""What a person decided of the formulas that a check found: accepted, rejected, another candidate, a note.

The page of a check and its questions on a terminal write the same file, which `check --decisions` reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from sealtrace.binding.candidates import Binding, Bound
from sealtrace.binding.wording import formula_of
from sealtrace.bundle.defects import BundleError, nearest, refusing
from sealtrace.bundle.strict_json import parse

ACCEPT, REJECT = "accept", "reject"
_FIELDS = ("table", "kind", "subject", "decision")


@dataclass(frozen=True)
class FormulaDecision:
    """What was decided of the formula of one series."""

    table: str
    kind: str
    subject: str
    """The header, label or caption of what it gives."""
    decision: str
    formula: str = ""
    """The one that was accepted, in words; the first where empty."""
    note: str = ""

    @property
    def address(self) -> tuple[str, str, str]:
        """Of which series it is."""
        return self.table, self.kind, self.subject


def address_of(binding: Binding) -> tuple[str, str, str]:
    """The series that a binding gives."""
    series = binding.candidate.series
    return series.grid.name, series.kind, series.constant[0]


def write_decisions(decisions: Iterable[FormulaDecision]) -> str:
    """The file of decisions."""
    return json.dumps({"decisions": [asdict(one) for one in decisions]}, indent=2, ensure_ascii=False) + "\n"


def read_decisions(path: Path) -> list[FormulaDecision]:
    """The decisions of a file; `BundleError` where it holds none."""
    with refusing(path):
        document = parse(path.read_bytes())
    listed = document.get("decisions") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise BundleError(f'{path}: not a file of decisions ({{"decisions": [...]}})')
    return [_decision(one, f"{path}: decision {place}") for place, one in enumerate(listed, 1)]


def _decision(one: object, place: str) -> FormulaDecision:
    known = FormulaDecision.__dataclass_fields__
    if not isinstance(one, dict) or not all(isinstance(text, str) for text in one.values()):
        raise BundleError(f"{place}: an object of texts is needed")
    for name in (name for name in one if name not in known):
        raise BundleError(f"{place}: there is no field {name!r}{nearest(name, known)}")
    for name in (name for name in _FIELDS if not one.get(name)):
        raise BundleError(f"{place}: {name} is missing")
    if one["decision"] not in (ACCEPT, REJECT):
        raise BundleError(f"{place}: {one['decision']!r} is neither {ACCEPT} nor {REJECT}")
    return FormulaDecision(**one)


def decide(bound: Bound, decisions: Iterable[FormulaDecision]) -> list[str]:
    """Takes rejected bindings out and puts chosen candidates in; what no longer fits the results, as sentences."""
    bindings = {address_of(binding): binding for binding in bound.bindings}
    rejected, problems = [], []
    for one in decisions:
        binding = bindings.get(one.address)
        if binding is None:
            problems.append(f"{one.table}, {one.kind} {one.subject}: no formula was found for it now")
        elif one.decision == REJECT:
            rejected.append(binding)
        else:
            options = [binding.candidate, *binding.others]
            chosen = next((option for option in options if one.formula in ("", formula_of(option))), None)
            if chosen is None:
                problems.append(f"{one.table}, {one.kind} {one.subject}: the accepted formula was not found again")
                rejected.append(binding)
                continue
            binding.candidate, binding.others = chosen, [option for option in options if option is not chosen]
            binding.note = one.note
    bound.remove(rejected)
    return problems
