"""Renders a report: one file per output format."""
