"""Bytes in, records out: strict JSON, stores, archives, digests, the stage chain, sealing."""
