"""What the names that the tables print stand for."""

from __future__ import annotations

BUDGETS = ("0.05", "0.10", "0.20")
SPLITS = {
    "Matched": "held-out",
    "Matched conditional": "held-out",
    "Within-group state shift": "within-group-shift",
    "Position shift": "position-shift",
    "Rank shift": "rank-shift",
    "History shift": "history-shift",
    "Pot-pressure shift": "pot-shift",
}
OPPONENTS = {"Opponent-response shift": "shifted", "Opponent shift": "shifted", "Adaptive opponent": "adaptive"}
RULES = {
    "Global": "global",
    "Manual groups": "manual",
    "Random tree": "random",
    "Learned, no penalty": "learned-unpenalized",
    "Learned, certificate-aware": "learned",
}
ROLES = ("strong", "weak")
STUDENT = "Student without teacher @0.08"
NAMES = {
    "printed": {
        "selector": {
            "Anchor": "anchor",
            "Fixed-0.08": "fixed-0.08",
            "Empirical-Zero": "empirical-zero",
            "Mean-Strong": "mean-strong",
            "KL-Budget": "kl-budget",
            "Global Risk-Only": "global-risk-only",
            "Global Dual-Certified": "global-dual",
            "Global dual selection": "global-dual",
            "Group Risk-Only": "group-risk-only",
            "Group Dual-Certified": "group-dual",
            "The group dual map": "group-dual",
            "Learned-Group Dual": "learned-dual",
            "Learned-group dual selection": "learned-dual",
            "Dual selection in the groups": "learned-dual",
            "Robust Group": "robust-group",
            "Robust selection": "robust-group",
            "The robust map": "robust-group",
        },
        "variant": {
            **{name: f"partition-{name}" for name in ("depth-1", "learned", "depth-3", "depth-4")},
            **{name: f"partition-{rule}" for name, rule in RULES.items()},
            "Fixed rule": "families-fixed",
            "Linear": "families-linear",
            "MLP": "families-mlp",
            "Student residual": "families-student",
            **{f"{risk}, {utility}": f"roles-{risk}-{utility}" for risk in ROLES for utility in ROLES},
            **{
                f"{budget}, {name}": f"epsilon-{budget}"
                for budget in BUDGETS
                for name in ("Global Risk-Only", "Group Risk-Only", "Group Dual-Certified")
            },
        },
        "partition": RULES,
        "policy": {STUDENT: "student-free@0.08", "fixed rule at scale 0.08": "fixed@0.08"},
        "population": {**SPLITS, **dict.fromkeys((*OPPONENTS, STUDENT), "held-out")},
        "utility": {**dict.fromkeys(SPLITS, "weak"), **{name: f"weak-{role}" for name, role in OPPONENTS.items()}},
        "risk": {**dict.fromkeys(SPLITS, "strong"), **{name: f"strong-{role}" for name, role in OPPONENTS.items()}},
    }
}
