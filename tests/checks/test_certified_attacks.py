"""Certified studies made to look right, and bad input: each is found with its place, or missing with a reason.

Nothing here may be green, take long, or end in a traceback. Many cases were once verified or once crashed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from checks.certified_mutations import certificate, merged
from cli.runner import sealtrace as command
from sealtrace.bundle.content import document_digest
from sealtrace.contract.result import Finding, Result
from studies.certified_study import ARMS, SCALES, Parts, certified_study

Change = Callable[[Parts], Any]
PROTOCOL = "declare/protocol.json"
BY_POT = "structure/partition.by-pot.json"
CANDIDATES = "bank/candidate.jsonl"
CHECKPOINT = "bank/checkpoint.calm.json"
DUAL = {"selector": "dual"}


def verified(tmp_path: Path, change: Change | None = None) -> Result:
    """What the verifier says of the study after a change."""
    return sealtrace.verify(certified_study(tmp_path / "bundle", change))


def errors(report: Result, check: str) -> list[Finding]:
    """The failures of a check."""
    return [one for one in report.findings if one.check == check and one.severity == "error"]


def reasons(report: Result) -> str:
    """Why evidence is missing."""
    return "\n".join(check.reason or "" for check in report.checks if check.status == "missing")


# Ways to change parts


def declared(**settings: Any) -> Change:
    """Changes the protocol's certification."""
    return lambda parts: parts["protocol"]["certification"].update(settings)


def protocol(**settings: Any) -> Change:
    """Changes the protocol."""
    return lambda parts: parts["protocol"].update(settings)


def resampling(**settings: Any) -> Change:
    """Changes how splits are repeated; what is None is left out."""

    def change(parts: Parts) -> None:
        changed = parts["protocol"]["resampling"] | settings
        parts["protocol"]["resampling"] = {name: value for name, value in changed.items() if value is not None}

    return change


def variant(**settings: Any) -> Change:
    """Changes the first variant."""
    return lambda parts: parts["protocol"]["variants"].update(declared=settings)


def selector(name: str, **settings: Any) -> Change:
    """Changes a selector; None takes a field away."""

    def change(parts: Parts) -> None:
        (one,) = [one for one in parts["protocol"]["selectors"] if one["name"] == name]
        one.update(settings)
        for field, value in settings.items():
            if value is None:
                del one[field]

    return change


def learned_class(**settings: Any) -> Change:
    """Changes the class of the learned partition."""
    return lambda parts: parts["protocol"]["partition_classes"]["aware"].update(settings)


def share(**settings: Any) -> Change:
    """Changes the first share of a partition."""
    return lambda parts: parts["partition"]["by pot"]["allocations"][0].update(settings)


def shares(weight: str) -> Change:
    """Gives every pair of a partition the same share."""

    def change(parts: Parts) -> None:
        for one in parts["partition"]["by pot"]["allocations"]:
            one.update(risk=weight, utility=weight)

    return change


def leaf(place: int, *conditions: tuple[str, str, bool]) -> Change:
    """Changes the rule of one group."""

    def change(parts: Parts) -> None:
        parts["partition"]["by pot"]["leaves"][place]["conditions"] = [
            {"feature": feature, "threshold": threshold, "below": below} for feature, threshold, below in conditions
        ]

    return change


def candidates(arm: str, **settings: Any) -> Change:
    """Changes the candidates of an arm."""

    def change(parts: Parts) -> None:
        for row in parts["candidate"]:
            if row["arm"] == arm:
                row.update(settings)

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(parts: Parts) -> None:
        for one in changes:
            one(parts)

    return change


def checkpoint(edit: Callable[[dict[str, Any]], Any]) -> Change:
    """Changes the weights, and tells the bank and the sealed directions their new digest."""

    def change(parts: Parts) -> None:
        edit(parts["checkpoint"]["calm"])
        digest = document_digest(parts["checkpoint"]["calm"])
        rows = [*parts["candidate"], *(row for rows in parts["residual"].values() for row in rows)]
        for row in rows:
            if "checkpoint_sha256" in row:
                row["checkpoint_sha256"] = digest

    return change


def without_arm(parts: Parts, arm: str, *splits: str) -> None:
    """Takes an arm's traces and scores away."""
    for kind in ("trace", "score"):
        for split in splits:
            parts[kind][split] = [row for row in parts[kind][split] if row["arm"] != arm]


def printed(parts: Parts, row: int, column: int, text: str) -> None:
    """Prints something else in a cell."""
    parts["table"]["certified"]["rows"][row]["cells"][column] = text


# What must hold


def test_the_sound_study_is_verified(tmp_path: Path) -> None:
    """Its checks of certification all inspect something."""
    report = verified(tmp_path)
    assert report.verdict == "verified"
    families = ("bank", "partition", "certificate", "map", "selection", "table")
    unused = {one.id for one in report.checks if one.id.split(".")[0] in families and one.status != "pass"}
    assert unused == {"table.marks", "table.page", "table.reported", "table.source"}
    assert not {"missing", "attested"} & set(report.coverage.statuses)


