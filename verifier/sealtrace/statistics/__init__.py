"""Statistics: one table of what they are called, what they take, and how each is computed.

`table` says what an entry is, `entries` has those of everyday results; packs register theirs. The other modules are
mathematics: arrays, integers and fractions in and out; no file, no record, no schema. A stored double is a rational
number, so counts are integers and rates, means and sums of squares are fractions. A double comes out only where the
quantity is irrational (a root, a logarithm) or a tail of a distribution.
"""
