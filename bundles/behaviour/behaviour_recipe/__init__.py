"""Recorded behaviour: hands in PHH notation, snapshots of them, and predictors of what players do."""
