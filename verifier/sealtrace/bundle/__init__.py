"""Bytes in, records out: strict JSON, stores, archives, digests, the stage chain, sealing."""

OWN_PROCESS = False
"""Whether the process is that of a command, in which nobody else's code runs."""