@pytest.mark.parametrize(
    ("weight", "found"),
    [("1/80", None), ("0.0125", None), (str(Decimal.from_float(0.0125)), "above one"), ("1/79", "80/79")],
)
def test_eighty_times_an_eightieth_is_one(weight: str, found: str | None, tmp_path: Path) -> None:
    """Shares are exact: eighty times 1/80 is one, and eighty times the double next to it is more."""

    def change(parts: Parts) -> None:
        groups = [{"group": f"g{number}", "conditions": _between(number, 80)} for number in range(80)]
        pairs = [{"arm": "bold", "scale": "0", "group": one["group"]} for one in groups]
        entries = [{**pair, "risk": weight, "utility": weight} for pair in pairs]
        parts["partition"]["eighty"] = {"name": "eighty", "leaves": groups, "allocations": entries}

    bundle = certified_study(tmp_path / "bundle", change)
    report = sealtrace.verify(bundle, check=["partition.allocations"])
    sums = [one for one in errors(report, "partition.allocations") if "sum to more than one" in one.message]
    assert len(sums) == (0 if found is None else 2)
    for one in sums:
        assert (one.source, one.key, one.field) == (
            "structure/partition.eighty.json",
            {"partition": "eighty"},
            "/allocations",
        )
        assert one.expected == "at most 1"
        assert one.found == found or (found == "above one" and Fraction(one.found or "0") > 1)


def _between(number: int, groups: int) -> list[dict[str, Any]]:
    """The conditions of one of many groups by size of pot."""
    edges = [(number, False)] * (number > 0) + [(number + 1, True)] * (number < groups - 1)
    return [{"feature": "pot_pressure", "threshold": f"{at}/{groups}", "below": below} for at, below in edges]


DOMAINS: list[tuple[Change, str, str, str]] = [
    (declared(zeta_risk="1"), "/certification/zeta_risk", "between 0 and 1, both excluded", "1"),
    (declared(zeta_util="0"), "/certification/zeta_util", "between 0 and 1, both excluded", "0"),
    (declared(rho="2.5"), "/certification/rho", "from 0 to 2", "2.5"),
    (declared(epsilon_group="1.5"), "/certification/epsilon_group", "from 0 to 1", "1.5"),
    (declared(epsilon_global="-0.5"), "/certification/epsilon_global", "from 0 to 1", "-0.5"),
    (declared(utility_range=["2", "2"]), "/certification/utility_range", "q_min below q_max", "2, 2"),
    (
        variant(
            tau="-1",
            zeta="0",
            rho="3",
            epsilon="2",
            epsilon_group="-1",
            epsilon_global="9/8",
            epsilon_groups={"small": "2"},
            scales=["0.3"],
            allocation="nowhere",
        ),
        "/variants/declared/zeta",
        "between 0 and 1, both excluded",
        "0",
    ),
    (lambda _: None, "/variants/declared/tau", "above 0", "-1"),
    (lambda _: None, "/variants/declared/rho", "from 0 to 2", "3"),
    (lambda _: None, "/variants/declared/epsilon", "from 0 to 1", "2"),
    (lambda _: None, "/variants/declared/epsilon_group", "from 0 to 1", "-1"),
    (lambda _: None, "/variants/declared/epsilon_global", "from 0 to 1", "9/8"),
    (lambda _: None, "/variants/declared/epsilon_groups/small", "from 0 to 1", "2"),
    (lambda _: None, "/variants/declared/scales", "a scale of the grid", "0.3"),
    (lambda _: None, "/variants/declared/allocation", "an allocation of the protocol", "nowhere"),
    (
        protocol(allocations={"odd": {"risk": {"scales": {"1": "0", "one": "1"}, "total": "3/2"}, "utility": {}}}),
        "/allocations/odd/risk/scales/1",
        "above 0",
        "0",
    ),
    (lambda _: None, "/allocations/odd/risk/scales", "scales", "one"),
    (lambda _: None, "/allocations/odd/risk/total", "above 0 and at most 1", "3/2"),
    (learned_class(lambda_cert="-1"), "/partition_classes/aware/lambda_cert", "at least 0", "-1"),
    (learned_class(lambda_comp="-1/2"), "/partition_classes/aware/lambda_comp", "at least 0", "-1/2"),
    (
        learned_class(thresholds={"pot_pressure": ["0.5", "1/2"], "mood": ["1"]}),
        "/partition_classes/aware/thresholds/pot_pressure",
        "strictly ascending",
        "0.5, 1/2",
    ),
    (lambda _: None, "/partition_classes/aware/thresholds", "a declared feature", "mood"),
    (
        lambda parts: parts["protocol"]["assignment"].update(strata=["mood"], order=["held-out", "nope"]),
        "/assignment/strata",
        "declared features",
        "mood",
    ),
    (lambda _: None, "/assignment", "declared splits, each once", "held-out, nope"),
    (
        resampling(repeats=0, pool=["held-out", "held-out"], strata=["mood"]),
        "/resampling/repeats",
        "above 0",
        "0",
    ),
    (lambda _: None, "/resampling", "declared splits, each once", "held-out, held-out"),
    (lambda _: None, "/resampling/strata", "declared features", "mood"),
    (selector("dual", partition=None), "/selectors/6/partition", "given for dual", "None"),
    (selector("fixed", scale=None), "/selectors/1/scale", "given for fixed", "None"),
    (selector("mean-strong", limit=None), "/selectors/3/limit", "given for mean-strong", "None"),
    (selector("kl-budget", clip="2"), "/selectors/4/clip", "at least 0 and below 1", "2"),
    (selector("robust", radius="3"), "/selectors/7/radius", "from 0 to 2", "3"),
    (selector("risk-only", allocation="gone"), "/selectors/5/allocation", "an allocation of the protocol", "gone"),
    (
        selector("anchor", group_budgets=False),
        "/selectors/0/group_budgets",
        "absent, unless a rule is robust",
        "False",
    ),
    (
        protocol(ties={"action": "earliest-legal"}),
        "/ties/map",
        "a rule, where equals may compete",
        "None",
    ),
    (lambda _: None, "/ties/selection", "a rule, where equals may compete", "None"),
    (lambda _: None, "/ties/partition", "a rule, where equals may compete", "None"),
    (
        lambda parts: parts["protocol"]["features"].update(
            who={"field": "state", "form": "lookup", "table": {"x": "1"}}
        ),
        "/features/who",
        "a field of that form, with its table or a cap above 0",
        "lookup of state",
    ),
]
"""Change, pointer, domain, value. All are made in one bundle; where the change is nothing, an earlier one made it."""


