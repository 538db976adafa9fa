"""What must hold of a study of policies; importing this registers the checks."""

from sealtrace.studies.policies.checks import (  # noqa: F401 - imported for their registrations
    access,
    certificates,
    choices,
    declared,
    distributions,
    leaks,
    partitions,
    scores,
    splits,
)
