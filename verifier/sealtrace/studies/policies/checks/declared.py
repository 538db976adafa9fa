"""What is declared makes sense: the protocol's constants lie in their domains, and the bank is what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from fractions import Fraction
from functools import reduce
from itertools import pairwise

import pyarrow as pa

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import EXACT_PATTERN, exact
from sealtrace.studies.policies.evidence.bank import BankCandidate, ObservedFeature
from sealtrace.studies.policies.evidence.choice import RULES
from sealtrace.studies.policies.evidence.replaying import sealed_directions
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.certification import Selector, Variant, Weights
from sealtrace.studies.policies.records.protocol import PolicyProtocol, QueryRule

Domain = tuple[str, str, bool, str]
"""Pointer, value, whether it lies in its domain, and the domain."""
Bound = tuple[Callable[[Fraction], bool], str]
"""Whether a constant lies in a domain, and the domain."""

_POSITIVE: Bound = (lambda value: value > 0, "above 0")
_NOT_NEGATIVE: Bound = (lambda value: value >= 0, "at least 0")
_SHARE: Bound = (lambda value: 0 <= value <= 1, "from 0 to 1")
_RADIUS: Bound = (lambda value: 0 <= value <= 2, "from 0 to 2")
_OPEN: Bound = (lambda value: 0 < value < 1, "between 0 and 1, both excluded")

_CONSTANTS = {
    **dict.fromkeys(("tau", "teacher/temperature"), _POSITIVE),
    **dict.fromkeys(("certification/zeta_risk", "certification/zeta_util", "bootstrap/confidence"), _OPEN),
    **dict.fromkeys(("certification/epsilon_group", "certification/epsilon_global"), _SHARE),
    **dict.fromkeys(("anchor/teacher", "anchor/uniform", "boundary/level"), _SHARE),
    "certification/rho": _RADIUS,
    "prior/floor": _NOT_NEGATIVE,
}
_OF_VARIANTS = {"tau": _POSITIVE, "epsilon": _SHARE, "zeta": _OPEN, "rho": _RADIUS}
_OF_VARIANTS |= {"epsilon_group": _SHARE, "epsilon_global": _SHARE}
_OF_CLASSES = {"lambda_cert": _NOT_NEGATIVE, "lambda_comp": _NOT_NEGATIVE}
_OF_SELECTORS: dict[str, Bound] = {
    "radius": _RADIUS,
    "limit": _NOT_NEGATIVE,
    "clip": (lambda value: 0 <= value < 1, "at least 0 and below 1"),
}


def _bounded(pointer: str, declared: object, bounds: dict[str, Bound]) -> Iterator[Domain]:
    """Every declared constant of a record against its domain."""
    for path, (holds, domain) in bounds.items():
        text = reduce(lambda node, name: getattr(node, name, None), path.split("/"), declared)
        if isinstance(text, str):
            yield f"{pointer}/{path}", text, holds(exact(text)), domain


def _domains(protocol: PolicyProtocol, observation: pa.Schema) -> Iterator[Domain]:
    """Everything that a protocol declares against its domain."""
    yield from _bounded("", protocol, _CONSTANTS)
    if anchor := protocol.anchor:
        total = exact(anchor.teacher) + exact(anchor.uniform)
        yield "/anchor", f"a sum of {total}", total == 1, "weights that sum to 1"
    if protocol.certification is not None and protocol.certification.utility_range is not None:
        low, high = protocol.certification.utility_range
        yield "/certification/utility_range", f"{low}, {high}", exact(low) < exact(high), "q_min below q_max"
    yield from _certification_domains(protocol, observation)
    for name, feature in protocol.features.items():
        form = f"{feature.form} of {feature.field}"
        fits = ObservedFeature(feature).fits(observation)
        yield f"/features/{name}", form, fits, "a field of that form, with its table or a cap above 0"
    for name, node in protocol.costs.items():
        kind = str(node.get("type"))
        yield f"/costs/{name}", kind, kind in ("number", "integer"), "a number or an integer"
    for event, charge in protocol.charges.items():
        known = sorted(charge) == sorted(protocol.counted)
        yield f"/charges/{event}", ", ".join(charge), known, ", ".join(protocol.counted)
    measured = {*observation.names, *protocol.counted, protocol.evaluators.utility, protocol.evaluators.risk}
    measured |= {name for variant in protocol.variants.values() for _, name in variant.evaluators or ()}
    for name, unit in protocol.units.items():
        yield f"/units/{name}", unit, name in measured, "the unit of a field, an evaluator or a cost"
    for pointer, gate in _gates(protocol):
        others = (gate.random is not None, gate.learned is not None, exact(gate.entropy) != 0 or bool(gate.terms))
        ways = "weights, or a random draw, or a learned gate"
        yield pointer, f"{sum(others)} ways to a score", sum(others) <= 1, ways
        ranked = gate.first is None or gate.budget is not None
        yield f"{pointer}/first", str(gate.first), ranked, "absent, unless there is a budget"
    for index, split in enumerate(protocol.splits):
        yield f"/splits/{index}/name", split.name, split.name != "all", "a name other than `all`"
        if (assigned := split.rule) is not None:
            inside = assigned.remainder < assigned.modulus
            yield f"/splits/{index}/rule", str(assigned.model_dump()), inside, "a remainder below the modulus"
    for pointer, names in (
        ("/actions", protocol.actions),
        ("/splits", [split.name for split in protocol.splits]),
        ("/selectors", [selector.name for selector in protocol.selectors]),
    ):
        yield pointer, ", ".join(names), len(set(names)) == len(names), "names that differ"


def _gates(protocol: PolicyProtocol) -> Iterator[tuple[str, QueryRule]]:
    """Every declared gate with its place."""
    if protocol.query is not None:
        yield "/query", protocol.query
    yield from ((f"/gates/{arm}", gate) for arm, gate in protocol.gates.items())


def _certification_domains(protocol: PolicyProtocol, observation: pa.Schema) -> Iterator[Domain]:
    """What variants, classes of partitions, selectors and dealing rules declare."""
    for name, variant in protocol.variants.items():
        yield from _variant_domains(f"/variants/{name}", variant, protocol)
    for name, rule in protocol.allocations.items():
        for kind, weights in rule:
            yield from _weight_domains(f"/allocations/{name}/{kind}", weights)
    features = protocol.features
    for name, declared in protocol.partition_classes.items():
        pointer = f"/partition_classes/{name}"
        yield from _bounded(pointer, declared, _OF_CLASSES)
        for feature, texts in declared.thresholds.items():
            values = [exact(text) for text in texts]
            ascending = all(before < after for before, after in pairwise(values))
            yield f"{pointer}/thresholds/{feature}", ", ".join(texts), ascending, "strictly ascending"
            yield f"{pointer}/thresholds", feature, feature in features, "a declared feature"
    splits = {split.name for split in protocol.splits}
    if (dealt := protocol.assignment) is not None:
        yield from _dealt_domains("/assignment", dealt.strata, features, dealt.order, splits)
        if dealt.generator == "python-randrange":
            free = protocol.identities == "independent-draws" and not dealt.strata
            yield "/assignment/generator", dealt.generator, free, "independent draws as identities, and no strata"
            yield "/assignment/population", str(dealt.population), bool(dealt.population), "above 0"
            yield "/assignment/member", str(dealt.member), dealt.member in observation.names, "an observation's field"
    if (again := protocol.resampling) is not None:
        yield from _dealt_domains("/resampling", again.strata or [], features, again.pool, splits)
        for field, given in (("seed", again.seed), ("strata", again.strata)):
            blocks = again.generator == "blocks"
            due = "absent: blocks are not dealt" if blocks else "given"
            yield f"/resampling/{field}", str(given), (given is None) == blocks, due
        for field in ("repeats", "calibration", "held_out"):
            yield f"/resampling/{field}", str(size := getattr(again, field)), size > 0, "above 0"
    for index, selector in enumerate(protocol.selectors):
        for field in RULES[selector.rule].needs:
            found = getattr(selector, field)
            yield f"/selectors/{index}/{field}", str(found), found is not None, f"given for {selector.rule}"
        yield from _bounded(f"/selectors/{index}", selector, _OF_SELECTORS)
        yield from _named_allocation(f"/selectors/{index}", selector, protocol)
        budgets = selector.group_budgets
        free = budgets is None or selector.rule == "robust"
        yield f"/selectors/{index}/group_budgets", str(budgets), free, "absent, unless a rule is robust"
    yield from _tie_domains(protocol)


def _tie_domains(protocol: PolicyProtocol) -> Iterator[Domain]:
    """Every tie rule that a declared choice may need."""
    rules = {selector.rule for selector in protocol.selectors}
    needed = {
        "selection": bool(rules & {"mean-strong", "kl-budget", "risk-only", "dual"}),
        "map": "robust" in rules,
        "partition": bool(protocol.partition_classes),
    }
    for name, due in needed.items():
        if due:
            tie = getattr(protocol.ties, name)
            yield f"/ties/{name}", str(tie), tie is not None, "a rule, where equals may compete"


def _variant_domains(pointer: str, variant: Variant, protocol: PolicyProtocol) -> Iterator[Domain]:
    yield from _bounded(pointer, variant, _OF_VARIANTS)
    yield from _named_allocation(pointer, variant, protocol)
    if (bounds := variant.utility_range) is not None:
        below = exact(bounds[0]) < exact(bounds[1])
        yield f"{pointer}/utility_range", ", ".join(bounds), below, "q_min below q_max"
    if (size := variant.calibration) is not None:
        yield f"{pointer}/calibration", str(size), size > 0, "above 0"
    grid = {exact(text) for text in protocol.scale_grid}
    for scale in variant.scales or []:
        yield f"{pointer}/scales", scale, exact(scale) in grid, "a scale of the grid"
    for group, text in (variant.epsilon_groups or {}).items():
        yield f"{pointer}/epsilon_groups/{group}", text, _SHARE[0](exact(text)), _SHARE[1]


def _named_allocation(pointer: str, naming: Selector | Variant, protocol: PolicyProtocol) -> Iterator[Domain]:
    if (name := naming.allocation) is not None:
        yield f"{pointer}/allocation", name, name in protocol.allocations, "an allocation of the protocol"


def _weight_domains(pointer: str, weights: Weights) -> Iterator[Domain]:
    """Weights are positive, and what they sum to is no more than the whole budget."""
    for factor in ("scales", "families", "groups"):
        for name, text in (getattr(weights, factor) or {}).items():
            yield f"{pointer}/{factor}/{name}", text, exact(text) > 0, "above 0"
            if factor == "scales":
                yield f"{pointer}/scales", name, re.fullmatch(EXACT_PATTERN, name) is not None, "scales"
    if (total := weights.total) is not None:
        yield f"{pointer}/total", total, 0 < exact(total) <= 1, "above 0 and at most 1"


def _dealt_domains(
    pointer: str, strata: list[str], features: Container[str], named: list[str], splits: set[str]
) -> Iterator[Domain]:
    unknown = [name for name in strata if name not in features]
    yield f"{pointer}/strata", ", ".join(strata), not unknown, "declared features"
    known = set(named) <= splits and len(set(named)) == len(named)
    yield f"{pointer}", ", ".join(named), known, "declared splits, each once"


@check("protocol.domain", "constants")
def domain(study: Study, outcome: Outcome) -> None:
    protocols = [document.path for document in study.bundle.documents if document.kind == "protocol"]
    if len(protocols) > 1:
        outcome.at(protocols[1]).error(None, "A study has one protocol.", f"only {protocols[0]}", ", ".join(protocols))
    if study.declared.study != study.bundle.name:
        outcome.at("manifest.json").error(
            "/name", "The manifest gives the study another name.", study.declared.study, study.bundle.name
        )
    for pointer, found, holds, domain in _domains(study.declared, study.frame("observation").table.schema):
        outcome.inspected += 1
        if not holds:
            outcome.at(study.evidence.protocol_path).error(
                pointer, "The declared value lies outside its domain.", domain, found
            )
    for name, text in study.declared.tolerances:
        outcome.inspected += 1
        outcome.at(study.evidence.protocol_path).tolerance(f"/tolerances/{name}", text)


# The bank


@check("bank.scales", "candidates")
def scales(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    outcome.inspected = len(study.candidates)
    seen: dict[tuple[str, Fraction | None], BankCandidate] = {}
    for candidate in study.candidates:
        key = candidate.arm, candidate.exact_scale
        if key in seen:
            at, message = outcome.on(frame, candidate.row), "The arm has this scale twice."
            at.error("/scale", message, f"once, as {seen[key].name}", candidate.name)
        seen[key] = candidate
    at, grid = outcome.at(study.evidence.protocol_path), study.declared.scale_grid
    for index, (before, after) in enumerate(pairwise(grid), 1):
        if exact(after) <= exact(before):
            at.error(f"/scale_grid/{index}", "The grid is not strictly ascending.", f"above {before}", after)
    for selector in study.declared.selectors:
        for index, scale in enumerate(grid if selector.rule == "empirical-zero" else ()):
            if (selector.arm, exact(scale)) not in seen:
                message = "The bank has no candidate of this scale."
                at.error(f"/scale_grid/{index}", message, f"a candidate {selector.arm}@{scale}", "none")


@check("bank.checkpoints", "candidates")
def checkpoints(study: Study, outcome: Outcome) -> None:
    learned = [candidate for candidate in study.candidates if candidate.checkpoint_sha256 is not None]
    if not learned and not study.bank.checkpoints:
        outcome.not_applicable = "no direction of the bank is learned"
        return
    outcome.inspected = len(learned)
    for checkpoint in study.bank.checkpoints.values():
        if (misfit := checkpoint.misfit(study.bank)) is not None:
            pointer, expected, found = misfit
            message = "The weights cannot be run on the declared features and actions."
            outcome.at(checkpoint.document.path).error(pointer, message, expected, found)
    first: dict[str | None, BankCandidate] = {}
    told: set[str | None] = set()
    for candidate in learned:
        at, family, digest = outcome.on(study.frame("candidate"), candidate.row), candidate.family, "/checkpoint_sha256"
        if (other := first.setdefault(family, candidate)).checkpoint_sha256 != candidate.checkpoint_sha256:
            message = "A family has one checkpoint, and this candidate names another."
            at.error(digest, message, f"{other.checkpoint_sha256}, as {other.name}", candidate.checkpoint_sha256)
        if (weights := study.bank.checkpoint_of(candidate)) is not None:
            at.expect(digest, "The checkpoint is that of another family.", family or "none", weights.family)
        elif family not in told:
            told.add(family)
            if candidate.policy == "student" or sealed_directions(study.states, family) is None:
                outcome.missing = f"neither weights nor sealed directions of {family} are in the bundle"
            else:
                message = "The directions of this family are taken as sealed: its weights are not in the bundle."
                at.say("note", digest, message, "weights with this digest", "sealed directions only")
    gates = [gate for gate in (study.declared.query, *study.declared.gates.values()) if gate and gate.learned]
    asked = [study.bank.gate_weights(gate.learned) for gate in gates]
    if None in asked:
        outcome.missing = "the weights of a learned gate are not in the bundle, or are there twice"
    named = {candidate.checkpoint_sha256 or "" for candidate in learned}
    for digest, checkpoint in study.bank.checkpoints.items():
        if digest not in named and checkpoint not in asked:
            known = f"one of {', '.join(sorted(name[:12] for name in named)) or 'none'}"
            outcome.at(checkpoint.document.path).error(None, "No candidate names these weights.", known, digest[:12])


@check("bank.serializer", "candidates")
def serializer(study: Study, outcome: Outcome) -> None:
    outcome.inspected = len(study.candidates)
    for candidate in study.candidates:
        if candidate.serializer != study.actions:
            message = "The candidate's vectors follow another action order."
            order, found = ", ".join(study.actions), ", ".join(candidate.serializer)
            outcome.on(study.frame("candidate"), candidate.row).error("/serializer", message, order, found)


@check("bank.policies", "candidates")
def declared_policies(study: Study, outcome: Outcome) -> None:
    frame = study.frame("candidate")
    outcome.inspected = len(study.candidates)
    for candidate in study.candidates:
        for pointer, expected, found in _lacks(study, candidate):
            message = "The candidate does not declare what its policy needs."
            outcome.on(frame, candidate.row).error(pointer, message, expected, found)
    able = sorted({candidate.arm for candidate in study.candidates if candidate.policy in ("tilt", "student")})
    for place, arm in enumerate(study.declared.competitors or []):
        if arm not in able:
            message = "What competes is an arm of tilts or students."
            outcome.at(study.evidence.protocol_path).error(f"/competitors/{place}", message, ", ".join(able), arm)
    first: dict[str, BankCandidate] = {}
    for candidate in study.candidates:
        other = first.setdefault(candidate.arm, candidate)
        for field in ("policy", "family", "family_index", "interface", "direction", "splits"):
            if (found := getattr(candidate, field)) != getattr(other, field):
                message = "An arm is one policy at several scales, and this candidate is another."
                outcome.on(frame, candidate.row).error(f"/{field}", message, f"as in {other.name}", _written(found))
    if study.declared.choosing:
        _told_apart(study, outcome)
    anchors = [candidate for candidate in study.candidates if candidate.policy == "anchor"]
    if len(anchors) != 1 and study.candidates:
        outcome.at(frame.paths[0]).error("/policy", "The bank has one anchor.", "one anchor", len(anchors))


def _written(value: object) -> str:
    """A field of a candidate; a direction as its record writes the rules."""
    return str({action: rule.model_dump() for action, rule in value.items()} if isinstance(value, dict) else value)


def _told_apart(study: Study, outcome: Outcome) -> None:
    """Competing candidates of one scale differ in their family's index, so that ties have one order."""
    first: dict[tuple[Fraction | None, int | None], BankCandidate] = {}
    for candidate in (study.candidates[place] for place in study.bank.competing()):
        index = candidate.family_index
        other = first.setdefault((candidate.exact_scale, index), candidate)
        if other.arm != candidate.arm:
            message = "Two candidates compete at one scale with the same family index, so that ties have no order."
            expected, found = f"another than that of {other.name}", "nothing" if index is None else index
            outcome.on(study.frame("candidate"), candidate.row).error("/family_index", message, expected, found)


