"""The mathematics, pure: arrays and exact numbers in, arrays and exact numbers out.

Matrices have one row per state or trace and one column per action of the protocol's order. A mask
says which actions are legal; illegal entries are zero.
"""
