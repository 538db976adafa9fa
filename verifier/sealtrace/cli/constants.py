"""Exact constants on the command line: reading them, and writing them shortly."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import click


def _exact(text: str) -> Fraction:
    """An exact constant, as protocols write them."""
    from sealtrace.contract.scalars import EXACT_PATTERN, exact

    if len(text) > 64 or not re.fullmatch(EXACT_PATTERN, text):
        raise click.BadParameter(f"{text!r} is no exact constant, such as 0.05 or 1/20")
    return exact(text)


def constant_in(holds: Callable[[Fraction], bool], domain: str) -> Callable[..., Fraction | None]:
    """Reads an exact constant that must lie in its domain."""

    def read(_: click.Context, __: click.Parameter, text: str | None) -> Fraction | None:
        value = None if text is None else _exact(text)
        if value is not None and not holds(value):
            raise click.BadParameter(f"{text} does not lie {domain}")
        return value

    return read


def range_of(_: click.Context, __: click.Parameter, text: str | None) -> tuple[Fraction, Fraction] | None:
    """Reads the ends of a range."""
    if text is None:
        return None
    ends = [_exact(part.strip()) for part in text.split(",")]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise click.BadParameter("give two constants, the smaller first, such as -12,10.75")
    return ends[0], ends[1]
