"""The metrics of games; importing this registers them."""

from sealtrace.studies.games import (  # noqa: F401 - imported for their registrations
    association_metrics,
    behaviour_metrics,
    student_metrics,
)
