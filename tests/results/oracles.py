"""Other people's implementations. Their stubs describe more forms of call than these tests could name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

stats: Any = import_module("scipy.stats")
learn: Any = import_module("sklearn.metrics")
calibration: Any = import_module("sklearn.calibration")
contingency: Any = import_module("statsmodels.stats.contingency_tables")
proportion: Any = import_module("statsmodels.stats.proportion")
numbers: Any = import_module("numpy")
