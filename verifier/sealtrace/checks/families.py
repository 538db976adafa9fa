"""Imports every family of checks, which registers its functions."""

from sealtrace.checks import (  # noqa: F401 - imported for their registrations
    actions,
    boundary,
    cells,
    certificates,
    gate,
    identity,
    joins,
    ledger,
    maps,
    partitions,
    probabilities,
    protocol,
    relations,
    release,
    replay,
    schema,
    scores,
    selection,
    splits,
    stages,
)
