"""Imports every family of checks, the packs' too, which registers their functions."""

from importlib import import_module

from sealtrace.checks import cells, identity, relations, release, schema, stages  # noqa: F401 - for their registrations
from sealtrace.contract.packs import packs

for _pack in packs():
    if _pack.checks:
        import_module(_pack.checks)
