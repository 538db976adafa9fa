"""Printed numbers: the tables of a paper, cell by cell, with the place where each was written."""
