"""What sealed records do not determine: fields whose change no check can notice, each with the reason.

The list is reviewed: a field stands here because nothing that the verifier decides may depend on it, not because
a check is missing. Patterns are shell patterns over `kind /field`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

REASONS: dict[str, str] = {}
"""Pattern to reason."""


def reason_of(field: str) -> str | None:
    """Why a field is free; None where it must not be."""
    return next((reason for known, reason in REASONS.items() if fnmatchcase(field, known)), None)
