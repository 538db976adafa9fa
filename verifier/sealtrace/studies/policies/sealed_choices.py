"""What a selector chose beside what was sealed of it; sealed choices are read for nothing else."""

from __future__ import annotations

from dataclasses import replace

from sealtrace.contract.scalars import exact
from sealtrace.studies.policies.certified import Assigned, Choice
from sealtrace.studies.policies.checks.maps import assigned_name
from sealtrace.studies.policies.evidence.choice import Chosen
from sealtrace.studies.policies.evidence.study import Study


def compared_map(study: Study, chosen: Chosen, choice: Choice) -> Choice:
    """A choice in groups beside the sealed map."""
    sealed = [one.value for one in study.bundle.documents_of("map") if one.value["selector"] == choice.selector]
    if not sealed:
        return choice
    record, differences = sealed[0], []
    if len(sealed) > 1:
        differences.append(f"there are {len(sealed)} sealed maps of this selector")
    if record["partition"] != choice.partition:
        differences.append(f"the sealed map is one of {record['partition']}")
    due = {one.group: _said(one) for one in choice.map}
    found = {
        one["group"]: _said(Assigned(one["group"], assigned_name(study, one), one["outcome"]))
        for one in record["assignments"]
    }
    differences += [
        f"{group}: sealed {found.get(group, 'nothing')}, recomputed {due.get(group, 'nothing')}"
        for group in dict.fromkeys([*due, *found])
        if due.get(group) != found.get(group)
    ]
    for kind, field in (("risk", "risk_upper"), ("utility", "utility_lower")):
        reported, computed = record.get(field), getattr(choice, field)
        unknown = kind in chosen.certifies and computed is None
        if not unknown and not _agree(reported, computed, study.tolerance):
            differences.append(f"{kind} bound: sealed {_stated(reported)}, recomputed {_stated(computed)}")
    return replace(choice, sealed="differs" if differences else "same", differences=tuple(differences))


def _said(one: Assigned) -> str:
    return one.candidate if one.outcome == "selected" else f"{one.candidate} (NO-CERTIFIED-CANDIDATE)"


def _agree(reported: float | None, computed: float | None, tolerance: float) -> bool:
    if reported is None or computed is None:
        return reported is computed
    return abs(reported - computed) <= tolerance


def _stated(bound: float | None) -> str:
    return "nothing" if bound is None else repr(bound)


def compared_selection(study: Study, choice: Choice) -> Choice:
    """A choice over the scale grid beside the sealed selection."""
    sealed = [one.value for one in study.bundle.documents_of("selection") if one.value["selector"] == choice.selector]
    if not sealed:
        return choice
    chosen = sealed[0].get("choice")
    scales = dict(zip(map(exact, study.declared.scale_grid), (one.candidate for one in choice.counts), strict=True))
    anchor = Assigned(None, study.anchor_name, "no-certified-candidate")
    found = anchor if chosen is None else Assigned(None, scales.get(exact(chosen), f"scale {chosen}"), "selected")
    if (found,) == choice.map:
        return replace(choice, sealed="same")
    return replace(choice, sealed="differs", differences=(f"sealed {_said(found)}, recomputed {_said(choice.map[0])}",))
