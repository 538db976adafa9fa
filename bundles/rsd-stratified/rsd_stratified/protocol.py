"""Everything that the study declares before calibration."""

from __future__ import annotations

from typing import Any

from rsd_stratified.states import Row

RANKS = "JQKA"
ACTIONS = ["fold", "call", "raise"]
GRID = ["0", "0.04", "0.08", "0.12", "0.16"]
FAMILIES = ["fixed", "linear", "mlp", "student"]
DEALT = {"held-out": 512, "calibration": 512, "structure": 2048, "training": 24576}
"""Matched splits and their states, in the order in which they are dealt."""
SHIFTS = ["position-shift", "rank-shift", "history-shift", "pot-shift", "within-group-shift"]
SHIFT_STATES = 512
STRATA = ["rank", "position", "pot_pressure", "history_depth"]
NETWORK_FEATURES = ["pot_pressure", "history_depth", "rank", "position", "board_rank"]
"""What learned families see. Stacks decide no action value, so they are left out."""

DIRECTION: Row = {
    "fold": {"constant": "-0.20"},
    "call": {"constant": "0.05"},
    "raise": {"constant": "0.55", "terms": {"pot_pressure": "1"}},
}
"""The fixed family's rule."""

MANUAL_LEAVES: list[Row] = [
    {
        "group": f"g{2 * (not seat_below) + (not pot_below) + 1}",
        "conditions": [
            {"feature": "position", "threshold": "0.5", "below": seat_below},
            {"feature": "pot_pressure", "threshold": "0.65", "below": pot_below},
        ],
    }
    for seat_below in (True, False)
    for pot_below in (True, False)
]
"""The groups that were named by hand: seat by size of pot."""

UTILITY_RANGES = {"weak": ["-12", "10.75"], "strong": ["-12", "9.125"]}
"""The least and the greatest action value over the whole population; the build compares them with the generator's."""

_RANK_TABLE = {rank: str(place) for place, rank in enumerate(RANKS)}
_THRESHOLDS = {
    "history_depth": ["0.375", "0.625", "0.875"],
    "pot_pressure": ["0.55", "0.65", "0.85"],
    "rank": ["0.5", "1.5", "2.5"],
    "position": ["0.5"],
    "stack_depth": ["0.5"],
}


def _partition_class(depth: int, support: int, lambda_cert: str, lambda_comp: str) -> Row:
    return {
        "depth": depth,
        "thresholds": _THRESHOLDS,
        "minimum_support": support,
        "lambda_cert": lambda_cert,
        "lambda_comp": lambda_comp,
    }


def _charge(tokens: int, latency_ms: str) -> Row:
    return {"tokens": tokens, "latency_ms": latency_ms, "tool_calls": 0}


def _selectors() -> list[Row]:
    return [
        {"name": "anchor", "rule": "anchor", "partition": "global"},
        {"name": "fixed-0.08", "rule": "fixed", "arm": "fixed", "scale": "0.08", "partition": "global"},
        {"name": "empirical-zero", "rule": "empirical-zero", "arm": "fixed", "partition": "global"},
        {"name": "mean-strong", "rule": "mean-strong", "partition": "global", "limit": "0.01"},
        {"name": "kl-budget", "rule": "kl-budget", "partition": "global", "limit": "0.009", "clip": "1e-12"},
        {"name": "global-risk-only", "rule": "risk-only", "partition": "global"},
        {"name": "global-dual", "rule": "dual", "partition": "global"},
        {"name": "group-risk-only", "rule": "risk-only", "partition": "manual"},
        {"name": "group-dual", "rule": "dual", "partition": "manual"},
        {"name": "learned-dual", "rule": "dual", "partition": "learned"},
        {"name": "robust-group", "rule": "robust", "partition": "learned"},
    ]


def _widened(margin: int) -> list[str]:
    low, high = (float(bound) for bound in UTILITY_RANGES["weak"])
    return [f"{low - margin:g}", f"{high + margin:g}"]


