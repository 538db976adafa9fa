"""The recipe of the stratified study: makes its evidence in plain Python, one state at a time.

It shares the record contract and the sealing code with the verifier, and no formula.
"""
