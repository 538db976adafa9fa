"""What must hold of a study of policies; importing this registers the checks."""

from sealtrace.studies.policies.checks import (  # noqa: F401 - imported for their registrations
    access,
    actions,
    bank,
    certificates,
    maps,
    partitions,
    protocol,
    replay,
    scores,
    selection,
    splits,
)
