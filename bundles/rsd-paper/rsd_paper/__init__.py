"""The recipe of the RSD-Poker paper's audit: what the paper prints, and the relations that its own words imply.

It computes no number: it transcribes, and so it may use the verifier's readers of papers and of relations files.
"""