def test_every_parameter_outside_its_domain_is_found(tmp_path: Path) -> None:
    """Each with its pointer, its domain and its value, and none hides another."""
    report = verified(tmp_path, both(*(change for change, *_ in DOMAINS)))
    found = {(one.source, one.field, one.expected, one.found) for one in errors(report, "protocol.domain")}
    assert found >= {(PROTOCOL, pointer, domain, value) for _, pointer, domain, value in DOMAINS}
    assert len(found) == len(DOMAINS)


def _at(state: str, arm: str, scale: str | None = None) -> dict[str, str]:
    """The key of a calibration trace."""
    return {"state": state, "arm": arm} | ({} if scale is None else {"scale": scale}) | {"split": "calibration"}


_FIRST_SHARE = {"partition": "by pot", "arm": "bold", "group": "small", "scale": "0"}
_CERTIFIED = "bold@0, meek@0, calm@0, calm@1/2, calm@1, anchor"

Place = tuple[str, dict[str, str] | None, str | None, str | None, str | None]
"""File, key, pointer, expected and found."""


def _same_scale_twice(parts: Parts) -> None:
    (row,) = [row for row in parts["candidate"] if row["arm"] == "bold" and row["scale"] == "1/2"]
    parts["candidate"].append({**row, "scale": "0.50"})


def _without_pot(parts: Parts) -> None:
    for fields in parts["protocol"]["interfaces"].values():
        fields.remove("pot")


def _unknown_seat(parts: Parts) -> None:
    del parts["protocol"]["features"]["seat"]["table"]["late"]
    leaf(0, ("seat", "1/2", True))(parts)
    leaf(1, ("seat", "1/2", False))(parts)


def _empty_structure_group(parts: Parts) -> None:
    leaves = parts["partition"]["learned"]["leaves"]
    leaves.append(copy.deepcopy(leaves[0]) | {"group": "g9"})
    leaves[-1]["conditions"].append({**leaves[0]["conditions"][0], "below": not leaves[0]["conditions"][0]["below"]})


def _map_of_nobody(parts: Parts) -> None:
    parts["map"]["nobody"] = {**parts["map"]["dual"], "selector": "nobody"}


def _second_map(parts: Parts) -> None:
    parts["map"]["dual again"] = parts["map"]["dual"]


def _second_certificate(parts: Parts) -> None:
    parts["certificate"].append(parts["certificate"][0])


def _unscored_state(parts: Parts) -> None:
    del parts["values"]["calibration"][0]


def _certificate_of_nowhere(parts: Parts) -> None:
    parts["certificate"].append({**parts["certificate"][0], "group": "nowhere"})


