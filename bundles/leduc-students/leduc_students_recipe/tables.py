"""The study's tables, in the layout of the paper's. Every number in them is this study's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from leduc_recipe.values import worth
from leduc_students_recipe import formulas
from leduc_students_recipe.players import SETS
from leduc_students_recipe.settings import ARMS, CONTEST, DISTILLATION, OPPONENTS, RUNS, SERVICE, THREE
from leduc_students_recipe.study import Candidate, Study

Hand = dict[str, Any]
Recipe = dict[str, Any]
TITLES = {"no-residual": "No residual", "fixed": "Fixed residual", "calibrated": "Risk-calibrated residual"}
HELD_OUT = int(DISTILLATION["held_out"]["draws"])


class Report:
    """Hands and attempts by candidate and arm, ready to be summed."""

    def __init__(self, study: Study, hands: list[Hand], attempts: list[dict[str, Any]]) -> None:
        self.study = study
        self.hands: dict[tuple[str, str], list[Hand]] = {}
        for hand in hands:
            self.hands.setdefault((hand["arm"], hand["opponent"]), []).append(hand)
        self.requests: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for attempt in attempts:
            if attempt["phase"] == "timed":
                self.requests.setdefault(attempt["arm"], {}).setdefault(attempt["request"], []).append(attempt)

    def candidates(self, arm: str, runs: Sequence[str] = RUNS) -> list[Candidate]:
        return [self.study.deployed(arm, run) for run in runs]

    def played(self, candidates: Sequence[Candidate], opponents: Sequence[str] = OPPONENTS) -> list[Hand]:
        names = [f"{candidate.run}@{candidate.scale}" for candidate in candidates]
        return [hand for name in names for opponent in opponents for hand in self.hands[name, opponent]]

    def timed(self, arm: str, runs: Sequence[str] = RUNS) -> list[list[dict[str, Any]]]:
        return [request for run in runs for request in self.requests[f"{arm}/{run}"].values()]


def score(hands: list[Hand]) -> float:
    """Wins and half of the ties."""
    return formulas.mean([{"win": 1.0, "tie": 0.5, "loss": 0.0}[hand["result"]] for hand in hands])


def hand_ev(hands: list[Hand]) -> float:
    return formulas.mean([hand["value"] for hand in hands])


def by_pair(hands: list[Hand]) -> list[float]:
    """The mean return of each deal, over both seats and over whoever played it."""
    pairs: dict[str, list[float]] = {}
    for hand in hands:
        pairs.setdefault(hand["match"], []).append(hand["value"])
    return [formulas.mean(values) for values in pairs.values()]


def legality(requests: list[list[dict[str, Any]]]) -> float:
    attempts = [attempt for request in requests for attempt in request]
    return sum(1 for attempt in attempts if attempt["outcome"] == "ok") / len(attempts)


def retry_rate(requests: list[list[dict[str, Any]]]) -> float:
    return sum(len(request) - 1 for request in requests) / sum(map(len, requests))


def failure_rate(requests: list[list[dict[str, Any]]]) -> float:
    return sum(1 for request in requests if request[-1]["outcome"] != "ok") / len(requests)


def latency(request: list[dict[str, Any]]) -> float:
    return float(request[-1]["started_ms"] + request[-1]["elapsed_ms"] - request[0]["started_ms"])


def latencies(requests: list[list[dict[str, Any]]]) -> list[float]:
    return [latency(request) for request in requests]


def tokens(requests: list[list[dict[str, Any]]]) -> float:
    return formulas.mean([sum(a["prompt_tokens"] + a["generated_tokens"] for a in request) for request in requests])


def throughput(requests: list[list[dict[str, Any]]]) -> float:
    """Requests per second between the first start and the last end."""
    start = min(request[0]["started_ms"] for request in requests)
    end = max(request[-1]["started_ms"] + request[-1]["elapsed_ms"] for request in requests)
    return float(1000 * len(requests) / (end - start))


QUANTITIES: dict[str, Callable[[Candidate], float]] = {
    "weak_ev": lambda candidate: candidate.weak,
    "strong_ev": lambda candidate: candidate.strong,
    "violation": lambda candidate: candidate.violations / HELD_OUT,
    "nash_conv": lambda candidate: candidate.worth.nash_conv,
    "exploitability": lambda candidate: candidate.worth.nash_conv / 2,
    "best_response_0": lambda candidate: candidate.worth.best_response_0,
    "best_response_1": lambda candidate: candidate.worth.best_response_1,
}


def over(quantity: str, statistic: str = "", runs: str = "") -> Recipe:
    arguments = {"quantity": quantity, "arm": "{arm}"} | ({"statistic": statistic} if statistic else {})
    return {"metric": "over_seeds", "arguments": arguments | ({"runs": runs} if runs else {})}


def served(quantity: str, metric: str = "service", statistic: str = "") -> Recipe:
    arguments = {"quantity": quantity, "arms": "{arm}/"} | ({"statistic": statistic} if statistic else {})
    return {"metric": metric, "arguments": arguments}


def plus_minus(values: Sequence[float], decimals: int) -> str:
    return f"{formulas.mean(values):.{decimals}f} ± {formulas.deviation(values):.{decimals}f}"


def teacher_free(report: Report) -> dict[str, Any]:
    """Mean and deviation over five training seeds."""
    rows = []
    for arm in ARMS:
        candidates = report.candidates(arm)
        requests = [report.timed(arm, [run]) for run in RUNS]
        cells = [
            plus_minus([QUANTITIES[name](c) for c in candidates], 4) for name in ("weak_ev", "violation", "nash_conv")
        ]
        cells.append(plus_minus([score(report.played([c])) for c in candidates], 4))
        cells.append(plus_minus([100 * legality(each) for each in requests], 2))
        cells.append(plus_minus([formulas.nearest_rank(latencies(each), 95) for each in requests], 1))
        rows.append({"label": TITLES[arm], "cells": [TITLES[arm], *cells], "arguments": {"arm": arm}})
    return {
        "label": "tab:teacher-free",
        "caption": "Mean ± standard deviation (divisor n - 1) over five training seeds. Values and violations on the "
        "held-out states; NashConv exactly; score over both opponents; legality over all attempts.",
        "columns": [
            {"label": "Method"},
            {"label": "Weak EV", "recipe": over("weak_ev")},
            {"label": "Violation", "recipe": over("violation")},
            {"label": "NashConv", "recipe": over("nash_conv")},
            {"label": "Opp. score", "recipe": over("score")},
            {"label": "Legal (%)", "recipe": served("legality", "service_over_seeds") | {"percent": True}},
            {"label": "p95 ms", "recipe": served("p95_ms", "service_over_seeds")},
        ],
        "rows": rows,
    }


def three_seeds(report: Report) -> dict[str, Any]:
    """The first three seeds, with violations counted."""
    runs, served_by = ",".join(THREE), ",".join(f"{{arm}}/{run}" for run in THREE)
    rows = []
    for arm in ARMS:
        candidates = report.candidates(arm, THREE)
        cells = [f"{sum(candidate.violations for candidate in candidates)}/{len(THREE) * HELD_OUT}"]
        cells += [
            f"{formulas.mean([QUANTITIES[name](candidate) for candidate in candidates]):.4f}"
            for name in ("weak_ev", "strong_ev", "exploitability")
        ]
        cells.append(f"{formulas.mean([score(report.played([candidate])) for candidate in candidates]):.4f}")
        cells.append(f"{formulas.mean(latencies(report.timed(arm, THREE))):.2f}")
        rows.append({"label": TITLES[arm], "cells": [TITLES[arm], *cells], "arguments": {"arm": arm}})
    return {
        "label": "tab:three-seed",
        "caption": f"The seeds {runs}. Count: violated state-seed outcomes by all; ms: the mean time of a request.",
        "columns": [
            {"label": "Arm"},
            {"label": "Count", "recipe": {"metric": "violations", "arguments": {"arm": "{arm}", "runs": runs}}},
            {"label": "Weak EV", "recipe": over("weak_ev", "mean", runs)},
            {"label": "Strong EV", "recipe": over("strong_ev", "mean", runs)},
            {"label": "Expl.", "recipe": over("exploitability", "mean", runs)},
            {"label": "Opp.", "recipe": over("score", "mean", runs)},
            {"label": "ms", "recipe": {"metric": "service", "arguments": {"quantity": "mean_ms", "arms": served_by}}},
        ],
        "rows": rows,
    }


def opponents(report: Report) -> dict[str, Any]:
    """Paired hands, five seeds together."""
    arguments = {"arm": "{arm}", "opponent": "{opponent}"}
    rows = []
    for arm in ARMS:
        for opponent in OPPONENTS:
            candidates = report.candidates(arm)
            hands = report.played(candidates, [opponent])
            rates = [sum(hand["result"] == result for hand in hands) / len(hands) for result in ("win", "tie", "loss")]
            low, high = formulas.interval(by_pair(hands), float(str(CONTEST["z"])))
            exact = formulas.mean([tree_ev(report, candidate, opponent) for candidate in candidates])
            label = f"{TITLES[arm]} / {opponent}"
            rows.append(
                {
                    "label": label,
                    "cells": [
                        label,
                        *(f"{100 * rate:.2f}" for rate in rates),
                        f"{100 * legality(report.timed(arm)):.2f}",
                        f"{score(hands):.4f}",
                        f"{hand_ev(hands):.4f}",
                        f"[{low:.4f}, {high:.4f}]",
                        f"{exact:.4f}",
                        str(len(hands)),
                    ],
                    "arguments": {"arm": arm, "opponent": opponent},
                }
            )
    outcome = "match_rate"
    return {
        "label": "tab:opponents",
        "caption": "Paired hands of five seeds against two frozen opponents. The interval takes the deal as the unit; "
        "Tree EV is the exact value of the same pairing; Legal is the share of the service's attempts that are.",
        "columns": [
            {"label": "Arm / opponent"},
            *(
                {
                    "label": f"{letter} (%)",
                    "recipe": {"metric": outcome, "arguments": {**arguments, "result": result}, "percent": True},
                }
                for letter, result in (("W", "win"), ("T", "tie"), ("L", "loss"))
            ),
            {"label": "Legal (%)", "recipe": served("legality") | {"percent": True}},
            {"label": "Score", "recipe": {"metric": "match_score", "arguments": arguments}},
            {"label": "EV per hand", "recipe": {"metric": "hand_ev", "arguments": arguments}},
            {"label": "95% interval", "recipe": {"metric": "hand_ev_interval", "arguments": arguments}},
            {"label": "Tree EV", "recipe": {"metric": "tree_ev", "arguments": arguments}},
            {"label": "Hands", "recipe": {"metric": "hands", "arguments": arguments}},
        ],
        "rows": rows,
    }


def tree_ev(report: Report, candidate: Candidate, opponent: str) -> float:
    """The exact mean of both seats."""
    other = report.study.opponents[opponent]

    def value(first: dict[str, list[float]], second: dict[str, list[float]]) -> float:
        return worth({name: (first if state.player == 0 else second)[name] for name, state in SETS.items()}).value

    return (value(candidate.policy, other) - value(other, candidate.policy)) / 2


def costs(report: Report) -> dict[str, Any]:
    """What serving costs."""
    rows = []
    for arm in ARMS:
        requests = report.timed(arm)
        times = latencies(requests)
        cells = [
            f"{formulas.mean([QUANTITIES['exploitability'](candidate) for candidate in report.candidates(arm)]):.4f}",
            f"{100 * retry_rate(requests):.2f}",
            f"{100 * failure_rate(requests):.2f}",
            f"{tokens(requests):.2f}",
            f"{formulas.mean(times):.2f}",
            f"{formulas.nearest_rank(times, 50):.2f}",
            f"{formulas.nearest_rank(times, 95):.2f}",
            f"{formulas.mean([throughput(report.timed(arm, [run])) for run in RUNS]):.1f}",
            str(len(requests)),
        ]
        rows.append({"label": TITLES[arm], "cells": [TITLES[arm], *cells], "arguments": {"arm": arm}})
    return {
        "label": "tab:costs",
        "caption": f"Service at concurrency {SERVICE['concurrency']}: timed requests of five seeds together, with the "
        "failed ones. Retries by attempts, failures by requests; throughput is the mean over seeds.",
        "columns": [
            {"label": "Arm"},
            {"label": "Exploit.", "recipe": over("exploitability", "mean")},
            {"label": "Retry (%)", "recipe": served("retry_rate") | {"percent": True}},
            {"label": "Failed (%)", "recipe": served("failure_rate") | {"percent": True}},
            {"label": "Tokens", "recipe": served("tokens")},
            {"label": "Mean ms", "recipe": served("mean_ms")},
            {"label": "Median ms", "recipe": served("median_ms")},
            {"label": "p95 ms", "recipe": served("p95_ms")},
            {"label": "Requests/s", "recipe": served("throughput", "service_over_seeds", "mean")},
            {"label": "Requests", "recipe": served("requests")},
        ],
        "rows": rows,
    }


def endpoints(report: Report) -> dict[str, Any]:
    """Endpoints by row, arms by column."""

    def row(label: str, recipe: Recipe, cell: Callable[[str], str]) -> dict[str, Any]:
        recipes = {}
        for arm in ARMS:
            arguments = {name: text.replace("{arm}", arm) for name, text in recipe["arguments"].items()}
            recipes[TITLES[arm]] = {**recipe, "arguments": arguments}
        return {"label": label, "cells": [label, *(cell(arm) for arm in ARMS)], "recipes": recipes}

    def of(arm: str, name: str) -> list[float]:
        return [QUANTITIES[name](candidate) for candidate in report.candidates(arm)]

    def mean_of(name: str, arm: str) -> str:
        return f"{formulas.mean(of(arm, name)):.4f}"

    def hand_interval(arm: str) -> str:
        low, high = formulas.interval(by_pair(report.played(report.candidates(arm))), float(str(CONTEST["z"])))
        return f"[{low:.4f}, {high:.4f}]"

    rows = [
        row(
            "Seed-level weak-EV SD", over("weak_ev", "sd"), lambda arm: f"{formulas.deviation(of(arm, 'weak_ev')):.4f}"
        ),
        row(
            "Paired hand-EV interval",
            {"metric": "hand_ev_interval", "arguments": {"arm": "{arm}"}},
            hand_interval,
        ),
        *(
            row(label, over(name, "mean"), partial(mean_of, name))
            for label, name in (
                ("Profile NashConv", "nash_conv"),
                ("Best response, player 0", "best_response_0"),
                ("Best response, player 1", "best_response_1"),
            )
        ),
        row(
            "Measured latency p95 (ms)",
            served("p95_ms"),
            lambda arm: f"{formulas.nearest_rank(latencies(report.timed(arm)), 95):.1f}",
        ),
        row(
            "Evaluation hand count",
            {"metric": "hands", "arguments": {"arm": "{arm}"}},
            lambda arm: f"{len(report.played(report.candidates(arm))):,}",
        ),
    ]
    return {
        "label": "tab:endpoints",
        "caption": "Replication endpoints over five seeds.",
        "columns": [{"label": "Endpoint"}, *({"label": TITLES[arm]} for arm in ARMS)],
        "rows": rows,
    }


def components(report: Report) -> dict[str, Any]:
    """What each part of a student adds to the network that was distilled."""
    rows = []
    teacher = worth(report.study.teacher).nash_conv / 2
    base = formulas.mean(latencies(report.timed(ARMS[0])))
    for arm, label in zip(ARMS, ("Policy distillation", "Residual correction", "Observed-only residual"), strict=True):
        candidates = report.candidates(arm)
        cells = [
            f"{100 * formulas.mean([one.accuracy for one in candidates]):.2f}",
            f"{formulas.mean([one.miscalibration for one in candidates]):.4f}",
            f"{formulas.mean([one.strong for one in candidates]):.4f}",
            f"{formulas.mean([one.worth.nash_conv / 2 - teacher for one in candidates]):.4f}",
            f"{formulas.mean(latencies(report.timed(arm))) / base:.2f}×",
        ]
        rows.append({"label": label, "cells": [label, *cells], "arguments": {"arm": arm}})
    cost = {"quantity": "mean_ms", "arms": "{arm}/", "base": f"{ARMS[0]}/"}
    return {
        "label": "tab:component",
        "caption": "Components, as means over five seeds: held-out states with the teacher's likeliest action, "
        "distance of the likeliest action's probability from the teacher's, strong value, exploitability beyond the "
        "teacher's, and measured mean latency by that of policy distillation.",
        "columns": [
            {"label": "Component"},
            {"label": "Acc. (%)", "recipe": over("accuracy", "mean") | {"percent": True}},
            {"label": "Cal.", "recipe": over("calibration_error", "mean")},
            {"label": "Solver EV", "recipe": over("strong_ev", "mean")},
            {"label": "Gap", "recipe": over("gap", "mean")},
            {"label": "Cost", "recipe": {"metric": "service", "arguments": cost}},
        ],
        "rows": rows,
    }


def calibration(report: Report) -> dict[str, Any]:
    """What calibration took, seed by seed."""
    rows = []
    for run in RUNS:
        taken = next(each for each in report.study.calibration[run] if each.scale == report.study.chosen[run])
        cells = [run, taken.scale, f"{taken.violations}/{DISTILLATION['calibration']['draws']}", f"{taken.bound:.4f}"]
        rows.append({"label": run, "cells": cells, "arguments": {"run": run}})
    arguments = {"run": "{run}"}
    return {
        "label": "tab:calibration",
        "caption": f"The largest scale whose bound is within {DISTILLATION['epsilon']}.",
        "columns": [
            {"label": "Run"},
            {"label": "Scale", "recipe": {"metric": "calibrated_scale", "arguments": arguments}},
            {"label": "Violated", "recipe": {"metric": "calibrated_count", "arguments": arguments}},
            {"label": "Bound", "recipe": {"metric": "calibrated_bound", "arguments": arguments}},
        ],
        "rows": rows,
    }


def associations(report: Report) -> dict[str, Any]:
    """Rank correlations of held-out violations with strategic endpoints over all candidates."""
    candidates = list(report.study.candidates.values())
    risks = [candidate.violations / HELD_OUT for candidate in candidates]
    found = {name: [QUANTITIES[name](each) for each in candidates] for name in list(QUANTITIES)[3:]}
    found["hand_ev"] = [hand_ev(report.played([candidate])) for candidate in candidates]
    found["score"] = [score(report.played([candidate])) for candidate in candidates]
    listed = (
        ("NashConv", "nash_conv", "solver profile"),
        ("Best response, player 0", "best_response_0", "solver profile"),
        ("Best response, player 1", "best_response_1", "solver profile"),
        ("Paired opponent EV", "hand_ev", "completed hand"),
        ("Opponent score", "score", "completed hand"),
    )
    settings: dict[str, Any] = DISTILLATION["association"]
    seed, resamples = settings["seed"], settings["resamples"]
    rows = []
    for label, name, unit in listed:
        values = found[name]
        low, high = formulas.spearman_interval(risks, values, resamples, float(settings["confidence"]), seed)
        share = formulas.spearman_shuffled(risks, values, settings["permutations"], seed)
        cells = [label, f"{formulas.spearman(risks, values):.3f}", f"[{low:.3f}, {high:.3f}]", f"{share:.4f}"]
        cells += [f"{formulas.kendall(risks, values):.3f}", str(len(candidates)), unit]
        rows.append({"label": label, "cells": cells, "arguments": {"endpoint": name}})
    arguments = {"endpoint": "{endpoint}"}
    return {
        "label": "tab:associations",
        "caption": "Held-out violation rate against strategic endpoints, over five students at twenty scales.",
        "columns": [
            {"label": "Endpoint"},
            {"label": "Spearman ρ", "recipe": {"metric": "spearman", "arguments": arguments}},
            {"label": "95% interval", "recipe": {"metric": "spearman_interval", "arguments": arguments}},
            {"label": "Permutation p", "recipe": {"metric": "spearman_permutation", "arguments": arguments}},
            {"label": "Kendall τ", "recipe": {"metric": "kendall", "arguments": arguments}},
            {"label": "Candidates", "recipe": {"metric": "candidates", "arguments": {}}},
            {"label": "Unit"},
        ],
        "rows": rows,
    }


TABLES = {
    "teacher-free": teacher_free,
    "three-seed": three_seeds,
    "opponents": opponents,
    "costs": costs,
    "endpoints": endpoints,
    "component": components,
    "calibration": calibration,
    "associations": associations,
}
