"""Certified triage of arrivals on a ward: a study of policies that has nothing to do with cards."""