PLACES: dict[str, tuple[Change, str, Place]] = {
    "a group's budget above one": (
        lambda parts: parts["partition"]["by pot"]["leaves"][0].update(epsilon="5/4"),
        "partition.allocations",
        (BY_POT, {"partition": "by pot", "group": "small"}, "/leaves/0/epsilon", "from 0 to 1", "5/4"),
    ),
    "an anchor that competes": (
        protocol(competitors=["bold", "meek", "calm", "anchor"]),
        "bank.policies",
        (PROTOCOL, None, "/competitors/3", "bold, calm, free, meek", "anchor"),
    ),
    "a share of zero": (
        share(risk="0"),
        "partition.allocations",
        (BY_POT, _FIRST_SHARE, "/allocations/0/risk", "above 0", "0"),
    ),
    "a negative share": (
        share(utility="-1/18"),
        "partition.allocations",
        (BY_POT, _FIRST_SHARE, "/allocations/0/utility", "above 0", "-1/18"),
    ),
    "shares that sum above one": (
        shares("1/17"),
        "partition.allocations",
        (BY_POT, {"partition": "by pot"}, "/allocations", "at most 1", "18/17"),
    ),
    "a share without a scale": (
        lambda parts: parts["partition"]["by pot"]["allocations"][0].pop("scale"),
        "partition.allocations",
        (
            BY_POT,
            {"partition": "by pot", "arm": "bold", "group": "small"},
            "/allocations/0",
            "one share per competing candidate and group",
            "bold@none in small",
        ),
    ),
    "a share of what does not compete": (
        share(arm="free", scale="1"),
        "partition.allocations",
        (
            BY_POT,
            {"partition": "by pot", "arm": "free", "group": "small", "scale": "1"},
            "/allocations/0",
            "one share per competing candidate and group",
            "free@1 in small",
        ),
    ),
    "an undeclared feature": (
        leaf(0, ("mood", "1/2", True)),
        "partition.rule",
        (
            BY_POT,
            {"partition": "by pot", "group": "small"},
            "/leaves/0/conditions/0/feature",
            "pot_pressure, seat",
            "mood",
        ),
    ),
    "a field that no interface shows": (
        _without_pot,
        "partition.rule",
        (
            BY_POT,
            {"partition": "by pot", "group": "small"},
            "/leaves/0/conditions/0/feature",
            "legal, position, stack",
            "pot_pressure of pot",
        ),
    ),
    "groups that overlap": (
        leaf(0),
        "partition.rule",
        ("declare/observation.calibration.jsonl", {"state": "s004"}, "/state", "one group", "2"),
    ),
    "a gap between groups": (
        leaf(0, ("pot_pressure", "0.15", True)),
        "partition.rule",
        ("declare/observation.calibration.jsonl", {"state": "s002"}, "/state", "one group", "0"),
    ),
    "a feature that cannot be computed": (
        _unknown_seat,
        "partition.rule",
        ("declare/observation.calibration.jsonl", {"state": "s007"}, "/state", "one group", "0"),
    ),
    "a learned group without structure states": (
        _empty_structure_group,
        "partition.support",
        ("structure/partition.learned.json", {"partition": "learned", "group": "g9"}, "/leaves/2", "at least 6", "0"),
    ),
    "a scale written in two ways": (
        _same_scale_twice,
        "bank.scales",
        (CANDIDATES, {"arm": "bold", "scale": "0.50"}, "/scale", "once, as bold@1/2", "bold@0.50"),
    ),
    "weights with too few inputs": (
        checkpoint(lambda one: one["residual"][0]["weights"].pop()),
        "bank.checkpoints",
        (CHECKPOINT, None, "/residual/0/weights", "2 inputs", "1"),
    ),
    "weights with too few outputs": (
        checkpoint(lambda one: one["residual"][1]["weights"][0].pop()),
        "bank.checkpoints",
        (CHECKPOINT, None, "/residual/1/weights/0", "2 outputs", "1"),
    ),
    "a base of another width": (
        checkpoint(lambda one: one.update(base=[{"weights": [[1.0], [1.0]], "bias": [0.0], "activation": "relu"}])),
        "bank.checkpoints",
        (CHECKPOINT, None, "/base", "2 outputs at the end", "1"),
    ),
    "weights on an undeclared feature": (
        checkpoint(lambda one: one.update(features=["pot_pressure", "mood"])),
        "bank.checkpoints",
        (CHECKPOINT, None, "/features/1", "a declared feature", "mood"),
    ),
    "weights of other actions": (
        checkpoint(lambda one: one.update(actions=["move", "stay"])),
        "bank.checkpoints",
        (CHECKPOINT, None, "/actions", "stay, move", "move, stay"),
    ),
    "weights of another family": (
        checkpoint(lambda one: one.update(family="bold")),
        "bank.checkpoints",
        (CANDIDATES, {"arm": "calm", "scale": "0"}, "/checkpoint_sha256", "calm", "bold"),
    ),
    "a certificate of an unknown group": (
        _certificate_of_nowhere,
        "certificate.complete",
        (
            "calibrate/certificate.jsonl",
            {"partition": "global", "group": "nowhere", "arm": "bold", "scale": "0"},
            "/group",
            "a group of a frozen partition, and a competing candidate",
            "global nowhere bold 0",
        ),
    ),
    "a certificate twice": (
        _second_certificate,
        "join.unique-key",
        (
            "calibrate/certificate.jsonl",
            {"partition": "global", "group": "all", "arm": "bold", "scale": "0"},
            "/partition+group+arm+scale",
            "only calibrate/certificate.jsonl:1",
            "calibrate/certificate.jsonl:28",
        ),
    ),
    "a map twice": (
        _second_map,
        "map.selector",
        ("select/map.dual-again.json", DUAL, "/selector", "one map per selector", "2"),
    ),
    "a map of an undeclared selector": (
        _map_of_nobody,
        "map.selector",
        (
            "select/map.nobody.json",
            {"selector": "nobody"},
            "/selector",
            "anchor, fixed, empirical-zero, mean-strong, kl-budget, risk-only, dual, robust",
            "nobody",
        ),
    ),
    "a map with an uncertified candidate": (
        lambda parts: parts["map"]["dual"]["assignments"][1].update(arm="bold", scale="1"),
        "map.certified",
        ("select/map.dual.json", {**DUAL, "group": "large"}, "/assignments/1", _CERTIFIED, "bold@1"),
    ),
    "a calibration state without values": (
        _unscored_state,
        "join.values",
        ("declare/observation.calibration.jsonl", {"state": "s002"}, "/state", "one strong record", "none"),
    ),
    "utilities outside the range": (
        declared(utility_range=["-1/2", "1/2"]),
        "certificate.range",
        ("trace/trace.calibration.jsonl", _at("s002", "bold", "0"), "/probabilities", "from -0.5 to 0.5", None),
    ),
}
"""Bad input to the check that finds it, and the place of its first error."""


