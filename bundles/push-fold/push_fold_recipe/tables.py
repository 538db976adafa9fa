"""What the study reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

from push_fold_recipe.arms import ARMS, OPPONENTS, SEEDS
from push_fold_recipe.contest import Z
from push_fold_recipe.game import Policy, deals, value
from push_fold_recipe.risk import THRESHOLD, action_values, violation
from push_fold_recipe.solver import best_response

Hands = list[dict[str, Any]]
MET = ("solver", *OPPONENTS)
COMPONENTS = {
    "cloning": "Behaviour cloning",
    "base": "Policy distillation",
    "full": "Full policy",
    "correction": "Residual correction",
    "residual": "Observed-only residual",
}
"""What components are called beside arms."""
ENDED = ("residual", "base", "full")
"""The arms of the endpoints."""


@dataclass(frozen=True)
class Study:
    """Everything that tables are made from."""

    profiles: dict[str, Policy]
    hands: Hands
    attempts: list[dict[str, Any]]

    def over_seeds(self, arm: str, quantity: Callable[[Policy], float]) -> float:
        return mean([quantity(self.profiles[f"{arm}/{seed}"]) for seed in SEEDS])

    def against(self, arm: str, opponent: str) -> float:
        return self.over_seeds(arm, lambda policy: exact_value(policy, self.profiles[opponent]))

    def deviation(self, arm: str, opponent: str) -> float:
        """Over the seeds, with the divisor n - 1."""
        other = self.profiles[opponent]
        values = [exact_value(self.profiles[f"{arm}/{seed}"], other) for seed in SEEDS]
        return sqrt(sum((value - mean(values)) ** 2 for value in values) / (len(values) - 1))

    def played(self, arm: str) -> Hands:
        return [hand for hand in self.hands if _arm(hand["arm"]) == arm]

    def met(self, arm: str, opponent: str) -> Hands:
        return [hand for hand in self.played(arm) if hand["opponent"] == opponent]

    def timed(self, arm: str) -> list[dict[str, Any]]:
        return [one for one in self.attempts if _arm(one["arm"]) == arm and one["phase"] == "timed"]

    def violated(self, arm: str) -> list[float]:
        """Of each seed, the share of information sets at which it violates."""
        bases = {seed: self.profiles[f"{THRESHOLD['base']}/{seed}"] for seed in SEEDS}
        values = action_values(self.profiles["solver"])
        return [violation(self.profiles[f"{arm}/{seed}"], base, values) for seed, base in bases.items()]


def _arm(name: str) -> str:
    return name.partition("/")[0]


def called(name: str) -> str:
    """An arm and its seed as tables print it."""
    arm, _, seed = name.partition("/")
    return f"{ARMS[arm]}, seed {seed}"


def names() -> dict[str, Any]:
    """What printed names stand for."""
    learnt = {called(f"{arm}/{seed}"): f"{arm}/{seed}" for arm in ARMS for seed in SEEDS}
    profiles = {"Solver": "solver", "Uniform": "uniform", "Careful": "careful", "Loose": "loose"}
    return {
        "printed": {
            "profile": {**profiles, **learnt},
            "arm": {title: arm for titles in (ARMS, COMPONENTS) for arm, title in titles.items()} | learnt,
            "player": {"BR0": "0", "BR1": "1"},
            "opponent": {"uniform": "uniform", **{name: name for name in MET}},
            "result": {"W (%)": "win", "T (%)": "tie", "L (%)": "loss"},
        }
    }


def mean(numbers: list[float]) -> float:
    return float(sum(map(Fraction, numbers)) / len(numbers))


def exact_value(one: Policy, other: Policy) -> float:
    """What the first policy wins against the second, both seats alike."""
    first = sum(chance * Fraction(value(cards, (one, other))) for cards, chance in deals())
    second = sum(chance * Fraction(value(cards, (other, one))) for cards, chance in deals())
    return float((first - second) / 2)


def exploitability(policy: Policy) -> float:
    return float(best_response(policy, 0) + best_response(policy, 1)) / 2


def score(hands: Hands) -> float:
    """Wins and half of the ties, by hands."""
    return mean([{"win": 1.0, "tie": 0.5, "loss": 0.0}[hand["result"]] for hand in hands])


def interval(hands: Hands) -> tuple[float, float]:
    """The mean over deals and so many standard errors; a deal counts with the mean of its hands."""
    deals_of: dict[str, list[float]] = {}
    for hand in hands:
        deals_of.setdefault(hand["match"], []).append(hand["value"])
    means = [mean(values) for values in deals_of.values()]
    middle = mean(means)
    error = sqrt(sum((one - middle) ** 2 for one in means) / (len(means) - 1) / len(means))
    return middle - float(Z) * error, middle + float(Z) * error


def text(number: float, decimals: int = 4) -> str:
    """Nothing that rounds to zero keeps its sign."""
    return f"{round(number, decimals) + 0.0:.{decimals}f}"


def made(study: Study) -> dict[str, dict[str, Any]]:
    """All tables."""
    return {
        "profiles": profile_table(study),
        "arms": arm_table(study),
        "seeds": seed_table(study),
        "opponents": opponent_table(study),
        "component": component_table(study),
        "costs": cost_table(study),
        "endpoints": endpoint_table(study),
    }


def profile_table(study: Study) -> dict[str, Any]:
    """What the solution and the opponents are worth, to ten decimals."""
    rows = []
    for name in ("solver", "uniform", *OPPONENTS):
        one = study.profiles[name]
        best = [float(best_response(one, player)) for player in range(2)]
        worth = float(sum(chance * Fraction(value(cards, (one, one))) for cards, chance in deals()))
        cells = [text(number, 10) for number in (*best, worth, best[0] + best[1], exploitability(one))]
        rows.append(_row(name.capitalize(), cells, profile=name))
    recipes = {
        "BR0": _recipe("best_response", profile="{profile}", player="0"),
        "BR1": _recipe("best_response", profile="{profile}", player="1"),
        "u_0": _recipe("profile_value", profile="{profile}"),
        "NashConv": _recipe("nash_conv", profile="{profile}"),
        "Exploit.": _recipe("exploitability", profile="{profile}"),
    }
    caption = "The exact solution, the uniform profile and the opponents, evaluated over the whole tree."
    return _table("tab:profiles", caption, "Profile", recipes, rows)


def arm_table(study: Study) -> dict[str, Any]:
    """Every arm over three seeds: violations, exact values, exploitability, score, and what a decision costs."""
    rows = []
    for arm, title in ARMS.items():
        timed, states = study.timed(arm), len(study.profiles["solver"])
        cells = [
            f"{round(sum(study.violated(arm)) * states)}/{len(SEEDS) * states}",
            *(text(study.against(arm, other)) for other in ("uniform", "solver")),
            text(study.over_seeds(arm, exploitability)),
            text(score(study.met(arm, "careful"))),
            text(calls(timed), 3),
            text(mean(list(latencies(timed).values())), 2),
        ]
        rows.append(_row(title, cells, arm=arm))
    recipes = {
        "Count": _recipe("violations", arm="{arm}"),
        "Weak EV against uniform": _recipe("tree_ev", arm="{arm}", opponent="uniform"),
        "Tree EV against solver": _recipe("tree_ev", arm="{arm}", opponent="solver"),
        "Exploit.": _over_seeds("exploitability"),
        "Score against careful": _recipe("match_score", arm="{arm}", opponent="careful"),
        "Calls": _served("tool_calls"),
        "ms": _served("mean_ms"),
    }
    caption = (
        "Three seeds: violated information sets by all, and as means exact values in chips per hand, exploitability, "
        "wins and half of the ties, and of a decision the calls for help and the time."
    )
    return _table("tab:arms", caption, "Arm", recipes, rows)


def seed_table(study: Study) -> dict[str, Any]:
    """Every trained policy under a shift of opponents."""
    rows = []
    for arm in ARMS:
        for name in (f"{arm}/{seed}" for seed in SEEDS):
            policy = study.profiles[name]
            cells = [text(exact_value(policy, study.profiles[other])) for other in MET]
            rows.append(_row(called(name), [*cells, text(exploitability(policy))], arm=name))
    recipes = {f"Tree EV against {other}": _recipe("tree_ev", arm="{arm}", opponent=other) for other in MET}
    recipes["Exploit."] = _recipe("exploitability", profile="{arm}")
    caption = "Exact value of every policy against the solver and under a shift of opponents, in chips per hand."
    return _table("tab:seeds", caption, "Arm", recipes, rows)


def opponent_table(study: Study) -> dict[str, Any]:
    """Paired hands of every arm against every opponent."""
    rows = []
    for arm, title in ARMS.items():
        for opponent in MET:
            hands = study.met(arm, opponent)
            low, high = interval(hands)
            rates = [sum(hand["result"] == result for hand in hands) / len(hands) for result in ("win", "tie", "loss")]
            cells = [
                *(text(100 * rate, 2) for rate in rates),
                text(100 * legality(study.timed(arm)), 2),
                text(score(hands)),
                text(mean([hand["value"] for hand in hands])),
                f"[{text(low)}, {text(high)}]",
                str(len(hands)),
            ]
            rows.append(_row(f"{title} / {opponent}", cells, arm=arm, opponent=opponent))
    who = {"arm": "{arm}", "opponent": "{opponent}"}
    recipes = {
        f"{letter} (%)": _recipe("match_rate", **who, result=result) | {"percent": True}
        for letter, result in (("W", "win"), ("T", "tie"), ("L", "loss"))
    }
    recipes |= {
        "Legal (%)": _served("legality") | {"percent": True},
        "Score": _recipe("match_score", **who),
        "EV per hand": _recipe("hand_ev", **who),
        "95% interval": _recipe("hand_ev_interval", **who),
        "Hands": _recipe("hands", **who),
    }
    caption = (
        "Three seeds together on the same deals in both seats; the interval takes the deal as the unit. Legal is the "
        "share of the service's attempts that are."
    )
    return _table("tab:opponents", caption, "Arm / opponent", recipes, rows)


def component_table(study: Study) -> dict[str, Any]:
    """Every component beside the solver, at all information sets alike."""
    solved, cheapest = study.profiles["solver"], mean(list(latencies(study.timed("cloning")).values()))
    rows = []
    for arm, title in COMPONENTS.items():
        cells = [
            text(100 * study.over_seeds(arm, lambda policy: accuracy(policy, solved)), 2),
            text(study.over_seeds(arm, lambda policy: miscalibration(policy, solved))),
            text(study.against(arm, "solver")),
            text(study.over_seeds(arm, exploitability) - exploitability(solved)),
            f"{text(mean(list(latencies(study.timed(arm)).values())) / cheapest, 2)}×",
        ]
        rows.append(_row(title, cells, arm=arm))
    recipes = {
        "Acc. by Solver (%)": _beside("accuracy") | {"percent": True},
        "Cal. to Solver": _beside("calibration_error"),
        "Tree EV against solver": _recipe("tree_ev", arm="{arm}", opponent="solver"),
        "Gap to Solver": _beside("gap"),
        "Cost": _recipe("service", arms="{arm}/", quantity="mean_ms", base="cloning/"),
    }
    caption = (
        "Components over three seeds: information sets with the solver's likeliest action, distance of the likeliest "
        "action's probability from the solver's, value, exploitability beyond the solver's, and the time of a decision "
        "by that of Behaviour cloning."
    )
    return _table("tab:component", caption, "Component", recipes, rows)


def cost_table(study: Study) -> dict[str, Any]:
    """Every arm: where it is worse than the base, best responses to it, and what its service does and costs."""
    rows = []
    for arm, title in ARMS.items():
        timed = study.timed(arm)
        requests = len({one["request"] for one in timed})
        ended = {one["request"]: one["outcome"] for one in timed}
        cells = [
            text(100 * mean(study.violated(arm)), 2),
            text(study.over_seeds(arm, lambda policy: float(best_response(policy, 0)))),
            text(study.over_seeds(arm, lambda policy: float(best_response(policy, 1)))),
            text(100 * legality(timed), 2),
            text(100 * sum(one["attempt"] > 0 for one in timed) / len(timed), 2),
            text(100 * sum(outcome != "ok" for outcome in ended.values()) / requests, 2),
            text(sum(one["prompt_tokens"] + one["generated_tokens"] for one in timed) / requests, 2),
            text(mean(list(latencies(timed).values())), 2),
        ]
        rows.append(_row(title, cells, arm=arm))
    recipes = {
        "Violation (%)": _over_seeds("violation") | {"percent": True},
        "BR0": _over_seeds("best_response_0"),
        "BR1": _over_seeds("best_response_1"),
        "Legal (%)": _served("legality") | {"percent": True},
        "Retry (%)": _served("retry_rate") | {"percent": True},
        "Failed (%)": _served("failure_rate") | {"percent": True},
        "Tokens": _served("tokens"),
        "Latency (ms)": _served("mean_ms"),
    }
    caption = (
        "Three seeds: information sets at which an arm expects more than 0.05 chips less than No residual, best "
        "responses to it, legal answers and retries by all attempts, failed requests, and tokens and time of a request."
    )
    return _table("tab:costs", caption, "Arm", recipes, rows)


def endpoint_table(study: Study) -> dict[str, Any]:
    """Endpoints by row, arms by column."""
    rows: list[dict[str, Any]] = []

    def add(label: str, recipe: dict[str, Any], cell: Callable[[str], str]) -> None:
        asked = {
            title: _recipe(
                recipe["metric"], **{name: text.format(arm=arm) for name, text in recipe["arguments"].items()}
            )
            for title, arm in ((ARMS[arm], arm) for arm in ENDED)
        }
        rows.append({"label": label, "cells": [label, *map(cell, ENDED)], "recipes": asked})

    spread = _recipe("tree_ev", arm="{arm}", opponent="uniform", statistic="sd")
    add("Seed-level weak-EV SD / uniform", spread, lambda arm: text(study.deviation(arm, "uniform")))
    add(
        "Paired hand-EV interval",
        _recipe("hand_ev_interval", arm="{arm}"),
        lambda arm: "[{}, {}]".format(*map(text, interval(study.played(arm)))),
    )
    quantities: tuple[tuple[str, str, Callable[[Policy], float]], ...] = (
        ("Profile NashConv", "nash_conv", lambda policy: 2 * exploitability(policy)),
        ("BR0", "best_response_0", lambda policy: float(best_response(policy, 0))),
        ("BR1", "best_response_1", lambda policy: float(best_response(policy, 1))),
    )
    for label, name, quantity in quantities:
        add(label, _over_seeds(name), lambda arm, quantity=quantity: text(study.over_seeds(arm, quantity)))  # type: ignore[misc]
    add("Measured latency p95 (ms)", _served("p95_ms"), lambda arm: text(nearest_rank(latencies(study.timed(arm))), 2))
    add("Evaluation hand count", _recipe("hands", arm="{arm}"), lambda arm: f"{len(study.played(arm)):,}")
    columns = [{"label": "Endpoint"}, *({"label": ARMS[arm]} for arm in ENDED)]
    return {"label": "tab:endpoints", "caption": "Endpoints over three seeds.", "columns": columns, "rows": rows}


def nearest_rank(times: dict[str, float]) -> float:
    """The smallest time within which 95 of 100 requests end."""
    ordered = sorted(times.values())
    return ordered[-(-95 * len(ordered) // 100) - 1]


def legality(attempts: list[dict[str, Any]]) -> float:
    """The share of legal answers among all attempts."""
    return mean([float(one["outcome"] == "ok") for one in attempts])


def latencies(attempts: list[dict[str, Any]]) -> dict[str, float]:
    """Request to the time from the start of its first attempt to the end of its last."""
    begun: dict[str, float] = {}
    found = {}
    for one in attempts:
        begun.setdefault(one["request"], one["started_ms"])
        found[one["request"]] = one["started_ms"] + one["elapsed_ms"] - begun[one["request"]]
    return found


def calls(attempts: list[dict[str, Any]]) -> float:
    """Calls for help of a request, over all its attempts."""
    return float(sum(one["tool_calls"] for one in attempts)) / len({one["request"] for one in attempts})


def accuracy(policy: Policy, solved: Policy) -> float:
    """The share of information sets at which the likeliest action is the solver's."""
    return mean([float(_top(chances) == _top(solved[name])) for name, chances in policy.items()])


