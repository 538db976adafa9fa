"""Keys and a timestamping authority that live as long as a test."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

CONFIGURATION = """
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[stamping]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = authority
[authority]
serial = {directory}/serial
signer_cert = {directory}/stamping.pem
signer_key = {directory}/stamping.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
"""


def key_pair(directory: Path, name: str = "key", *, curve: bool = False) -> tuple[Path, Path]:
    """A private and a public key as files: Ed25519, or ECDSA on P-256."""
    key = ec.generate_private_key(ec.SECP256R1()) if curve else ed25519.Ed25519PrivateKey.generate()
    private, public = directory / f"{name}.pem", directory / f"{name}.pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


class Authority:
    """A root, a certificate for stamping, and `openssl ts` to answer queries with it."""

    def __init__(self, directory: Path, name: str = "Test Authority") -> None:
        directory.mkdir(parents=True)
        self.directory = directory
        self.root = directory / "root.pem"
        (directory / "openssl.cnf").write_text(CONFIGURATION.format(directory=directory))
        (directory / "serial").write_text("01\n")
        self._run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "root.key")
        self._run("req", "-x509", "-new", "-key", "root.key", "-subj", f"/CN={name} Root", "-days", "3650",
                  "-config", "openssl.cnf", "-extensions", "root", "-out", "root.pem")  # fmt: skip
        self._run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "stamping.key")
        self._run("req", "-new", "-key", "stamping.key", "-subj", f"/CN={name}", "-config", "openssl.cnf",
                  "-out", "stamping.csr")  # fmt: skip
        self._run("x509", "-req", "-in", "stamping.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial",
                  "-days", "3650", "-extfile", "openssl.cnf", "-extensions", "stamping",
                  "-out", "stamping.pem")  # fmt: skip

    def stamp(self, digest: str, target: Path, algorithm: str = "-sha256") -> Path:
        """A timestamp over a digest."""
        self._run("ts", "-query", algorithm, "-digest", digest, "-cert", "-out", "query.tsq")
        self._run("ts", "-reply", "-config", "openssl.cnf", "-queryfile", "query.tsq", "-out", str(target.resolve()))
        return target

    def _run(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.directory, check=True, capture_output=True)