@pytest.mark.parametrize("name", PLACES)
def test_bad_input_is_found_with_its_place(name: str, tmp_path: Path) -> None:
    """File, key, pointer, what is expected and what was found."""
    change, check, (source, key, pointer, expected, found) = PLACES[name]
    report = verified(tmp_path, change)
    first, *_ = errors(report, check)
    assert (first.source, first.key, first.field, first.expected) == (source, key, pointer, expected)
    assert found in (None, first.found)
    assert report.verdict == "findings"


# Groups without calibration states


def _with_an_empty_group(parts: Parts) -> None:
    """A third group that no state falls into; every bound keeps its share of the failure budget."""
    parts["protocol"]["certification"] |= {"zeta_risk": "0.1125", "zeta_util": "0.1125"}
    for name, weight in (("global", "2/27"), ("by pot", "1/27"), ("learned", "1/27")):
        for one in parts["partition"][name]["allocations"]:
            one.update(risk=weight, utility=weight)
    partition = parts["partition"]["by pot"]
    sides = [one["conditions"][0] for one in partition["leaves"]]
    partition["leaves"].append({"group": "none", "conditions": sides})
    pairs = [(arm, scale) for arm in ARMS for scale in SCALES]
    entries = [{"arm": arm, "scale": scale, "group": "none", "risk": "1/27", "utility": "1/27"} for arm, scale in pairs]
    partition["allocations"] += entries
    empty = {"states": 0, "crossings": 0, "risk_upper": 1.0, "utility_lower": 0.0, "certified": False}
    parts["certificate"] += [
        {"partition": "by pot", "group": "none", "arm": arm, "scale": scale, **empty} for arm, scale in pairs
    ]
    # A mixture within a positive radius may move mass to the empty group: other bounds than those of the sound study.
    parts["protocol"]["selectors"].pop()
    del parts["map"]["robust"], parts["table"]["certified"]
    for name in ("risk-only", "dual"):
        fallback = {"group": "none", "outcome": "no-certified-candidate", "arm": "anchor"}
        parts["map"][name]["assignments"].append(fallback)


def test_a_group_without_calibration_states_falls_back(tmp_path: Path) -> None:
    """It has U = 1 and L = 0, deploys the anchor, and a warning names it."""
    report = verified(tmp_path, _with_an_empty_group)
    assert report.verdict == "verified", [one.message for one in report.findings]
    (warning,) = [one for one in report.findings if one.severity == "warning"]
    assert (warning.check, warning.source, warning.field) == ("partition.support", BY_POT, "/leaves/2")
    assert (warning.key, warning.found) == ({"partition": "by pot", "group": "none"}, "0")


@pytest.mark.parametrize(
    ("field", "value", "check"),
    [
        ("risk_upper", 0.5, "certificate.risk"),
        ("utility_lower", 0.1, "certificate.utility"),
        ("utility_mean", 0.5, "certificate.utility"),
        ("certified", True, "certificate.certified"),
    ],
)
def test_nothing_else_is_certified_in_an_empty_group(field: str, value: object, check: str, tmp_path: Path) -> None:
    """Neither a bound nor a mean."""

    def change(parts: Parts) -> None:
        _with_an_empty_group(parts)
        certificate(parts, "by pot", "none", "meek", "1")[field] = value

    (finding,) = errors(verified(tmp_path, change), check)
    assert finding.key == {"partition": "by pot", "group": "none", "arm": "meek", "scale": "1"}
    assert finding.field == f"/{field}"


