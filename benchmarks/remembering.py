"""Relations that are decided once, by whoever runs many verifications of almost the same bundle."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager

from sealtrace.relations.work import MEMORY


@contextmanager
def remembering(memory: dict[Hashable, object]) -> Iterator[None]:
    """Questions that are asked inside are answered from memory, and kept there. Not to be mixed with limits of time."""
    token = MEMORY.set(memory)
    try:
        yield
    finally:
        MEMORY.reset(token)
