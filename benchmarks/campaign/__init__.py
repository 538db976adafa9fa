"""Attacks on a good bundle: every field of every record changed, to see what the verifier does not notice."""