# Weights and libraries that are not there


def _without_weights(parts: Parts) -> None:
    parts["checkpoint"].clear()
    parts["candidate"] = [row for row in parts["candidate"] if row["arm"] != "free"]
    without_arm(parts, "free", "calibration", "held-out")


def test_directions_without_weights_are_said_to_be_taken_as_sealed(tmp_path: Path) -> None:
    """A note at the candidate; traces are still replayed from the sealed directions."""
    report = verified(tmp_path, _without_weights)
    assert report.verdict == "verified"
    (note,) = [one for one in report.findings if one.severity == "note"]
    assert (note.check, note.source, note.field) == ("bank.checkpoints", CANDIDATES, "/checkpoint_sha256")
    assert (note.key, note.found) == ({"arm": "calm", "scale": "0"}, "sealed directions only")


def test_neither_weights_nor_directions_is_missing(tmp_path: Path) -> None:
    """A trace of such a policy cannot be replayed."""

    def change(parts: Parts) -> None:
        _without_weights(parts)
        parts["residual"] = {}

    report = verified(tmp_path, change)
    assert report.verdict == "incomplete"
    assert "neither weights nor sealed directions of calm are in the bundle" in reasons(report)


def test_a_teacher_free_policy_needs_its_weights(tmp_path: Path) -> None:
    """Sealed directions give no base policy."""
    report = verified(tmp_path, lambda parts: parts["checkpoint"].clear())
    assert report.verdict == "incomplete"
    assert "free@1 does not declare what its policy needs" in reasons(report)


# Attacks


def _tied_partition(parts: Parts) -> None:
    """The same groups by a threshold that no state lies below: equal, and later in the tie rule."""
    used = parts["partition"]["learned"]["leaves"][0]["conditions"][0]
    before = used["feature"], Fraction(used["threshold"])
    later = str(before[1] + Fraction(1, 100))
    allowed = parts["protocol"]["partition_classes"]["aware"]["thresholds"][used["feature"]]
    allowed.append(later)
    allowed.sort(key=Fraction)
    for one in parts["partition"]["learned"]["leaves"]:
        for condition in one["conditions"]:
            if (condition["feature"], Fraction(condition["threshold"])) == before:
                condition["threshold"] = later


def _other_shares(parts: Parts) -> None:
    for place, one in enumerate(parts["partition"]["by pot"]["allocations"]):
        one.update(risk="1/36" if place < 9 else "3/36", utility="1/36" if place < 9 else "3/36")


def _hidden_traces(parts: Parts) -> None:
    candidates("meek", splits=["calibration", "structure"])(parts)
    without_arm(parts, "meek", "held-out")


def _without_indices(parts: Parts) -> None:
    for row in parts["candidate"]:
        row.pop("family_index", None)


def _ask_certificates(parts: Parts) -> None:
    """What was reported is not evidence for itself."""
    query = {"sql": "SELECT max(utility_lower) FROM certificate"}
    parts["table"]["certified"]["rows"][0]["recipes"] = {parts["table"]["certified"]["columns"][6]["label"]: query}


def _other_seed(parts: Parts) -> None:
    parts["protocol"]["resampling"]["seed"] += 1


def _other_variant(parts: Parts) -> None:
    parts["protocol"]["variants"]["loose"]["epsilon"] = "1/10"


def _measured_otherwise(parts: Parts) -> None:
    for row in parts["measurement"]:
        row["value"] /= 2


def _second_partition(parts: Parts) -> None:
    parts["partition"]["copy"] = copy.deepcopy(parts["partition"]["by pot"])


def _huge_scale(parts: Parts) -> None:
    parts["protocol"]["scale_grid"][-1] = "1e300"
    allocated = [one for partition in parts["partition"].values() for one in partition["allocations"]]
    traced = [row for kind in ("trace", "score") for rows in parts[kind].values() for row in rows]
    for row in [*parts["candidate"], *parts["certificate"], *allocated, *traced]:
        if row.get("scale") == "1":
            row["scale"] = "1e300"


def _many_groups(parts: Parts) -> None:
    partition = parts["partition"]["by pot"]
    partition["leaves"] = [{"group": f"g{number}", "conditions": _between(number, 300)} for number in range(300)]
    partition["allocations"] = [
        {"arm": arm, "scale": scale, "group": one["group"], "risk": f"1/{2700 + place}", "utility": "1/2700"}
        for arm in ARMS
        for scale in SCALES
        for place, one in enumerate(partition["leaves"])
    ]


