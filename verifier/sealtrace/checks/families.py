"""Imports every family of the engine's own checks, which registers their functions."""

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
