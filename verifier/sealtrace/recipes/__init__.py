"""How the records of a bundle give a printed cell: metrics, SQL, and the judgement of rounding."""
