"""The platform that the sealed bytes were made on: what decides whether a rebuild is byte-identical."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import sys


def platform() -> dict[str, str]:
    """The arithmetic of this machine. exp, log and tanh are not correctly rounded, so libraries may differ."""
    samples = [
        value
        for step in range(1, 4001)
        for value in (math.exp(-step / 500), math.log(step / 997), math.tanh(step / 700))
    ]
    digest = hashlib.sha256(struct.pack(f"<{len(samples)}d", *samples)).hexdigest()
    return {
        "implementation": sys.implementation.name,
        "float": f"binary64, {sys.float_info.mant_dig} bits",
        "exp_log_and_tanh_sha256": digest,
    }


def platform_bytes() -> bytes:
    """The archived form."""
    return (json.dumps(platform(), indent=2) + "\n").encode()
