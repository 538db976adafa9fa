"""The recipe of the RSD-Poker fixture: makes the evidence, one state at a time, as the paper states it.

It shares the record contract and the sealing code with the verifier, and no formula.
"""
