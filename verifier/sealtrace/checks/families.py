"""Imports every family of checks, the packs' too, which registers their functions."""

from importlib import import_module

from sealtrace.checks import (  # noqa: F401 - for their registrations
    cells,
    identity,
    queries,
    relations,
    release,
    schema,
    stages,
    witnesses,
)
from sealtrace.contract.packs import packs

for _pack in packs():
    if _pack.checks:
        import_module(_pack.checks)
