"""A sigstore of our own, as long as a test lives: an authority, a log of certificates and a log of signatures.

What its trust root says is all that a verifier needs, so that bundles of it are verified without a network.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import rfc8785
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ISSUER = "https://issuer.example"
_SCTS = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_ISSUER = x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_SHA256 = hashes.SHA256()
_ECDSA = ec.ECDSA(_SHA256)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _public(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Sigstore:
    """Makes out certificates, and signs statements with them."""

    def __init__(self, directory: Path) -> None:
        self.now = datetime.now(UTC).replace(microsecond=0)
        self.authority, self.certificates, self.log = (ec.generate_private_key(ec.SECP256R1()) for _ in range(3))
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self.authority.public_key())
        self.root_certificate = (
            self._certificate(_name("Test Sigstore"), self.authority, timedelta(days=-1), timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(identifier, critical=False)
            .sign(self.authority, _SHA256)
        )
        self.trust_root = directory / "trusted_root.json"
        self.trust_root.write_text(json.dumps(self._trust_root()))

    def _certificate(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, start: timedelta, end: timedelta
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(_name("Test Sigstore"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self.now + start)
            .not_valid_after(self.now + end)
        )

    def _trust_root(self) -> dict[str, Any]:
        start = {"start": (self.now - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")}

        def log(key: ec.EllipticCurvePrivateKey) -> dict[str, Any]:
            public = _public(key)
            details = {"rawBytes": _text(public), "keyDetails": "PKIX_ECDSA_P256_SHA_256", "validFor": start}
            return {
                "baseUrl": "https://log.example",
                "hashAlgorithm": "SHA2_256",
                "publicKey": details,
                "logId": {"keyId": _text(hashlib.sha256(public).digest())},
            }

        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [log(self.log)],
            "ctlogs": [log(self.certificates)],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "test", "commonName": "Test Sigstore"},
                    "uri": "https://authority.example",
                    "certChain": {
                        "certificates": [{"rawBytes": _text(self.root_certificate.public_bytes(Encoding.DER))}]
                    },
                    "validFor": start,
                }
            ],
        }

    def _leaf(self, identity: str, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
        """A certificate for minutes, with the promise of the log of certificates in it."""
        usage = x509.KeyUsage(True, False, False, False, False, False, False, False, False)
        parent = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority.public_key())
        builder = (
            self._certificate(x509.Name([]), key, timedelta(minutes=-5), timedelta(minutes=5))
            .add_extension(usage, critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(parent, critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.RFC822Name(identity)]), critical=True)
            .add_extension(x509.UnrecognizedExtension(_ISSUER, ISSUER.encode()), critical=False)
        )
        before = builder.sign(self.authority, _SHA256).tbs_certificate_bytes
        moment = int(self.now.timestamp() * 1000)
        key_of_issuer = hashlib.sha256(_public(self.authority)).digest()
        # RFC 6962, section 3.2: the certificate without the promise, its issuer's key, and the moment.
        promised = struct.pack("!BBQH", 0, 0, moment, 1) + key_of_issuer
        promised += len(before).to_bytes(3, "big") + before + b"\0\0"
        signature = self.certificates.sign(promised, _ECDSA)
        log_id = hashlib.sha256(_public(self.certificates)).digest()
        promise = struct.pack("!B32sQH", 0, log_id, moment, 0) + b"\x04\x03"
        promise += len(signature).to_bytes(2, "big") + signature
        listed = (len(promise) + 2).to_bytes(2, "big") + len(promise).to_bytes(2, "big") + promise
        octets = bytes([0x04, len(listed)]) if len(listed) < 128 else bytes([0x04, 0x81, len(listed)])
        with_promise = builder.add_extension(x509.UnrecognizedExtension(_SCTS, octets + listed), critical=False)
        return with_promise.sign(self.authority, _SHA256)

    def signed(self, statement: bytes, payload_type: str, identity: str) -> str:
        """A sigstore bundle: the statement in an envelope, its certificate, and its entry in the log."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._leaf(identity, key)
        kind = payload_type.encode()
        encoded = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(statement), statement)
        signature = key.sign(encoded, _ECDSA)
        envelope = {
            "payload": _text(statement),
            "payloadType": payload_type,
            "signatures": [{"sig": _text(signature), "keyid": ""}],
        }
        return json.dumps(
            {
                "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
                "verificationMaterial": {
                    "certificate": {"rawBytes": _text(certificate.public_bytes(Encoding.DER))},
                    "tlogEntries": [self._entry(envelope, statement, signature, certificate)],
                },
                "dsseEnvelope": envelope,
            }
        )

    def _entry(
        self, envelope: dict[str, Any], statement: bytes, signature: bytes, certificate: x509.Certificate
    ) -> dict[str, Any]:
        body = rfc8785.dumps(
            {
                "apiVersion": "0.0.1",
                "kind": "dsse",
                "spec": {
                    "envelopeHash": {
                        "algorithm": "sha256", "value": hashlib.sha256(json.dumps(envelope).encode()).hexdigest()
                    },
                    "payloadHash": {"algorithm": "sha256", "value": hashlib.sha256(statement).hexdigest()},
                    "signatures": [
                        {"signature": _text(signature), "verifier": _text(certificate.public_bytes(Encoding.PEM))}
                    ],
                },
            }
        )  # fmt: skip
        log_id = hashlib.sha256(_public(self.log)).digest()
        root = hashlib.sha256(b"\0" + body).digest()  # a tree of one leaf
        note = f"log.example\n1\n{_text(root)}\n"
        signed_note = f"{note}\n— log.example {_text(log_id[:4] + self.log.sign(note.encode(), _ECDSA))}\n"
        moment = int(self.now.timestamp())
        promised = rfc8785.dumps({"body": _text(body), "integratedTime": moment, "logID": log_id.hex(), "logIndex": 0})
        return {
            "logIndex": "0",
            "logId": {"keyId": _text(log_id)},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"},
            "integratedTime": str(moment),
            "inclusionPromise": {"signedEntryTimestamp": _text(self.log.sign(promised, _ECDSA))},
            "inclusionProof": {
                "logIndex": "0",
                "rootHash": _text(root),
                "treeSize": "1",
                "hashes": [],
                "checkpoint": {"envelope": signed_note},
            },
            "canonicalizedBody": _text(body),
        }
