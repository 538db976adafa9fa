"""Makes the recipe of the shipped study importable: it is no part of the installed package."""

from __future__ import annotations

import sys

from support import ROOT

RECIPE = str(ROOT / "bundles" / "rsd-fixture")
if RECIPE not in sys.path:
    sys.path.insert(0, RECIPE)
