"""The arithmetic that the sealed bytes were made with: exp and tanh are not correctly rounded everywhere."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import sys


def platform_bytes() -> bytes:
    """The archived form: equal where a rebuild gives the sealed bytes."""
    samples = [value for step in range(1, 4001) for value in (math.exp(-step / 500), math.tanh(step / 997))]
    digest = hashlib.sha256(struct.pack(f"<{len(samples)}d", *samples)).hexdigest()
    facts = {
        "implementation": sys.implementation.name,
        "float": f"binary64, {sys.float_info.mant_dig} bits",
        "exp_and_tanh_sha256": digest,
    }
    return (json.dumps(facts, indent=2) + "\n").encode()
