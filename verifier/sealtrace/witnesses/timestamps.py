"""When something was there: timestamps and sigstore bundles, which are verified without a network, and weaker proofs,
which are reported.
"""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sealtrace.bundle.defects import BundleError
from sealtrace.witnesses.envelope import PAYLOAD_TYPE, read_bytes

_LONGEST_CERTIFICATES = 2**20


class WitnessError(Exception):
    """A witness that says nothing, or that nobody vouches for."""


@dataclass(frozen=True)
class Seen:
    """A digest, who saw it, and when."""

    digest: str
    by: str
    time: str | None


def moment(time: datetime) -> str:
    """A time as reports write it."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_authorities(paths: tuple[Path, ...]) -> list[Any]:
    """Certificates in PEM, one or more in each file; those that signed themselves are roots."""
    if not paths:
        return []
    try:
        from cryptography.x509 import load_pem_x509_certificates
    except ModuleNotFoundError:
        raise _not_installed("timestamps") from None
    certificates = []
    for path in paths:
        try:
            certificates += load_pem_x509_certificates(read_bytes(path, _LONGEST_CERTIFICATES))
        except ValueError:
            raise BundleError(f"{path}: holds no certificate in PEM") from None
    return certificates


def token_digest(data: bytes) -> str:
    """The digest that a timestamp is about, verified or not."""
    return str(_decoded(data).tst_info.message_imprint.message.hex())


def verified_timestamp(data: bytes, authorities: list[Any]) -> Seen:
    """A timestamp of one of these authorities over a SHA-256 digest."""
    from rfc3161_client import VerificationError, VerifierBuilder

    response = _decoded(data)
    imprint = response.tst_info.message_imprint
    if imprint.hash_algorithm.dotted_string != "2.16.840.1.101.3.4.2.1":
        raise WitnessError("the timestamp is over another hash than SHA-256")
    builder = VerifierBuilder()
    for certificate in authorities:
        if certificate.subject == certificate.issuer:
            builder = builder.add_root_certificate(certificate)
        else:
            builder = builder.add_intermediate_certificate(certificate)
    try:
        builder.build().verify(response, imprint.message)
    except (VerificationError, ValueError) as error:
        raise WitnessError(f"no given authority vouches for the timestamp: {error}") from None
    return Seen(imprint.message.hex(), _signer(response), moment(response.tst_info.gen_time))


def _signer(response: Any) -> str:
    """The name in the certificate that signed; the signature has been verified."""
    from cryptography.x509 import load_der_x509_certificate

    (signer,) = response.signed_data.signer_infos
    for data in response.signed_data.certificates:
        certificate = load_der_x509_certificate(data)
        if (certificate.issuer, certificate.serial_number) == (signer.issuer, signer.serial_number):
            return str(certificate.subject.rfc4514_string())
    return "an authority"


def _decoded(data: bytes) -> Any:
    try:
        from rfc3161_client import decode_timestamp_response
    except ModuleNotFoundError:
        raise _not_installed("timestamps") from None
    try:
        response = decode_timestamp_response(data)
        response.tst_info.message_imprint  # noqa: B018 - a refusal has none
    except (ValueError, TypeError) as error:
        raise WitnessError(f"not a timestamp response in DER: {error}") from None
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
    try:
        from opentimestamps.core.notary import BitcoinBlockHeaderAttestation, PendingAttestation
        from opentimestamps.core.serialize import DeserializationError, StreamDeserializationContext
        from opentimestamps.core.timestamp import DetachedTimestampFile
    except ModuleNotFoundError:
        raise _not_installed("OpenTimestamps proofs") from None
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
    try:
        from sigstore.errors import Error as SigstoreError
        from sigstore.models import Bundle, TrustedRoot
        from sigstore.verify import Verifier
        from sigstore.verify.policy import Identity
    except ModuleNotFoundError:
        raise _not_installed("sigstore bundles", "sigstore") from None

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


def _not_installed(what: str, extra: str = "witnesses") -> BundleError:
    return BundleError(f"{what} need more packages: pip install 'sealtrace[{extra}]'")
