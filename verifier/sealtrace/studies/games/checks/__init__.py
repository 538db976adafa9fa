"""The functions of the checks of games; importing this registers them."""

from sealtrace.studies.games.checks import (  # noqa: F401 - imported for their registrations
    behaviour,
    matches,
    profiles,
    students,
)
