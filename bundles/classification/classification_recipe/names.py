"""What the names that the tables print stand for."""

from __future__ import annotations

NAMES = {"printed": {"split": {"test split": "test"}}}
