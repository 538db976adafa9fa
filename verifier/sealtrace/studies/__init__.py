"""Kinds of study: what each adds to the engine."""