def _more_leaves_than_states(parts: Parts) -> None:
    learned_class(depth=10**6)(parts)
    leaves = [{"group": f"g{number}", "conditions": _between(number, 300)} for number in range(300)]
    parts["protocol"]["partition_classes"]["aware"]["thresholds"]["pot_pressure"] = [f"{n}/300" for n in range(1, 300)]
    parts["partition"]["learned"]["leaves"] = leaves


def _no_certificate_anywhere(parts: Parts) -> None:
    parts["certificate"].clear()
    del parts["protocol"]["certification"]["partition"]
    for rows in parts["trace"].values():
        for row in rows:
            row.pop("group", None)


def _utility_bounds_of_nothing(parts: Parts) -> None:
    """Utility bounds that no failure probability stands behind, where no selector needs one."""
    del parts["protocol"]["certification"]["zeta_util"]
    kept = ("fixed", "empirical-zero", "mean-strong", "kl-budget", "risk-only")
    parts["protocol"]["selectors"] = [one for one in parts["protocol"]["selectors"] if one["name"] in kept]
    parts["map"] = {name: parts["map"][name] for name in kept}
    parts["table"].clear()
    for row in parts["certificate"]:
        row["utility_lower"] = 0.99


def _hidden_learning(parts: Parts) -> None:
    merged(parts)
    parts["table"].clear()
    del parts["partition"]["learned"]["learned_in"], parts["partition"]["learned"]["objective"]


def _two_structure_splits(parts: Parts) -> None:
    parts["protocol"]["splits"].append({"name": "more structure", "role": "structure", "states": 0})


def _labelled_structure(parts: Parts) -> None:
    parts["trace"]["structure"][0]["group"] = "large"


def _no_calibration(parts: Parts) -> None:
    for kind in ("observation", "teacher", "residual", "trace", "values", "score"):
        parts[kind]["calibration"] = []
    parts["protocol"]["splits"][0]["states"] = 0


def residual(edit: Callable[[list[dict[str, Any]]], Any]) -> Change:
    """Changes the sealed directions of the calibration split."""
    return lambda parts: edit(parts["residual"]["calibration"])


_NOBODY = {"family": "calm", "state": "s999", "split": "calibration", "direction": {"stay": 0.0, "move": 9.0}}

FOUND: dict[str, tuple[Change, str]] = {
    "other weights under a true digest": (checkpoint(lambda one: one["residual"][1]["bias"].reverse()), "replay.tilt"),
    "another base under a true digest": (checkpoint(lambda one: one["base"][0]["bias"].reverse()), "replay.student"),
    "a family with two checkpoints": (candidates("free", checkpoint_sha256="0" * 64), "bank.checkpoints"),
    "a tie that goes to the later partition": (_tied_partition, "partition.optimal"),
    "certificates of other shares": (_other_shares, "certificate.risk"),
    "evaluators that are swapped": (protocol(evaluators={"utility": "strong", "risk": "weak"}), "certificate.counts"),
    "the bounds of another radius": (selector("robust", radius="1/10"), "map.bounds"),
    "repeats of another seed": (_other_seed, "table.cells"),
    "a cell that asks a reported certificate": (_ask_certificates, "table.recipes"),
    "a measurement changed in the table": (lambda parts: printed(parts, 0, 6, "0.3750"), "table.cells"),
    "a measurement changed in the records": (_measured_otherwise, "table.cells"),
    "a map changed in the table": (lambda parts: printed(parts, 0, 0, "meek@1 / bold@0"), "table.cells"),
    "a variant changed afterwards": (_other_variant, "table.cells"),
    "traces hidden by a list of splits": (_hidden_traces, "bank.policies"),
    "an anchor with a list of splits": (candidates("anchor", splits=["calibration"]), "bank.policies"),
    "two families with one index": (candidates("meek", family_index=0), "bank.policies"),
    "families without an index": (_without_indices, "bank.policies"),
    "another index at one scale": (lambda parts: parts["candidate"][6].update(family_index=9), "bank.policies"),
    "a second partition of one name": (_second_partition, "partition.rule"),
    "a scale of 1e300": (_huge_scale, "replay.tilt"),
    "a support of 10^12": (learned_class(minimum_support=10**12), "partition.support"),
    "10^9 repeats": (resampling(repeats=10**9), "table.recipes"),
    "more calibration states than the pool": (resampling(calibration=10**15), "table.recipes"),
    "blocks that the pool has not": (resampling(generator="blocks", seed=None, strata=None), "table.recipes"),
    "blocks with a seed": (resampling(generator="blocks", strata=None), "protocol.domain"),
    "a pool that is dealt without a seed": (resampling(seed=None), "protocol.domain"),
    "a threshold of 1e999": (protocol(tau="1e999"), "threshold.recomputed"),
    "a share of 1e-400": (share(risk="1e-400"), "certificate.risk"),
    "a failure probability of 1e-999": (declared(zeta_risk="1e-999"), "certificate.risk"),
    "a failure probability next to one": (declared(zeta_risk="0." + "9" * 60), "certificate.risk"),
    "a failure probability of zero": (declared(zeta_risk="0"), "protocol.domain"),
    "a radius of 2.5": (declared(rho="2.5"), "protocol.domain"),
    "a negative budget": (declared(epsilon_global="-1/2"), "protocol.domain"),
    "a selector's radius of 3": (selector("robust", radius="3"), "protocol.domain"),
    "a variant's radius of 3": (variant(rho="3"), "protocol.domain"),
    "a range that no double holds": (
        both(
            declared(utility_range=["-1e999", "1e999"]),
            lambda parts: [row.pop(name) for row in parts["certificate"] for name in ("utility_mean", "utility_lower")],
        ),
        "table.recipes",
    ),
    "more leaves than structure states": (_more_leaves_than_states, "partition.class"),
    "no grid": (protocol(scale_grid=[]), "partition.allocations"),
    "no selectors": (protocol(selectors=[]), "map.selector"),
    "no shares": (lambda parts: parts["partition"]["by pot"]["allocations"].clear(), "partition.allocations"),
    "no families": (lambda parts: parts["protocol"]["variants"]["calm only"].update(families=[]), "table.recipes"),
    "a family that nobody has": (
        lambda parts: parts["protocol"]["variants"]["calm only"].update(families=["calm", "cool"]),
        "table.recipes",
    ),
    "no thresholds": (learned_class(thresholds={}), "partition.class"),
    "no interfaces": (protocol(interfaces={}), "partition.rule"),
    "no calibration states": (_no_calibration, "certificate.counts"),
    "an unknown class": (lambda parts: parts["partition"]["learned"].update(learned_in="best"), "partition.class"),
    "certificates without a certification": (lambda parts: parts["protocol"].pop("certification"), "partition.labels"),
    "a selector in a missing partition": (selector("dual", partition="nowhere"), "certificate.complete"),
    "a deployed partition without certificates": (declared(partition="learned"), "certificate.complete"),
    "utility bounds without a failure probability": (_utility_bounds_of_nothing, "certificate.utility"),
    "a group on a structure trace": (_labelled_structure, "partition.labels"),
    "directions of another checkpoint": (
        residual(lambda rows: [row.update(checkpoint_sha256="0" * 64) for row in rows]),
        "replay.residual",
    ),
    "a direction of no state": (residual(lambda rows: rows.append(_NOBODY)), "replay.residual"),
    "a direction of an undeclared action": (
        residual(lambda rows: rows[0]["direction"].update(jump=1.0)),
        "replay.residual",
    ),
    "a direction without an action": (residual(lambda rows: rows[0]["direction"].pop("stay")), "replay.residual"),
}
"""Attack to a check that finds it."""

