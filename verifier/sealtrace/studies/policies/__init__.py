"""Certified policies: a bank of candidates, their traces, certificates, partitions and maps."""
