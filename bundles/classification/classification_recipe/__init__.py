"""The recipe of an ordinary classification benchmark: items, models, predictions, and the tables of its paper.

It shares the record contract and the sealing code with the verifier, and no formula. Only `random()`, the four
operations and the square root are used, which every platform rounds alike: a rebuild gives the same bytes anywhere.
"""
