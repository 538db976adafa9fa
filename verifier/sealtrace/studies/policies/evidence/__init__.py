"""The records of a bundle as columns that join: what checks and printed cells are computed from."""
