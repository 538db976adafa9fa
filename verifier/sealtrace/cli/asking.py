"""Options of `verify` that say whom the reader trusts, and what must have been seen from outside."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sealtrace.contract.kind import STAGES

_File = click.Path(path_type=Path, dir_okay=False)


def witness_options(function: Callable[..., int]) -> Callable[..., int]:
    """Gives a command the argument `asked`."""

    @wraps(function)
    def asking(
        *args: Any,
        keys: tuple[Path, ...],
        stages: tuple[str, ...],
        authorities: tuple[Path, ...],
        sigstore_root: Path | None,
        sigstore_identity: str | None,
        witnesses: tuple[Path, ...],
        partial: tuple[Path, ...],
        seed: str | None,
        **rest: Any,
    ) -> int:
        from sealtrace.bundle.asked import Asked

        if stages and not authorities:
            raise click.UsageError("--require-timestamp needs --tsa-root: the certificate of an authority you trust")
        if (sigstore_root is None) != (sigstore_identity is None):
            raise click.UsageError("--sigstore-root and --sigstore-identity go together")
        if seed is not None and not partial:
            raise click.UsageError("--seed is what the rows of --partial were drawn by")
        asked = Asked(keys, stages, authorities, sigstore_root, sigstore_identity, partial, seed, witnesses)
        return function(*args, asked=asked, **rest)

    for option in reversed(
        (
            click.option("--require-signature", "keys", multiple=True, type=_File, metavar="PUB.pem",
                         help="This key must have signed the root; repeatable."),
            click.option("--require-timestamp", "stages", multiple=True, type=click.Choice([*STAGES, "root"]),
                         metavar="STAGE", help="An authority must have seen STAGE, or root; repeatable."),
            click.option("--tsa-root", "authorities", multiple=True, type=_File, metavar="CA.pem",
                         help="Certificates of timestamping authorities that you trust; repeatable."),
            click.option("--sigstore-root", type=_File, metavar="FILE", help="The trust root of sigstore bundles."),
            click.option("--sigstore-identity", metavar="NAME", help="Who must have signed them."),
            click.option("--witness", "witnesses", multiple=True, type=_File, metavar="FILE",
                         help="A signature, timestamp or proof besides those in witnesses/; repeatable."),
            click.option("--partial", multiple=True, type=_File, metavar="FILE",
                         help="Rows of a sealed tree that were disclosed (`sealtrace disclose`); repeatable."),
            click.option("--seed", metavar="TEXT", help="The words that you had the rows drawn by."),
        )
    ):  # fmt: skip
        asking = option(asking)
    return asking
