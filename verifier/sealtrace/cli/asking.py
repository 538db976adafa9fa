"""Options of `verify` that say whom the reader trusts, and what must have been seen from outside."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sealtrace.contract.packs import STAGES

_File = click.Path(path_type=Path, dir_okay=False)


def witness_options(function: Callable[..., int]) -> Callable[..., int]:
    """Gives a command the argument `asked`."""

    @wraps(function)
    def asking(
        *args: Any,
        keys: tuple[str, ...],
        stages: tuple[str, ...],
        authorities: tuple[Path, ...],
        sigstore_root: Path | None,
        sigstore_identity: str | None,
        sigstore_issuer: str | None,
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
        if sigstore_issuer is not None and sigstore_identity is None:
            raise click.UsageError("--sigstore-issuer says who vouches for --sigstore-identity")
        if seed is not None and not partial:
            raise click.UsageError("--seed is what the rows of --partial were drawn by")
        asked = Asked(
            signatures=tuple(Path(key) for key in keys if key != sigstore_identity),
            timestamps=stages,
            authorities=authorities,
            sigstore_root=sigstore_root,
            sigstore_identity=sigstore_identity,
            sigstore_issuer=sigstore_issuer,
            sigstore_required=sigstore_identity in keys,
            partial=partial,
            seed=seed,
            files=witnesses,
        )
        return function(*args, asked=asked, **rest)

    for option in reversed(
        (
            click.option("--require-signature", "keys", multiple=True, metavar="PUB.pem",
                         help="This key, or the sigstore identity, must have signed the root; repeatable."),
            click.option("--require-timestamp", "stages", multiple=True, type=click.Choice([*STAGES, "root"]),
                         metavar="STAGE", help="An authority must have seen STAGE, or root; repeatable."),
            click.option("--tsa-root", "authorities", multiple=True, type=_File, metavar="CA.pem",
                         help="Certificates of timestamping authorities that you trust; repeatable."),
            click.option("--sigstore-root", type=_File, metavar="FILE", help="The trust root of sigstore bundles."),
            click.option("--sigstore-identity", metavar="NAME", help="Who must have signed them."),
            click.option("--sigstore-issuer", metavar="URL", help="Who must have vouched for that identity."),
            click.option("--witness", "witnesses", multiple=True, type=_File, metavar="FILE",
                         help="A signature, timestamp or proof besides those in witnesses/; repeatable."),
            click.option("--partial", multiple=True, type=_File, metavar="FILE",
                         help="Rows of a sealed tree that were disclosed (`sealtrace disclose`); repeatable."),
            click.option("--seed", metavar="TEXT", help="The words that you had the rows drawn by."),
        )
    ):  # fmt: skip
        asking = option(asking)
    return asking