MISSING: dict[str, tuple[Change, str]] = {
    "no certificate anywhere": (_no_certificate_anywhere, "the protocol certifies, and the bundle has no certificate"),
    "a learned partition that does not say so": (_hidden_learning, "no partition says that it was learned in aware"),
    "two structure splits": (_two_structure_splits, "the protocol does not declare one structure split"),
    "a selector of a missing arm": (selector("fixed", arm="nobody"), "nobody@1/2 is no competing candidate"),
    "evaluators that nobody is valued by": (
        variant(evaluators={"utility": "kind", "risk": "kind"}),
        "bold@0 cannot be scored at 20 calibration states of small",
    ),
    "a thousand thresholds": (
        learned_class(thresholds={"pot_pressure": [f"{number}/2002" for number in range(1, 1002)] + ["1"]}),
        "a class of more than 1000 thresholds is not searched",
    ),
    "certificates without partitions": (lambda parts: parts["partition"].clear(), "no partition is frozen"),
    "hundreds of groups": (_many_groups, "a map of more than 256 groups is not searched for"),
}
"""Attack to the reason why evidence is missing."""


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str, tmp_path: Path) -> None:
    """The check that is meant for it fails."""
    change, check = FOUND[name]
    bundle = certified_study(tmp_path / "bundle", change)
    report = sealtrace.verify(bundle)
    assert errors(report, check), {one.id for one in report.checks if one.status == "fail"}
    assert report.verdict == "findings"


@pytest.mark.parametrize("name", MISSING)
def test_missing(name: str, tmp_path: Path) -> None:
    """Never green, and the reason is said."""
    change, reason = MISSING[name]
    report = verified(tmp_path, change)
    assert reason in reasons(report)
    assert report.verdict in ("incomplete", "findings")


def test_exit_codes(tmp_path: Path) -> None:
    """0, 1 and 3, as documented; nothing on standard error."""
    for name, change, code in (
        ("sound", None, 0),
        ("found", declared(zeta_risk="0"), 1),
        ("missing", _two_structure_splits, 3),
    ):
        run = command("verify", certified_study(tmp_path / name, change))
        assert (run.code, run.errors) == (code, "")
