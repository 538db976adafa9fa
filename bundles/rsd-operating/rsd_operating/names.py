"""What the names that the tables print stand for."""

from __future__ import annotations

BUDGETS = ("0.10", "0.12", "0.15", "0.20")
SPLITS = {
    "Matched": "held-out",
    "Deep betting": "deep-betting",
    "Small pots": "small-pots",
    "Worse tempers": "worse-tempers",
}
OPPONENTS = {"Opponent shift": "shifted", "Adaptive opponent": "adaptive"}
NAMES = {
    "printed": {
        "selector": {
            "Anchor": "anchor",
            "Global Risk-Only": "global-risk-only",
            "Global Dual-Certified": "global-dual",
            "Global dual selection": "global-dual",
            "Group Risk-Only": "group-risk-only",
            "dual beside risk-only": "group-risk-only",
            "Group Dual-Certified": "group-dual",
            "robust beside dual": "group-dual",
            "Robust Group": "robust-group",
            "Robust selection": "robust-group",
            "The robust map": "robust-group",
        },
        "variant": {
            **{f"n {size}": f"calibration-{size}" for size in (32, 64, 128, 256, 512)},
            **{f"{budget}, Global Dual-Certified, linear": f"linear-{budget}" for budget in BUDGETS},
            **{
                f"{budget}, {name}": f"epsilon-{budget}"
                for budget in BUDGETS
                for name in ("Group Dual-Certified", "Robust Group")
            },
        },
        "population": {**SPLITS, **dict.fromkeys(OPPONENTS, "held-out")},
        "utility": {**dict.fromkeys(SPLITS, "weak"), **{name: f"weak-{role}" for name, role in OPPONENTS.items()}},
        "risk": {**dict.fromkeys(SPLITS, "strong"), **{name: f"strong-{role}" for name, role in OPPONENTS.items()}},
    }
}