def _lacks(study: Study, candidate: BankCandidate) -> Iterator[tuple[str, str, str]]:
    """(field, expected, found) for everything that a candidate's policy misses."""
    declared, policy, interface = study.declared, candidate.policy, candidate.interface
    if policy in ("anchor", "tilt", "query") and declared.anchor is None:
        yield "/policy", "an anchor rule in the protocol", "none"
    taught = declared.shows_teacher(interface)
    if policy not in ("query", "student") and not taught:
        yield "/interface", "one that shows the teacher's distribution, which the policy uses", interface
    if policy == "student" and taught:
        yield "/interface", "one without the teacher: the policy has a base of its own", interface
    due = "shifted-exponential" if policy in ("tilt", "query", "student") else "none"
    if candidate.normalization != due:
        yield "/normalization", due, candidate.normalization
    for name in candidate.splits or ():
        if name not in study.bank.roles:
            yield "/splits", "declared splits", name
    if candidate.splits is not None and (
        policy == "anchor" or study.candidates.index(candidate) in study.bank.competing()
    ):
        yield "/splits", "nothing: the anchor and what competes with it are traced wherever anything is", "a list"
    if policy == "query":
        yield from _query_lacks(study, candidate)
    if policy in ("tilt", "student"):
        yield from _tilt_lacks(study, candidate)
        return
    for field in ("scale", "direction", "family"):
        if (value := getattr(candidate, field)) is not None:
            yield f"/{field}", f"nothing: a {policy} policy has no {field}", _written(value)


