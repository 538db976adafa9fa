"""What a reader of a bundle trusts, and which evidence from outside must be there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Asked:
    """Keys and certificates come from the reader; a bundle can name none of them."""

    signatures: tuple[Path, ...] = ()
    """Public keys; each must have signed the root."""
    timestamps: tuple[str, ...] = ()
    """Stages, or `root`, that an authority must have seen."""
    authorities: tuple[Path, ...] = ()
    """Certificates of timestamping authorities, or of those that vouch for them."""
    sigstore_root: Path | None = None
    sigstore_identity: str | None = None
    """The trust root of a sigstore instance, and the e-mail address or URI that must have signed."""
    sigstore_issuer: str | None = None
    """Who must have told sigstore that it is them; any that the trust root admits where absent."""
    sigstore_required: bool = False
    """Whether that identity must have signed the root."""
    partial: tuple[Path, ...] = ()
    """Files of rows that were withheld and are disclosed now."""
    seed: str | None = None
    """What the reviewer drew the rows by."""
    files: tuple[Path, ...] = ()
    """Witnesses that lie elsewhere than in the bundle."""
    must_be_empty: tuple[tuple[str, str], ...] = ()
    """Names and queries of the reader's own that must return no rows."""
