"""Who signed what was sealed, and when it was there.

DSSE envelopes with Ed25519, or with ECDSA on P-256 and SHA-256; timestamps and sigstore bundles, which are verified
without a network; and weaker proofs, which are reported.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from sealtrace.bundle.defects import BundleError, refusing
from sealtrace.bundle.strict_json import parse

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampResponse
    from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # as documented

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_LONGEST_KEY = 2**16
_LONGEST_ENVELOPE = 2**24
_LONGEST_CERTIFICATES = 2**20
_ACCEPTED = "an Ed25519 or an ECDSA P-256 key is needed"
_SCHEMES = ("ed25519", "ecdsa-sha2-nistp256")


class SignatureError(Exception):
    """An envelope that the key did not sign."""


class Envelope(TypedDict):
    """A DSSE envelope as a file holds it."""

    payload: str
    payloadType: str
    signatures: list[dict[str, str]]


def read_private_key(path: Path) -> CryptoSigner:
    """A private key in PEM. No error repeats anything of what the file holds."""
    with _needing("signatures", "attest"):
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
        from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]
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
    with _needing("signatures", "attest"):
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
        from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]  # noqa: F401 - is it there?
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


def signed(payload: bytes, signer: CryptoSigner, keyid: str | None = None) -> Envelope:
    from securesystemslib.dsse import Envelope as SignedPayload

    envelope = SignedPayload(payload, PAYLOAD_TYPE, {})
    envelope.sign(signer)
    document = cast("Envelope", envelope.to_dict())
    if keyid:
        document["signatures"][0]["keyid"] = keyid
    return document


def read_envelope(path: Path) -> Envelope:
    """An envelope as it was written; what it holds proves nothing yet."""
    return envelope_of(read_bytes(path, _LONGEST_ENVELOPE), str(path))


def envelope_of(data: bytes, name: str) -> Envelope:
    """The envelope that a file holds."""
    with refusing(name):
        envelope = parse(data)
    match envelope:
        case {"payload": str(), "payloadType": str(), "signatures": [*signatures]} if all(
            isinstance(signature, dict) and isinstance(signature.get("sig"), str) for signature in signatures
        ):
            return cast("Envelope", envelope)
    raise BundleError(f"{name}: not a DSSE envelope: an object with payload, payloadType and signatures")


def opened(envelope: Envelope, key: SSlibKey) -> bytes:
    """The payload, where the key signed it; `SignatureError` otherwise. The key's id is a hint that nobody needs."""
    from securesystemslib.dsse import Envelope as SignedPayload
    from securesystemslib.exceptions import UnverifiedSignatureError, VerificationError
    from securesystemslib.signer import Signature  # type: ignore[attr-defined]

    if envelope["payloadType"] != PAYLOAD_TYPE:
        raise SignatureError(f"the payload's type is not {PAYLOAD_TYPE}")
    covered = SignedPayload(_decoded(envelope["payload"]), PAYLOAD_TYPE, {})
    for signature in envelope["signatures"]:
        try:
            key.verify_signature(Signature(key.keyid, _decoded(signature["sig"]).hex()), covered.pae())
        except (SignatureError, UnverifiedSignatureError, VerificationError):
            continue  # what anybody may have put beside it says nothing
        return covered.payload
    raise SignatureError("no signature in it is of this key")


def _decoded(text: str) -> bytes:
    """Base64 in either alphabet: readers of DSSE must take both."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        raise SignatureError("it holds text that is not base64") from None


def read_bytes(path: Path, limit: int) -> bytes:
    """A small file, whole."""
    with refusing(path), path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise BundleError(f"{path}: too long to be what it should be")
    return data


class MissingPackageError(BundleError):
    """This installation cannot read a witness of this sort."""


@contextmanager
def _needing(what: str, extra: str) -> Iterator[None]:
    """Guards imports of an extra: an absent package is an error that names the extra."""
    try:
        yield
    except ModuleNotFoundError:
        raise MissingPackageError(f"{what} need more packages: pip install 'sealtrace[{extra}]'") from None


# When something was there


class WitnessError(Exception):
    """A witness that says nothing."""


class UnvouchedError(WitnessError):
    """A witness that nobody vouches for whom the reader named: anybody could have put it there."""


@dataclass(frozen=True)
class Seen:
    """A digest, who saw it, and when."""

    digest: str
    by: str
    time: str | None


def moment(time: datetime) -> str:
    """A time as reports write it."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_authorities(paths: tuple[Path, ...]) -> list[Certificate]:
    """Certificates in PEM, one or more in each file; those that signed themselves are roots."""
    if not paths:
        return []
    with _needing("timestamps", "witnesses"):
        from cryptography.x509 import load_pem_x509_certificates
    certificates = []
    for path in paths:
        try:
            certificates += load_pem_x509_certificates(read_bytes(path, _LONGEST_CERTIFICATES))
        except ValueError:
            raise BundleError(f"{path}: holds no certificate in PEM") from None
    return certificates


def token_digest(data: bytes) -> str:
    """The digest that a timestamp is about, verified or not."""
    return str(_response(data).tst_info.message_imprint.message.hex())


