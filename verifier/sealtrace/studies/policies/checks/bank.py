"""The bank is what the protocol declares: scales, checkpoints, action order, and what each policy needs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.policies.evidence.bank import competing
from sealtrace.studies.policies.evidence.study import Candidate, Study


@check("bank.scales", "candidates")
def scales(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    outcome.inspected = len(study.candidates)
    seen: dict[tuple[str, Fraction | None], Candidate] = {}
    for one in study.candidates:
        key = (one.arm, None if one.scale is None else exact(one.scale))
        if key in seen:
            outcome.on(frame, one.row).error(
                "/scale", "The arm has this scale twice.", f"once, as {seen[key].name}", one.name
            )
        seen[key] = one
    path, grid = study.protocol_path, study.declared.scale_grid
    for index, (before, after) in enumerate(pairwise(grid), 1):
        if exact(after) <= exact(before):
            outcome.at(path).error(
                f"/scale_grid/{index}", "The grid is not strictly ascending.", f"above {before}", after
            )
    for selector in study.declared.selectors:
        if selector.rule != "empirical-zero":
            continue
        for index, text in enumerate(grid):
            if (selector.arm, exact(text)) not in seen:
                message = "The bank has no candidate of this scale."
                outcome.at(path).error(f"/scale_grid/{index}", message, f"a candidate {selector.arm}@{text}", "none")


@check("bank.checkpoints", "candidates")
def checkpoints(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    learned = [one for one in study.candidates if one.checkpoint is not None]
    if not learned and not study.checkpoints:
        outcome.not_applicable = "no direction of the bank is learned"
        return
    outcome.inspected = len(learned)
    for checkpoint in study.checkpoints.values():
        if (problem := checkpoint.problem(study)) is not None:
            pointer, expected, found = problem
            outcome.at(checkpoint.document.path).error(
                pointer, "The weights cannot be run on the declared features and actions.", expected, found
            )
    told: set[str | None] = set()
    first: dict[str | None, Candidate] = {}
    for one in learned:
        weights = study.checkpoint_of(one)
        if (other := first.setdefault(one.family, one)).checkpoint != one.checkpoint:
            message = "A family has one checkpoint, and this candidate names another."
            outcome.on(frame, one.row).error(
                "/checkpoint_sha256", message, f"{other.checkpoint}, as {other.name}", one.checkpoint
            )
        if weights is not None and weights.document.value["family"] != one.family:
            message = "The checkpoint is that of another family."
            outcome.on(frame, one.row).error(
                "/checkpoint_sha256", message, one.family or "none", weights.document.value["family"]
            )
        if weights is not None or one.family in told:
            continue
        told.add(one.family)
        if one.policy == "student" or study.sealed_directions(one.family) is None:
            outcome.missing = f"neither weights nor sealed directions of {one.family} are in the bundle"
            continue
        message = "The directions of this family are taken as sealed: its weights are not in the bundle."
        outcome.on(frame, one.row).say(
            "note", "/checkpoint_sha256", message, "weights with this digest", "sealed directions only"
        )
    gates = [gate for gate in (study.declared.query, *study.declared.gates.values()) if gate and gate.learned]
    asked = [study.gate_weights(gate.learned) for gate in gates]
    if None in asked:
        outcome.missing = "the weights of a learned gate are not in the bundle, or are there twice"
    asking = {id(one) for one in asked}
    named = {one.checkpoint for one in learned}
    for digest, checkpoint in study.checkpoints.items():
        if digest not in named and id(checkpoint) not in asking:
            known = f"one of {', '.join(sorted(one[:12] for one in named if one)) or 'none'}"
            outcome.at(checkpoint.document.path).error(None, "No candidate names these weights.", known, digest[:12])


@check("bank.serializer", "candidates")
def serializer(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    outcome.inspected = len(study.candidates)
    for row, names in enumerate(frame.column("serializer").to_pylist()):
        if names != study.actions:
            message = "The candidate's vectors follow another action order."
            outcome.on(frame, row).error("/serializer", message, ", ".join(study.actions), ", ".join(names))


@check("bank.policies", "candidates")
def declared_policies(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    outcome.inspected = len(study.candidates)
    for one in study.candidates:
        for field, expected, found in _lacks(study, one):
            outcome.on(frame, one.row).error(
                field, "The candidate does not declare what its policy needs.", expected, found
            )
    able = {one.arm for one in study.candidates if one.policy in ("tilt", "student")}
    for place, arm in enumerate(study.declared.competitors or []):
        if arm not in able:
            outcome.at(study.protocol_path).error(
                f"/competitors/{place}", "What competes is an arm of tilts or students.", ", ".join(sorted(able)), arm
            )
    first: dict[str, Candidate] = {}
    for one in study.candidates:
        other = first.setdefault(one.arm, one)
        for field in ("policy", "family", "family_index", "interface", "direction", "splits"):
            if getattr(one, field) != getattr(other, field):
                message = "An arm is one policy at several scales, and this candidate is another."
                outcome.on(frame, one.row).error(f"/{field}", message, f"as in {other.name}", str(getattr(one, field)))
    _told_apart(study, outcome)
    anchors = [one for one in study.candidates if one.policy == "anchor"]
    if len(anchors) != 1 and study.candidates:
        outcome.at(frame.paths[0]).error("/policy", "The bank has one anchor.", "one anchor", len(anchors))


def _told_apart(study: Study, outcome: Outcome) -> None:
    """Competing candidates of one scale differ in their family's index, so that ties have one order."""
    if not study.declared.choosing:
        # Nothing chooses among families, so nothing can tie.
        return
    frame = study.frame("candidate")
    first: dict[tuple[Fraction, int | None], Candidate] = {}
    for one in (study.candidates[place] for place in competing(study)):
        other = first.setdefault((exact(one.scale or "0"), one.family_index), one)
        if other.arm != one.arm:
            at, found = outcome.on(frame, one.row), "nothing" if one.family_index is None else one.family_index
            message = "Two candidates compete at one scale with the same family index, so that ties have no order."
            at.error("/family_index", message, f"another than that of {other.name}", found)


