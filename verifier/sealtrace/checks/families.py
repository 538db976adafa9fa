"""Imports every family of checks, which registers its functions."""

from sealtrace.checks import (  # noqa: F401 - imported for their registrations
    cells,
    identity,
    joins,
    relations,
    release,
    schema,
    stages,
)
from sealtrace.studies.policies import checks  # noqa: F401 - the same
