"""What the names that the tables print stand for."""

from __future__ import annotations

SCALES = ("0.00", "0.04", "0.08", "0.12", "0.16")
NAMES = {
    "printed": {
        "policy": {
            **dict.fromkeys(("Top-1", "T1"), "top-1"),
            **dict.fromkeys(("Anchor", "A"), "anchor"),
            **dict.fromkeys(("Active query", "AQ"), "active-query"),
            **dict.fromkeys(("Residual (1.00)", "Res. (1.00)", "R1", "1.00"), "residual@1"),
            **dict.fromkeys(("Residual (0.08)", "Res. (0.08)", "R.08", "R"), "residual@0.08"),
            **{scale: f"residual@{scale}" for scale in SCALES},
        },
        "population": {"C": "calibration", "H": "held-out"},
        "action": {"F": "fold", "C": "call"},
    }
}
