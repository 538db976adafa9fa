"""Signed statements: DSSE envelopes with Ed25519, or with ECDSA on P-256 and SHA-256."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.strict_json import StrictJSONError, parse

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    PrivateKey = Ed25519PrivateKey | EllipticCurvePrivateKey
    PublicKey = Ed25519PublicKey | EllipticCurvePublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_LONGEST_KEY = 2**16
_LONGEST_ENVELOPE = 2**24
_ACCEPTED = "an Ed25519 or an ECDSA P-256 key is needed"


class SignatureError(Exception):
    """An envelope that the key did not sign."""


def pre_authentication(payload_type: str, payload: bytes) -> bytes:
    """The bytes that a signature covers: type and payload, each with its length."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def read_private_key(path: Path) -> PrivateKey:
    """A private key in PEM. No error repeats anything of what the file holds."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ModuleNotFoundError:
        raise _not_installed() from None
    data = _bytes(path, _LONGEST_KEY)
    try:
        key = load_pem_private_key(data, None)
    except TypeError:
        # The library's way to say that a password is needed.
        raise BundleError(f"{path}: the key is encrypted; give one that is not, such as a pipe from openssl") from None
    except (ValueError, UnsupportedAlgorithm):
        raise BundleError(f"{path}: not a private key in PEM; {_ACCEPTED}") from None
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, ec.SECP256R1):
        return key
    raise BundleError(f"{path}: a key of another kind; {_ACCEPTED}")


def read_public_key(path: Path) -> PublicKey:
    """A public key in PEM."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    except ModuleNotFoundError:
        raise _not_installed() from None
    data = _bytes(path, _LONGEST_KEY)
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise BundleError(f"{path}: not a public key in PEM; {_ACCEPTED}") from None
    if isinstance(key, ed25519.Ed25519PublicKey):
        return key
    if isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1):
        return key
    raise BundleError(f"{path}: a key of another kind; {_ACCEPTED}")


def key_id(key: PublicKey) -> str:
    """The SHA-256 of the public key as SubjectPublicKeyInfo, in DER."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def signed(payload: bytes, key: PrivateKey, keyid: str | None = None) -> dict[str, Any]:
    """The payload in an envelope with one signature."""
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.hashes import SHA256

    covered = pre_authentication(PAYLOAD_TYPE, payload)
    signature = key.sign(covered, ECDSA(SHA256())) if isinstance(key, EllipticCurvePrivateKey) else key.sign(covered)
    return {
        "payload": base64.b64encode(payload).decode("ascii"),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [
            {"keyid": keyid or key_id(key.public_key()), "sig": base64.b64encode(signature).decode("ascii")}
        ],
    }


def read_envelope(path: Path) -> dict[str, Any]:
    """An envelope as it was written; what it holds proves nothing yet."""
    try:
        envelope = parse(_bytes(path, _LONGEST_ENVELOPE))
    except StrictJSONError as error:
        raise BundleError(f"{path}: {error}") from None
    if (
        not isinstance(envelope, dict)
        or not isinstance(envelope.get("payload"), str)
        or not isinstance(envelope.get("payloadType"), str)
        or not isinstance(envelope.get("signatures"), list)
        or not all(isinstance(one, dict) and isinstance(one.get("sig"), str) for one in envelope["signatures"])
    ):
        raise BundleError(f"{path}: not a DSSE envelope: an object with payload, payloadType and signatures")
    return envelope


def opened(envelope: dict[str, Any], key: PublicKey) -> bytes:
    """The payload, where the key signed it; `SignatureError` otherwise. The key's id is a hint that nobody needs."""
    if envelope["payloadType"] != PAYLOAD_TYPE:
        raise SignatureError(f"the payload's type is not {PAYLOAD_TYPE}")
    payload = _decoded(envelope["payload"])
    covered = pre_authentication(PAYLOAD_TYPE, payload)
    if not any(_verifies(key, _decoded(one["sig"]), covered) for one in envelope["signatures"]):
        raise SignatureError("no signature in it is of this key")
    return payload


def _verifies(key: PublicKey, signature: bytes, covered: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        if isinstance(key, EllipticCurvePublicKey):
            key.verify(signature, covered, ECDSA(SHA256()))
        else:
            key.verify(signature, covered)
    except InvalidSignature:
        return False
    return True


def _decoded(text: str) -> bytes:
    """Base64 in either alphabet: readers of DSSE must take both."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        raise SignatureError("it holds text that is not base64") from None


def _bytes(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    if len(data) > limit:
        raise BundleError(f"{path}: too long to be what it should be")
    return data


def _not_installed() -> BundleError:
    return BundleError("signatures need the cryptography package: pip install 'sealtrace[attest]'")
