"""Signed statements: DSSE envelopes with Ed25519, or with ECDSA on P-256 and SHA-256."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.strict_json import StrictJSONError, parse

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
    from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # as documented

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_LONGEST_KEY = 2**16
_LONGEST_ENVELOPE = 2**24
_ACCEPTED = "an Ed25519 or an ECDSA P-256 key is needed"
_SCHEMES = ("ed25519", "ecdsa-sha2-nistp256")


class SignatureError(Exception):
    """An envelope that the key did not sign."""


def read_private_key(path: Path) -> CryptoSigner:
    """A private key in PEM. No error repeats anything of what the file holds."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
        from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]
    except ModuleNotFoundError:
        raise _not_installed() from None
    data = read_bytes(path, _LONGEST_KEY)
    try:
        key = load_pem_private_key(data, None)
    except TypeError:
        # The library's way to say that a password is needed.
        raise BundleError(f"{path}: the key is encrypted; give one that is not, such as a pipe from openssl") from None
    except (ValueError, UnsupportedAlgorithm):
        raise BundleError(f"{path}: not a private key in PEM; {_ACCEPTED}") from None
    return CryptoSigner(key, _accepted(path, key.public_key()))


def read_public_key(path: Path) -> SSlibKey:
    """A public key in PEM."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
        from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]  # noqa: F401 - is it there?
    except ModuleNotFoundError:
        raise _not_installed() from None
    try:
        return _accepted(path, load_pem_public_key(read_bytes(path, _LONGEST_KEY)))
    except (ValueError, UnsupportedAlgorithm):
        raise BundleError(f"{path}: not a public key in PEM; {_ACCEPTED}") from None


def _accepted(path: Path, public: PublicKeyTypes) -> SSlibKey:
    """The key under the SHA-256 of its SubjectPublicKeyInfo in DER, where its sort is accepted."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]

    name = hashlib.sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()
    try:
        key = SSlibKey.from_crypto(public, name)
    except ValueError:
        key = None
    if key is None or key.scheme not in _SCHEMES:
        raise BundleError(f"{path}: a key of another kind; {_ACCEPTED}")
    return key


def signed(payload: bytes, signer: CryptoSigner, keyid: str | None = None) -> dict[str, Any]:
    """The payload in an envelope with one signature."""
    from securesystemslib.dsse import Envelope

    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    envelope.sign(signer)
    document: dict[str, Any] = envelope.to_dict()
    if keyid:
        document["signatures"][0]["keyid"] = keyid
    return document


def read_envelope(path: Path) -> dict[str, Any]:
    """An envelope as it was written; what it holds proves nothing yet."""
    return envelope_of(read_bytes(path, _LONGEST_ENVELOPE), str(path))


def envelope_of(data: bytes, name: str) -> dict[str, Any]:
    """The envelope that a file holds."""
    try:
        envelope = parse(data)
    except StrictJSONError as error:
        raise BundleError(f"{name}: {error}") from None
    if (
        not isinstance(envelope, dict)
        or not isinstance(envelope.get("payload"), str)
        or not isinstance(envelope.get("payloadType"), str)
        or not isinstance(envelope.get("signatures"), list)
        or not all(isinstance(one, dict) and isinstance(one.get("sig"), str) for one in envelope["signatures"])
    ):
        raise BundleError(f"{name}: not a DSSE envelope: an object with payload, payloadType and signatures")
    return envelope


def opened(envelope: dict[str, Any], key: SSlibKey) -> bytes:
    """The payload, where the key signed it; `SignatureError` otherwise. The key's id is a hint that nobody needs."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import UnverifiedSignatureError, VerificationError
    from securesystemslib.signer import Signature  # type: ignore[attr-defined]

    if envelope["payloadType"] != PAYLOAD_TYPE:
        raise SignatureError(f"the payload's type is not {PAYLOAD_TYPE}")
    covered = Envelope(_decoded(envelope["payload"]), PAYLOAD_TYPE, {})
    for one in envelope["signatures"]:
        try:
            key.verify_signature(Signature(key.keyid, _decoded(one["sig"]).hex()), covered.pae())
        except (SignatureError, UnverifiedSignatureError, VerificationError):
            continue  # what anybody may have put beside it says nothing
        return covered.payload
    raise SignatureError("no signature in it is of this key")


def _decoded(text: str) -> bytes:
    """Base64 in either alphabet: readers of DSSE must take both."""
    import base64

    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        raise SignatureError("it holds text that is not base64") from None


def read_bytes(path: Path, limit: int) -> bytes:
    """A small file, whole."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    if len(data) > limit:
        raise BundleError(f"{path}: too long to be what it should be")
    return data


def _not_installed() -> BundleError:
    return BundleError("signatures need more packages: pip install 'sealtrace[attest]'")
