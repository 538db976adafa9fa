"""The recipe of the second operating point: the stratified study's generator, bank and formulas under other budgets."""
