"""What the names that the tables print stand for."""

from __future__ import annotations

NAMES = {
    "printed": {"policy": {"public prior": "prior", "frequency calibrated": "frequency", "top-1 calibrated": "top-1"}}
}
