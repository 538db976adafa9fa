"""Leduc poker: CFR+ profiles, and the table of what they are worth."""