def _variants() -> Row:
    """Names are made of what a variant changes, so that a table's row can name its own."""
    budgets = [("0.025", "0.05", "0.05"), ("0.05", "0.05", "0.05"), ("0.05", "0.10", "0.05"), ("0.10", "0.20", "0.10")]
    partitions = ["global", "manual", "random", "learned", "learned-unpenalized", "depth-1", "depth-3", "depth-4"]
    roles = [("strong", "weak"), ("weak", "strong"), ("strong", "strong"), ("weak", "weak")]
    return {
        **{f"epsilon-{text}": {"epsilon": text} for text in ("0.05", "0.10", "0.20")},
        **{
            f"budget-{tau}-{epsilon}-{zeta}": {"tau": tau, "epsilon": epsilon, "zeta": zeta}
            for tau, epsilon, zeta in budgets
        },
        **{f"calibration-{states}": {"calibration": states} for states in (32, 64, 128, 256, 512)},
        **{f"families-{family}": {"families": [family]} for family in FAMILIES},
        **{f"families-{count}": {"families": FAMILIES[:count]} for count in (1, 2, 4)},
        **{f"partition-{name}": {"partition": name} for name in partitions},
        **{f"rho-{text}": {"rho": text} for text in ("0", "0.05", "0.10", "0.20")},
        **{
            f"roles-{risk}-{utility}": {
                "evaluators": {"utility": utility, "risk": risk},
                "utility_range": UTILITY_RANGES[utility],
            }
            for risk, utility in roles
        },
        **{f"range-wide-{margin}": {"utility_range": _widened(margin)} for margin in (0, 1, 3, 6)},
    }


def protocol() -> dict[str, Any]:
    """The protocol record."""
    observed = ["hero", "board", "position", "pot", "stack", "history", "legal"]
    return {
        "study": "rsd-stratified",
        "title": "Stratified dual certification of residual policies on a generated state bank",
        "source": "RSD-Poker: Structure-Adaptive and Shift-Robust Risk-Utility Certification (its protocol)",
        "anonymous": True,
        "expects": "verified",
        "actions": ACTIONS,
        "splits": [
            *({"name": name, "role": name, "states": states} for name, states in reversed(DEALT.items())),
            *({"name": name, "role": "held-out", "states": SHIFT_STATES} for name in SHIFTS),
        ],
        "tau": "0.05",
        "scale_grid": GRID,
        "evaluators": {"utility": "weak", "risk": "strong"},
        "features": {
            "pot_pressure": {"field": "pot", "form": "capped-ratio", "cap": "10"},
            "history_depth": {"field": "history", "form": "capped-length", "cap": "4"},
            "rank": {"field": "hero", "form": "lookup", "table": _RANK_TABLE},
            "position": {"field": "position", "form": "lookup", "table": {"BB": "0", "BTN": "1"}},
            "board_rank": {"field": "board", "form": "first-lookup", "table": _RANK_TABLE},
            "stack_depth": {"field": "stack", "form": "capped-ratio", "cap": "64"},
        },
        "teacher": {"temperature": "2.5"},
        "anchor": {"teacher": "0.92", "uniform": "0.08"},
        "charges": {
            "policy": _charge(1, "0.1"),
            "residual-fixed": _charge(2, "0.3"),
            "residual-linear": _charge(2, "0.306"),
            "residual-mlp": _charge(2, "0.315"),
            "residual-student": _charge(2, "0.321"),
            "student": _charge(1, "0.25"),
        },
        # The rules of the game, and no evaluator, price a fold: half of the pot is lost.
        "boundary": {"given": [{"action": "fold", "constant": "0", "terms": {"pot": "-1/2"}}]},
        "interfaces": {"teacher-backed": [*observed, "teacher.distribution"], "teacher-free": observed},
        "selectors": _selectors(),
        "ties": {
            "action": "earliest-legal",
            "selection": "smaller-scale",
            "map": "lexicographic",
            "partition": "fewer-leaves",
        },
        "tolerances": {"normalization": "1e-12", "replay": "1e-9"},
        "certification": {
            "epsilon_group": "0.10",
            "epsilon_global": "0.10",
            "zeta_risk": "0.05",
            "zeta_util": "0.05",
            "rho": "0.10",
            "utility_range": UTILITY_RANGES["weak"],
            "partition": "learned",
            "certified_when": "every-group",
        },
        "partition_classes": {
            "certificate-aware": _partition_class(2, 448, "0.0005", "0.00001"),
            "unpenalized": _partition_class(3, 288, "0", "0"),
            "depth-1": _partition_class(1, 960, "0.0005", "0.00001"),
            "depth-3": _partition_class(3, 304, "0.0005", "0.00001"),
            "depth-4": _partition_class(4, 208, "0.0005", "0.00001"),
        },
        "assignment": {"seed": 20260, "generator": "python-random", "strata": STRATA, "order": list(DEALT)},
        "resampling": {
            "pool": ["calibration", "held-out"],
            "repeats": 200,
            "seed": 7001,
            "generator": "python-random",
            "strata": STRATA,
            "calibration": 512,
            "held_out": 512,
        },
        "variants": _variants(),
    }
