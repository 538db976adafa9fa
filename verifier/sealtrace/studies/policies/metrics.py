"""The metrics of a study of policies; importing this registers them."""

from sealtrace.studies.policies import map_metrics, policy_metrics  # noqa: F401 - imported for their registrations