def _lacks(study: Study, one: Candidate) -> Iterator[tuple[str, str, str]]:
    """(field, expected, found) for everything that a candidate's policy misses."""
    declared, features = study.declared, set(study.declared.features)
    if one.policy in ("anchor", "tilt", "query") and declared.anchor is None:
        yield "/policy", "an anchor rule in the protocol", "none"
    taught = declared.shows_teacher(one.interface)
    if one.policy not in ("query", "student") and not taught:
        yield "/interface", "one that shows the teacher's distribution, which the policy uses", one.interface
    if one.policy == "student" and taught:
        yield "/interface", "one without the teacher: the policy has a base of its own", one.interface
    exponentiates = one.policy in ("tilt", "query", "student")
    if (one.normalization == "shifted-exponential") != exponentiates:
        yield "/normalization", "shifted-exponential" if exponentiates else "none", one.normalization
    if one.splits is not None:
        for name in one.splits:
            if name not in study.roles:
                yield "/splits", "declared splits", name
        if one.policy == "anchor" or study.candidates.index(one) in competing(study):
            yield "/splits", "nothing: the anchor and what competes with it are traced wherever anything is", "a list"
    if one.policy not in ("tilt", "student"):
        for field, value in (("scale", one.scale), ("direction", one.direction), ("family", one.family)):
            if value is not None:
                yield f"/{field}", f"nothing: a {one.policy} policy has no {field}", str(value)
    if one.policy in ("tilt", "student"):
        if one.scale is not None and exact(one.scale) < 0:
            yield "/scale", "at least 0", one.scale
        if one.scale is None:
            yield "/scale", "a scale", "nothing"
        if one.policy == "student" and not one.checkpoint:
            yield "/checkpoint_sha256", "the checkpoint of the base policy", "nothing"
        if one.direction is None and one.checkpoint:
            # A learned direction: bank.checkpoints says where it comes from.
            return
        if one.direction is not None and one.checkpoint and one.policy == "tilt":
            yield "/direction", "nothing: the checkpoint gives the direction", "a rule"
        if set(one.direction or {}) != set(study.actions):
            found = ", ".join(one.direction or {}) or "nothing"
            yield "/direction", f"a rule for each of {', '.join(study.actions)}", found
        for action, rule in one.rules.items():
            unknown = set(rule.terms or ()) - features
            if unknown:
                yield f"/direction/{action}/terms", "declared features", ", ".join(sorted(unknown))
    if one.policy == "query":
        gate = declared.gate(one.arm)
        for part, there in (("prior", declared.prior is not None), ("query", gate is not None)):
            if not there:
                yield "/policy", f"a {part} rule in the protocol", "none"
        logits = {} if declared.prior is None else declared.prior.logits
        if set(logits) != set(study.actions):
            yield "/policy", f"prior logits for each of {', '.join(study.actions)}", ", ".join(logits)
        used = {name for rule in logits.values() for name in rule.terms or {}}
        used |= set() if gate is None else set(gate.terms)
        if used - features:
            yield "/policy", "declared features", ", ".join(sorted(used - features))
