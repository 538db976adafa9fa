"""What every candidate did at every state, and how that scored."""

from __future__ import annotations

from fractions import Fraction

from rsd_stratified import policies
from rsd_stratified.bank import candidates_on
from rsd_stratified.groups import group_of
from rsd_stratified.population import Population
from rsd_stratified.protocol import DIRECTION
from rsd_stratified.states import Candidate, Row, State, Traced


class Tracer:
    """Runs the frozen bank."""

    def __init__(self, protocol: Row, weights: dict[str, Row]) -> None:
        self._protocol = protocol
        self._weights = weights

    def traced(self, state: State) -> Traced:
        """Everything that is known of a state once its policies have run."""
        seen = policies.features(self._protocol, state.observation)
        teacher = policies.teacher(self._protocol, state.teacher)
        anchored = policies.anchor(self._protocol, teacher)
        own = policies.base(self._weights["student"], seen, state.legal)
        directions = {"fixed": policies.fixed_direction(seen, state.legal)} | {
            family: policies.learned_direction(record, seen, state.legal) for family, record in self._weights.items()
        }
        candidates = candidates_on(state.split)
        return Traced(
            state=state,
            features=seen,
            teacher=teacher,
            policies={one.name: policies.policy(one, anchored, own, directions) for one in candidates},
            latency={one.name: self._charge(one)["latency_ms"] for one in candidates},
        )

    def trace_rows(self, traced: list[Traced], partition: Row | None = None) -> list[Row]:
        """The records of one split, by state; with groups once the partition is frozen."""
        rows = []
        for one in traced:
            group = {} if partition is None else {"group": group_of(partition, one.features)}
            for candidate in candidates_on(one.state.split):
                probabilities = one.policies[candidate.name]
                rows.append(
                    {"state": one.state.id, "arm": candidate.arm}
                    | ({} if candidate.scale is None else {"scale": candidate.scale})
                    | {"split": one.state.split}
                    | group
                    | {
                        "inputs": self._inputs(candidate),
                        "legal": one.state.legal,
                        "probabilities": probabilities,
                        "action": policies.top_action(probabilities),
                        "ledger": [self._charge(candidate)],
                    }
                )
        return rows

    def _inputs(self, one: Candidate) -> list[str]:
        """The fields that the policy read."""
        names: set[str] = set()
        if one.family in self._weights:
            names = set(self._weights[one.family]["features"])
        elif one.family is not None:
            names = {name for rule in DIRECTION.values() for name in rule.get("terms", {})}
        read = {self._protocol["features"][name]["field"] for name in names} | {"legal"}
        return sorted(read if one.policy == "student" else read | {"teacher.distribution"})

    def _charge(self, one: Candidate) -> Row:
        """The one event that a candidate owes."""
        event = {"anchor": "policy", "tilt": f"residual-{one.family}", "student": "student"}[one.policy]
        rule = self._protocol["charges"][event]
        return {
            "event": event,
            "tokens": rule["tokens"],
            "latency_ms": policies.real(rule["latency_ms"]),
            "tool_calls": rule["tool_calls"],
        }


def score_rows(protocol: Row, traced: list[Traced], digest: str) -> list[Row]:
    """The score of every trace of a split, in the order of its traces."""
    utility, risk = protocol["evaluators"]["utility"], protocol["evaluators"]["risk"]
    scored = Population(traced)
    rows = []
    for place, one in enumerate(scored.traced):
        for candidate in candidates_on(one.state.split):
            name = candidate.name
            rows.append(
                {"state": one.state.id, "arm": candidate.arm}
                | ({} if candidate.scale is None else {"scale": candidate.scale})
                | {
                    "split": one.state.split,
                    "weak": scored.expected(name, utility)[place],
                    "strong": scored.expected(name, risk)[place],
                    "delta": scored.deltas(name, risk)[place],
                    "crossing": scored.crossings(name, risk, Fraction(protocol["tau"]))[place],
                    "trace_sha256": digest,
                }
            )
    return rows