def _tilt_lacks(study: Study, candidate: BankCandidate) -> Iterator[tuple[str, str, str]]:
    if candidate.scale is None:
        yield "/scale", "a scale", "nothing"
    elif exact(candidate.scale) < 0:
        yield "/scale", "at least 0", candidate.scale
    checkpoint, direction = candidate.checkpoint_sha256, candidate.direction
    if candidate.policy == "student" and not checkpoint:
        yield "/checkpoint_sha256", "the checkpoint of the base policy", "nothing"
    if direction is None and checkpoint:
        # A learned direction: bank.checkpoints says where it comes from.
        return
    if direction is not None and checkpoint and candidate.policy == "tilt":
        yield "/direction", "nothing: the checkpoint gives the direction", "a rule"
    if set(direction or {}) != set(study.actions):
        found = ", ".join(direction or {}) or "nothing"
        yield "/direction", f"a rule for each of {', '.join(study.actions)}", found
    for action, rule in (direction or {}).items():
        if unknown := set(rule.terms or ()) - set(study.declared.features):
            yield f"/direction/{action}/terms", "declared features", ", ".join(sorted(unknown))


def _query_lacks(study: Study, candidate: BankCandidate) -> Iterator[tuple[str, str, str]]:
    prior, gate = study.declared.prior, study.declared.gate(candidate.arm)
    for rule, there in (("prior", prior), ("query", gate)):
        if there is None:
            yield "/policy", f"a {rule} rule in the protocol", "none"
    logits = {} if prior is None else prior.logits
    if set(logits) != set(study.actions):
        yield "/policy", f"prior logits for each of {', '.join(study.actions)}", ", ".join(logits)
    used = {name for rule in logits.values() for name in rule.terms or {}} | set(gate.terms if gate else ())
    if unknown := used - set(study.declared.features):
        yield "/policy", "declared features", ", ".join(sorted(unknown))
