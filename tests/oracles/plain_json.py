"""Strict JSON by the standard library, with each exclusion decided on its own and no position."""

from __future__ import annotations

import json
import math
from typing import Any

from sealtrace.bundle.strict_json import MAX_DEPTH


class RefusedError(Exception):
    """What strict JSON excludes, met by the oracle."""


def strictly(text: str) -> Any:
    """The oracle: the standard library, with each exclusion decided on its own and no position."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in items}) < len(items):
            raise RefusedError("duplicate key")
        return dict(items)

    def constant(word: str) -> float:
        raise RefusedError(word)

    def integer(digits: str) -> int:
        if abs(int(digits)) > 2**53 - 1:
            raise RefusedError("integer")
        return int(digits)

    def number(digits: str) -> float:
        mantissa = digits.lower().partition("e")[0]
        if math.isinf(float(digits)) or (float(digits) == 0 and mantissa.strip("-0.") != ""):
            raise RefusedError("number")
        return float(digits)

    value = json.loads(text, object_pairs_hook=pairs, parse_constant=constant, parse_int=integer, parse_float=number)
    json.dumps(value, ensure_ascii=False).encode()
    if _depth(value) > MAX_DEPTH:
        raise RefusedError("depth")
    return value


def _depth(value: Any) -> int:
    if isinstance(value, dict | list):
        return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)
    return 0
