"""Results of any field: datasets with a declared schema, the metrics over them, and the checks of both."""
