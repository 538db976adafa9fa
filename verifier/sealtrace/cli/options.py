"""Options that several commands share: what a run may spend, whom the reader trusts, exact constants."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from sealtrace import process
from sealtrace.bundle.budget import GIB, LIMITS, Asked, BudgetError
from sealtrace.bundle.defects import BundleError, nearest
from sealtrace.contract.packs import STAGES

_Function = TypeVar("_Function", bound=Callable[..., Any])


class GivenPath(click.Path):
    """A path to read from. Named pipes and devices are refused: reading them may never end.

    `/dev/stdin` leads to no name where it is a pipe: whoever started this process has the other end of it.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        place = os.path.realpath(value)
        if os.path.exists(place) and not os.path.isfile(place) and not os.path.isdir(place):
            raise BundleError(f"{value}: neither a file nor a directory")
        return super().convert(value, param, ctx)


PATH = GivenPath(path_type=Path)
FILE = GivenPath(path_type=Path, dir_okay=False)
DIRECTORY = click.Path(path_type=Path, file_okay=False)

form_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="For people, or for machines.",
)
several = partial(click.option, multiple=True)
"""An option that may be given again."""
to_file = partial(click.option, "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
to_directory = partial(click.option, "-o", "--output", type=DIRECTORY, metavar="DIR")
tables_option = several("--table", "tables", metavar="LABEL", help="Only this table; repeatable.")
agreeing_option = click.option("--all", "everything", is_flag=True, help="Show the numbers that need no look, too.")
claims_option = several(
    "--claims", metavar="FILE", type=PATH, help="Decide and grade what a reader claims in FILE, too; repeatable."
)
beside_option = several(
    "--beside", metavar="BUNDLE", type=PATH, help="A bundle that recomputes cells of this one; repeatable."
)
strict_option = click.option("--strict", is_flag=True, help="A warning counts as an error.")
ask_option = click.option("--ask", is_flag=True, help="Ask about every binding: accept, reject, next candidate.")


class Seconds(click.FloatRange):
    """A time that ends: no number of seconds is neither more nor less than another."""

    def __init__(self, least: float, most: float = 1e7) -> None:
        super().__init__(least, most, min_open=least == 0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is no number of seconds", param, ctx)
        return found


def seconds_option(default: float, limits: Seconds, help_: str) -> Callable[[_Function], _Function]:
    """How long a command may take."""
    return click.option("--seconds", metavar="N", type=limits, default=default, show_default=True, help=help_)


def refuse_unknown(problem: str, given: Iterable[str], known: Iterable[str]) -> None:
    """A name that is not known is answered with the one that was probably meant."""
    names = list(known)
    for name in given:
        if name not in names:
            raise click.UsageError(f"{problem} {name!r}{nearest(name, names)}")


def root_digest(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """A SHA-256 in lower case, or a usage error."""
    if value is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise click.BadParameter("a SHA-256 has 64 hexadecimal digits")
    return None if value is None else value.lower()


expect_root_option = click.option(
    "--expect-root", callback=root_digest, metavar="SHA256", help="The root digest that the paper prints."
)

_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


def _bytes(value: str | None) -> int | None:
    if value is None:
        return None
    found = _SIZE.fullmatch(value.strip())
    count = 0 if found is None else int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))
    if not 0 < count <= 2**60:
        raise click.BadParameter(f"{value!r} is not an amount of bytes, such as 8G or 500M")
    return count


def budget_options(function: _Function) -> _Function:
    """Lets a command be given more, or less, than suits a laptop."""

    def memory(context: click.Context, _: click.Parameter, value: str | None) -> None:
        _set(context, "memory", _bytes(value))
        _backstop_memory()

    def reading(context: click.Context, _: click.Parameter, value: str | None) -> None:
        _set(context, "reading", _bytes(value))

    def seconds(context: click.Context, _: click.Parameter, value: float | None) -> None:
        _set(context, "seconds", value)
        backstop_time()

    for name, kind, metavar, callback, help_ in (
        ("--max-seconds", Seconds(0), "N", seconds, "End after N seconds.  [default: 900]"),
        ("--max-bytes", str, "SIZE", reading, "Read and unpack at most SIZE.  [default: 64G]"),
        ("--max-memory", str, "SIZE", memory, "Hold records of at most SIZE.  [default: 4G]"),
    ):
        option = click.option(name, type=kind, metavar=metavar, callback=callback, expose_value=False, help=help_)
        function = option(function)
    return function


def _set(context: click.Context, name: str, value: float | None) -> None:

    if value is not None:
        before = getattr(LIMITS, name)
        context.call_on_close(lambda: setattr(LIMITS, name, before))
        setattr(LIMITS, name, value)


def _backstop_memory() -> None:
    """Twice what is allowed, and what is used already: estimates are estimates, and joins take room."""
    if not process.OWN_PROCESS:
        return
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit, macOS no such file
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (used + 2 * LIMITS.memory + GIB, most))


