"""How the learned families were trained: the settings, and the records of the runs."""

from __future__ import annotations

from rsd_stratified.states import Row
from sealtrace.bundle.content import document_digest

MLP_SEED = 23
STUDENT_SEED = 37
STUDENT_BASE_SEED = 38
HIDDEN = 16
BATCH = 512
STEPS = 4000
RATE = "0.01"
REACH = "4"
"""Chips. Advantages beyond count as so many: the worst actions would else decide every direction."""
DIGITS = 6
"""Significant digits that are kept of a weight."""

_SHUFFLED = "the training split in order of id, shuffled anew for every pass"
_LAST = "the last step; no other was looked at"


def run_rows(weights: dict[str, Row]) -> list[Row]:
    """One record per trained network."""
    common = {"reach": REACH, "digits": str(DIGITS)}
    stepwise = {"hidden": str(HIDDEN), "batch": str(BATCH), "steps": str(STEPS), "rate": RATE, "digits": str(DIGITS)}
    trained = [
        ("linear", "linear", None, "the training split in order of id, all at once", "the least-squares fit", common),
        ("mlp", "mlp", MLP_SEED, _SHUFFLED, _LAST, common | stepwise),
        ("student-residual", "student", STUDENT_SEED, _SHUFFLED, _LAST, common | stepwise),
        ("student-base", "student-free", STUDENT_BASE_SEED, _SHUFFLED, _LAST, stepwise),
    ]
    return [
        {
            "run": name,
            "arm": arm,
            **({} if seed is None else {"training_seed": seed}),
            "data_order": order,
            "checkpoint_sha256": document_digest(weights[name.partition("-")[0]]),
            "checkpoint_rule": rule,
            "settings": settings,
        }
        for name, arm, seed, order, rule, settings in trained
    ]