def verified_timestamp(data: bytes, authorities: list[Certificate]) -> Seen:
    """A timestamp of one of these authorities over a SHA-256 digest."""
    from rfc3161_client import VerificationError, VerifierBuilder

    response = _response(data)
    imprint = response.tst_info.message_imprint
    if imprint.hash_algorithm.dotted_string != "2.16.840.1.101.3.4.2.1":
        raise WitnessError("the timestamp is over another hash than SHA-256")
    builder = VerifierBuilder()
    for certificate in authorities:
        # Who vouches for themselves is a root that the reader chose to trust; the others only lead there.
        if certificate.subject == certificate.issuer:
            builder = builder.add_root_certificate(certificate)
        else:
            builder = builder.add_intermediate_certificate(certificate)
    try:
        builder.build().verify(response, imprint.message)
    except (VerificationError, ValueError):
        # What OpenSSL says of it is a list of its own functions.
        raise UnvouchedError("no given authority vouches for the timestamp") from None
    return Seen(imprint.message.hex(), _signer(response), moment(response.tst_info.gen_time))


def _signer(response: TimeStampResponse) -> str:
    """The name in the certificate that signed; the signature has been verified."""
    from cryptography.x509 import load_der_x509_certificate

    (signer,) = response.signed_data.signer_infos
    for data in response.signed_data.certificates:
        certificate = load_der_x509_certificate(data)
        if (certificate.issuer, certificate.serial_number) == (signer.issuer, signer.serial_number):
            return str(certificate.subject.rfc4514_string())
    return "an authority"


def _response(data: bytes) -> TimeStampResponse:
    with _needing("timestamps", "witnesses"):
        from rfc3161_client import decode_timestamp_response
    try:
        response = decode_timestamp_response(data)
        response.tst_info.message_imprint  # noqa: B018 - a refusal has none
    except (ValueError, TypeError):
        raise WitnessError("not a timestamp response in DER, or one in which the authority refuses") from None
    return response


_COMMIT = re.compile(rb"\Acommit (\d{1,9})\0")
_COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
_DIGEST = re.compile(rb"\b[0-9a-f]{64}\b")


def git_commit(data: bytes) -> list[Seen]:
    """The digests in the message of a commit (`git cat-file commit HEAD`), under the commit's id.

    The time is the committer's word; the id is what can be looked up where the repository is published.
    """
    data = _COMMIT.sub(b"", data, count=1)
    head, blank, message = data.partition(b"\n\n")
    if not head.startswith(b"tree ") or not blank or (found := _COMMITTER.search(head)) is None:
        raise WitnessError("not a commit, as `git cat-file commit` prints it")
    # The name that git gives a commit: SHA-1 over its kind, its length and its bytes.
    name = hashlib.sha1(b"commit %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    try:
        time = moment(datetime.fromtimestamp(int(found.group(1)), UTC))
    except (ValueError, OverflowError, OSError):
        raise WitnessError("the commit's time is none that a calendar has") from None
    digests = sorted({match.decode() for match in _DIGEST.findall(message)})
    if not digests:
        raise WitnessError("the commit's message names no digest")
    return [Seen(digest, f"git commit {name}", time) for digest in digests]


def open_timestamp(data: bytes) -> Seen:
    """The digest of an OpenTimestamps proof, and who it says to have seen it; blocks are not looked up."""
    with _needing("OpenTimestamps proofs", "witnesses"):
        from opentimestamps.core.notary import BitcoinBlockHeaderAttestation, PendingAttestation
        from opentimestamps.core.serialize import DeserializationError, StreamDeserializationContext
        from opentimestamps.core.timestamp import DetachedTimestampFile
    try:
        proof = DetachedTimestampFile.deserialize(StreamDeserializationContext(io.BytesIO(data)))
    except (DeserializationError, ValueError, EOFError, RecursionError) as error:
        raise WitnessError(f"not an OpenTimestamps proof: {error}") from None
    blocks, calendars = [], []
    for _, attestation in proof.timestamp.all_attestations():
        if isinstance(attestation, BitcoinBlockHeaderAttestation):
            blocks.append(attestation.height)
        elif isinstance(attestation, PendingAttestation):
            calendars.append(attestation.uri)
    if blocks:
        by = f"Bitcoin block {min(blocks)}, as the proof says"
    elif calendars:
        by = f"the calendar {min(calendars)}, as the proof says"
    else:
        raise WitnessError("the proof names neither a block nor a calendar")
    return Seen(proof.file_digest.hex(), by, None)


def verified_bundle(
    data: bytes, trust_root: Path, identity: str, issuer: str | None = None
) -> tuple[bytes, str | None]:
    """The payload that this identity signed, and when its certificate was made out: minutes before, at most."""
    with _needing("sigstore bundles", "sigstore"):
        from sigstore.errors import Error as SigstoreError
        from sigstore.models import Bundle, TrustedRoot
        from sigstore.verify import Verifier
        from sigstore.verify.policy import Identity

    try:
        verifier = Verifier(trusted_root=TrustedRoot.from_file(str(trust_root)))
    except (OSError, ValueError, KeyError, SigstoreError) as error:
        raise BundleError(f"{trust_root}: not a trust root of sigstore: {error}") from None
    try:
        bundle = Bundle.from_json(data)
        payload_type, payload = verifier.verify_dsse(bundle, Identity(identity=identity, issuer=issuer))
    except (SigstoreError, ValueError, KeyError) as error:
        raise UnvouchedError(f"the given trust root does not vouch for the bundle: {error}") from None
    if payload_type != PAYLOAD_TYPE:
        raise WitnessError(f"the payload's type is not {PAYLOAD_TYPE}")
    return payload, moment(bundle.signing_certificate.not_valid_before_utc)
