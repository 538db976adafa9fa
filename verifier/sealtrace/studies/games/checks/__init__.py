"""The functions of the checks of games; importing this registers them."""

from sealtrace.studies.games.checks import profiles  # noqa: F401 - imported for its registrations
