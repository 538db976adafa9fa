"""What the names that the tables print stand for."""

from __future__ import annotations

NAMES = {
    "printed": {
        "arm": {
            "Policy distillation": "no-residual",
            "Residual correction": "fixed",
            "Observed-only residual": "calibrated",
            "No residual": "no-residual",
            "Fixed residual": "fixed",
            "Risk-calibrated residual": "calibrated",
        },
        "endpoint": {
            "NashConv": "nash_conv",
            "Best response, player 0": "best_response_0",
            "Best response, player 1": "best_response_1",
            "Paired opponent EV": "hand_ev",
            "Opponent score": "score",
        },
        "result": {"W (%)": "win", "T (%)": "tie", "L (%)": "loss"},
        "run": {run: run for run in ("s11", "s23", "s37", "s53", "s71")},
    }
}