def miscalibration(policy: Policy, solved: Policy) -> float:
    """How far, on average, the probability of the likeliest action lies from the solver's of the same action."""
    return mean([abs(max(chances) - solved[name][_top(chances)]) for name, chances in policy.items()])


def _top(chances: list[float]) -> int:
    """The place of the likeliest action, the first among equals."""
    return chances.index(max(chances))


def _over_seeds(quantity: str, **more: str) -> dict[str, Any]:
    return _recipe("over_seeds", arm="{arm}", quantity=quantity, statistic="mean", **more)


def _beside(quantity: str) -> dict[str, Any]:
    return _over_seeds(quantity, teacher="solver")


def _served(quantity: str) -> dict[str, Any]:
    return _recipe("service", arms="{arm}/", quantity=quantity)


def _row(label: str, cells: Iterable[str], **arguments: str) -> dict[str, Any]:
    return {"label": label, "cells": [label, *cells], "arguments": arguments}


def _table(label: str, caption: str, first: str, recipes: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    columns = [{"label": first}, *({"label": name, "recipe": recipe} for name, recipe in recipes.items())]
    return {"label": label, "caption": caption, "columns": columns, "rows": rows}


def _recipe(metric: str, **arguments: str) -> dict[str, Any]:
    return {"metric": metric, "arguments": arguments}
