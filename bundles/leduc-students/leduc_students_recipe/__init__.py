"""Observation-only students of Leduc poker: distilled, calibrated, played, served."""
