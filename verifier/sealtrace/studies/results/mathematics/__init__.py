"""The mathematics of everyday results. Arrays, integers and fractions in and out; no file, no record, no schema.

A stored double is a rational number, so counts are integers and rates, means and sums of squares are fractions. A
double comes out only where the quantity is irrational (a root, a logarithm) or a tail of a distribution.
"""
