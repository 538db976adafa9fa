"""Everything that the study declares before calibration: its fields, its units, its costs, its budgets."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

ACTIONS = ["wait", "soon", "now"]
GRID = ["1/4", "1/2", "3/4", "1"]
"""Without 0: the anchor is what is left where nothing is certified, and no candidate."""
SIZES = {"held-out": 240, "calibration": 400, "structure": 240}
"""Splits in the order in which they take their arrivals."""
COMPLAINTS = ["breath", "chest", "fall", "fever", "wound"]
OBSERVATION: Row = {
    "age": {"type": "integer", "minimum": 0, "maximum": 120},
    "pulse": {"type": "number", "minimum": 0},
    "saturation": {"type": "number", "minimum": 50, "maximum": 100},
    "arrival": {"type": "string", "enum": ["ambulance", "on foot"]},
    "complaints": {"type": "array", "items": {"type": "string", "enum": COMPLAINTS}},
    "oxygen": {"type": "boolean", "description": "Whether oxygen was being given on arrival."},
}
FEATURES: Row = {
    "age": {"field": "age", "form": "capped-ratio", "cap": "100"},
    "pulse": {"field": "pulse", "form": "capped-ratio", "cap": "160"},
    "saturation": {"field": "saturation", "form": "number"},
    "brought": {"field": "arrival", "form": "lookup", "table": {"ambulance": "1", "on foot": "0"}},
    "complaints": {"field": "complaints", "form": "capped-length", "cap": "4"},
    "oxygen": {"field": "oxygen", "form": "flag"},
}
RULES: Row = {
    "brisk": {
        "wait": {"constant": "0.9", "terms": {"oxygen": "-0.6"}},
        "soon": {"constant": "0.3"},
        "now": {"constant": "-0.4"},
    },
    "careful": {
        "wait": {"constant": "0.8", "terms": {"age": "-0.5", "brought": "-0.7", "oxygen": "-0.9"}},
        "soon": {"constant": "0.2", "terms": {"complaints": "0.2"}},
        "now": {"constant": "-0.3", "terms": {"pulse": "0.5"}},
    },
}
"""Two directions in which the nurse's rule can be moved, by action."""
DESK: Row = {
    "family": "desk",
    "features": ["age", "brought", "oxygen"],
    "actions": ACTIONS,
    "residual": [
        {
            "weights": [[-0.4, 0.1, 0.3], [-0.6, 0.2, 0.4], [-0.8, 0.0, 0.6]],
            "bias": [0.7, 0.2, -0.3],
            "activation": "identity",
        }
    ],
    "base": [
        {
            "weights": [[-1.2, 0.2, 1.1], [-1.0, 0.3, 0.9], [-2.0, -0.4, 1.8]],
            "bias": [1.1, 0.6, -0.7],
            "activation": "identity",
        }
    ],
}
"""The model at the desk, which never hears of the nurse's judgement: age, arrival and oxygen alone."""
ARMS = [*RULES, "desk"]
COSTS = {"rule": ("0.5", 0), "adjustment": ("0.75", 0), "desk model": ("0.25", 1)}
"""Ledger event to minutes of work and pages sent."""


def protocol() -> Row:
    """The protocol record."""
    seen = list(OBSERVATION)
    return {
        "study": "ward-triage",
        "title": "Certified adjustments of a triage rule on synthetic arrivals",
        "anonymous": True,
        "expects": "verified",
        "actions": ACTIONS,
        "splits": [{"name": name, "role": name, "states": states} for name, states in reversed(SIZES.items())],
        "tau": "0.25",
        "scale_grid": GRID,
        "evaluators": {"utility": "throughput", "risk": "safety"},
        "observation": OBSERVATION,
        "costs": {"minutes": {"type": "number", "minimum": 0}, "pages": {"type": "integer", "minimum": 0}},
        "units": {
            "age": "years",
            "pulse": "beats a minute",
            "saturation": "%",
            "throughput": "minutes saved",
            "safety": "points",
            "minutes": "minutes of work",
        },
        "features": FEATURES,
        "teacher": {"temperature": "2"},
        "anchor": {"teacher": "0.9", "uniform": "0.1"},
        "charges": {event: {"minutes": minutes, "pages": pages} for event, (minutes, pages) in COSTS.items()},
        "events": {"anchor": "rule", "brisk": "adjustment", "careful": "adjustment", "desk": "desk model"},
        "interfaces": {
            "bedside": [*seen, "legal", "teacher.distribution"],
            "desk": ["age", "arrival", "oxygen", "legal"],
        },
        "competitors": ARMS,
        "selectors": [
            {"name": "rule", "rule": "anchor", "partition": "everyone"},
            {"name": "no-crossing", "rule": "empirical-zero", "arm": "careful"},
            {"name": "everyone", "rule": "dual", "partition": "everyone"},
            {"name": "by-arrival", "rule": "dual", "partition": "arrival"},
            {"name": "learned", "rule": "dual", "partition": "learned"},
            {"name": "shift-robust", "rule": "robust", "partition": "learned"},
            {"name": "mixture-only", "rule": "robust", "partition": "arrival", "group_budgets": False},
        ],
        "ties": {
            "action": "earliest-legal",
            "selection": "smaller-scale",
            "map": "lexicographic",
            "partition": "fewer-leaves",
        },
        "tolerances": {"normalization": "1e-12", "replay": "1e-9"},
        "certification": {
            "epsilon_group": "0.20",
            "epsilon_global": "0.09",
            "zeta_risk": "0.05",
            "zeta_util": "0.05",
            "rho": "0.20",
            "utility_range": ["-6", "14"],
            "partition": "learned",
            "certified_when": "every-group-moves",
        },
        "partition_classes": {
            "vital signs": {
                "depth": 2,
                "thresholds": {"age": ["0.4", "0.65"], "brought": ["1/2"], "oxygen": ["1/2"], "saturation": ["92"]},
                "minimum_support": 30,
                "lambda_cert": "0.001",
                "lambda_comp": "0.0005",
            }
        },
        "assignment": {"seed": 311, "generator": "python-random", "strata": ["brought"], "order": list(SIZES)},
    }
