"""Sigstore bundles, verified without a network against a trust root that the reader gives."""

from __future__ import annotations

from pathlib import Path

from sealtrace.bundle.defects import BundleError
from sealtrace.witnesses.envelope import PAYLOAD_TYPE
from sealtrace.witnesses.timestamps import WitnessError, moment


def verified_bundle(
    data: bytes, trust_root: Path, identity: str, issuer: str | None = None
) -> tuple[bytes, str | None]:
    """The payload that this identity signed, and when its certificate was made out: minutes before, at most."""
    try:
        from sigstore.errors import Error as SigstoreError
        from sigstore.models import Bundle, TrustedRoot
        from sigstore.verify import Verifier
        from sigstore.verify.policy import Identity
    except ModuleNotFoundError:
        raise BundleError("sigstore bundles need more packages: pip install 'sealtrace[sigstore]'") from None

    try:
        verifier = Verifier(trusted_root=TrustedRoot.from_file(str(trust_root)))
    except (OSError, ValueError, KeyError, SigstoreError) as error:
        raise BundleError(f"{trust_root}: not a trust root of sigstore: {error}") from None
    try:
        bundle = Bundle.from_json(data)
        payload_type, payload = verifier.verify_dsse(bundle, Identity(identity=identity, issuer=issuer))
    except (SigstoreError, ValueError, KeyError) as error:
        raise WitnessError(f"the given trust root does not vouch for the bundle: {error}") from None
    if payload_type != PAYLOAD_TYPE:
        raise WitnessError(f"the payload's type is not {PAYLOAD_TYPE}")
    return payload, moment(bundle.signing_certificate.not_valid_before_utc)