def backstop_time() -> None:
    """An alarm, for work that does not ask how much time is left; once a second, in case one is not heard."""
    if not process.OWN_PROCESS:
        return
    with suppress(ImportError, AttributeError, ValueError):  # Windows has no such alarm
        import signal

        def ring(*_: object) -> None:
            raise BudgetError(f"{LIMITS.seconds:g} seconds were up (--max-seconds)")

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, LIMITS.seconds, 1.0)


def no_more_alarms() -> None:
    """The work is over: an alarm that rang now would end the process while it says why, with a traceback."""
    if process.OWN_PROCESS:
        with suppress(ImportError, AttributeError, ValueError):
            import signal

            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_REAL, 0.0)


def witness_options(function: Callable[..., int]) -> Callable[..., int]:
    """Gives a command the argument `asked`."""

    @wraps(function)
    def asking(*args: Any, **given: Any) -> int:

        asked = {field.name: given.pop(field.name) for field in fields(Asked) if field.name in given}
        identity = asked["sigstore_identity"]
        if asked["timestamps"] and not asked["authorities"]:
            raise click.UsageError("--require-timestamp needs --tsa-root: the certificate of an authority you trust")
        if (asked["sigstore_root"] is None) != (identity is None):
            raise click.UsageError("--sigstore-root and --sigstore-identity go together")
        if asked["sigstore_issuer"] is not None and identity is None:
            raise click.UsageError("--sigstore-issuer says who vouches for --sigstore-identity")
        if asked["seed"] is not None and not asked["partial"]:
            raise click.UsageError("--seed is what the rows of --partial were drawn by")
        if (asked["seed"] is None) != (asked["count"] is None):
            raise click.UsageError("--seed and --count go together: your words, and how many rows you demanded")
        keys: tuple[str, ...] = asked.pop("signatures")
        signatures = tuple(Path(key) for key in keys if key != identity)
        return function(*args, asked=Asked(signatures, **asked, sigstore_required=identity in keys), **given)

    for option in reversed(
        (
            click.option("--require-signature", "signatures", multiple=True, type=GivenPath(dir_okay=False),
                         metavar="PUB.pem",
                         help="This key, or the sigstore identity, must have signed the root; repeatable."),
            click.option("--require-timestamp", "timestamps", multiple=True, type=click.Choice([*STAGES, "root"]),
                         metavar="STAGE", help="An authority must have seen STAGE, or root; repeatable."),
            click.option("--tsa-root", "authorities", multiple=True, type=FILE, metavar="CA.pem",
                         help="Certificates of timestamping authorities that you trust; repeatable."),
            click.option("--sigstore-root", type=FILE, metavar="FILE", help="The trust root of sigstore bundles."),
            click.option("--sigstore-identity", metavar="NAME", help="Who must have signed them."),
            click.option("--sigstore-issuer", metavar="URL", help="Who must have vouched for that identity."),
            click.option("--witness", "files", multiple=True, type=FILE, metavar="FILE",
                         help="A signature, timestamp or proof besides those in witnesses/; repeatable."),
            click.option("--partial", multiple=True, type=FILE, metavar="FILE",
                         help="Rows of a sealed tree that were disclosed (`sealtrace disclose`); repeatable."),
            click.option("--seed", metavar="TEXT", help="The words that you had the rows drawn by."),
            click.option("--count", type=click.IntRange(min=1), metavar="N", help="How many rows you demanded."),
        )
    ):  # fmt: skip
        asking = option(asking)
    return asking


def _exact(text: str) -> Fraction:
    """An exact constant, as protocols write them."""
    from sealtrace.contract.scalars import EXACT_PATTERN, exact

    if len(text) > 64 or not re.fullmatch(EXACT_PATTERN, text):
        raise click.BadParameter(f"{text!r} is no exact constant, such as 0.05 or 1/20")
    return exact(text)


def what_if(
    name: str, metavar: str, holds: Callable[[Fraction], bool], domain: str, what: str
) -> Callable[[_Function], _Function]:
    """An option that explores an exact constant, which must lie in its domain."""

    def read(_: click.Context, __: click.Parameter, text: str | None) -> Fraction | None:
        value = None if text is None else _exact(text)
        if value is not None and not holds(value):
            raise click.BadParameter(f"{text} is outside what it can be: {domain}")
        return value

    return click.option(name, metavar=metavar, callback=read, help=f"What if {what}?")


def range_of(_: click.Context, __: click.Parameter, text: str | None) -> tuple[Fraction, Fraction] | None:
    """Reads the ends of a range."""
    if text is None:
        return None
    ends = [_exact(part.strip()) for part in text.split(",")]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise click.BadParameter("give two constants, the smaller first, such as -12,10.75")
    return ends[0], ends[1]
