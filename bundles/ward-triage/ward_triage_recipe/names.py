"""What the names that the tables print stand for."""

from __future__ import annotations

NAMES = {"printed": {"population": {"held-out arrivals": "held-out"}}}
