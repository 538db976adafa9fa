"""`sealtrace attest`: statements that in-toto's own library reads, and envelopes that securesystemslib verifies."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from google.protobuf.json_format import ParseDict
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as StatementMessage
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]  # meant for users, by its documentation

from checks.mutations import MUTATIONS
from cli.runner import process, sealtrace
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.report.in_toto import property_of
from small_study import small_study
from support import FIXTURE

pytestmark = pytest.mark.usefixtures("kept_examinations")

TIME = "2024-05-01T12:00:00Z"
ROOT_SHA256 = json.loads((FIXTURE / "manifest.json").read_text())["root_sha256"]


PrivateKey = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A small bundle of its own."""
    return small_study(tmp_path / "study")


def spki(key: PrivateKey, encoding: Encoding) -> bytes:
    """The public half."""
    return key.public_key().public_bytes(encoding, PublicFormat.SubjectPublicKeyInfo)


def written(directory: Path, key: PrivateKey, name: str = "key") -> tuple[Path, Path]:
    """A private and a public key as files."""
    private, public = directory / f"{name}.pem", directory / f"{name}.pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(spki(key, Encoding.PEM))
    return private, public


def attested(bundle: Path, file: Path, *options: str | Path) -> dict[str, Any]:
    """The document that a successful run wrote."""
    run = sealtrace("attest", bundle, "--time", TIME, "-o", file, *options)
    assert (run.code, run.output, run.errors) == (0, "", "")
    document: dict[str, Any] = json.loads(file.read_text())
    return document


def test_statement_is_one_for_the_library_of_the_format(tmp_path: Path) -> None:
    """Type, subject and predicate; every property is that of a check which passed, and the whole is verified."""
    document = attested(FIXTURE, tmp_path / "statement.json")
    Statement.copy_from_pb(ParseDict(document, StatementMessage())).validate()
    assert document["_type"] == "https://in-toto.io/Statement/v1"
    assert document["subject"] == [{"name": "rsd-fixture", "digest": {"sha256": ROOT_SHA256}}]
    assert document["predicateType"] == "https://in-toto.io/attestation/svr/v0.1"
    predicate = document["predicate"]
    assert set(predicate) == {"verifier", "timeCreated", "properties"}
    assert predicate["verifier"]["id"].startswith("pkg:generic/sealtrace@")
    assert predicate["timeCreated"] == TIME
    report = json.loads(sealtrace("verify", FIXTURE, "--format", "json").output)
    passed = [property_of(check["id"]) for check in report["checks"] if check["status"] == "pass"]
    assert predicate["properties"] == ["SEALTRACE_VERIFIED", *passed]
    assert "SEALTRACE_REPLAY_TILT" in passed
    assert "SEALTRACE_MAP_CHOICE" not in passed


def test_every_check_has_a_property_of_its_own() -> None:
    """Dots and hyphens become the same sign, and still no two names meet."""
    assert len({property_of(check.id) for check in CATALOGUE}) == len(CATALOGUE)


def test_what_fails_is_not_listed(tmp_path: Path) -> None:
    """A cell that differs: the check and the verdict are absent, what passed is stated, and the exit code is 1."""
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    run = sealtrace("attest", bundle)
    properties = json.loads(run.output)["predicate"]["properties"]
    assert run.code == 1
    assert "SEALTRACE_IDENTITY_BYTES" in properties
    assert not {"SEALTRACE_VERIFIED", "SEALTRACE_TABLE_CELLS"} & set(properties)


def test_nothing_is_stated_of_a_root_that_does_not_bind_the_records(tmp_path: Path) -> None:
    """A changed byte, a file too many, another root than expected, no manifest: exit code 1, and no file."""
    changed, more, unreadable, whole = (small_study(tmp_path / name) for name in "abcd")
    with (changed / "declare" / "label.test.jsonl").open("a") as file:
        file.write("\n")
    (more / "report").mkdir()
    (more / "report" / "more.txt").write_text("more")
    (unreadable / "manifest.json").write_text("{")
    output = tmp_path / "statement.json"
    for bundle, options, check in (
        (changed, [], "identity.bytes"),
        (more, [], "identity.listing"),
        (unreadable, [], "identity.manifest"),
        (whole, ["--expect-root", "0" * 64], "identity.expected-root"),
    ):
        run = sealtrace("attest", bundle, "-o", output, *options)
        assert (run.code, run.output) == (1, "")
        assert check in run.errors
        assert not output.exists()


@pytest.mark.parametrize(
    ("key", "scheme"),
    [
        (ed25519.Ed25519PrivateKey.generate(), "ed25519"),
        (ec.generate_private_key(ec.SECP256R1()), "ecdsa-sha2-nistp256"),
    ],
    ids=["ed25519", "p256"],
)
def test_envelope_is_verified_by_another_library(key: PrivateKey, scheme: str, study: Path, tmp_path: Path) -> None:
    """Its payload is the statement; a changed payload is found by that library, and by `--check`."""
    private, public = written(tmp_path, key)
    signed = tmp_path / "statement.dsse.json"
    document = attested(study, signed, "--key", private)
    keyid = hashlib.sha256(spki(key, Encoding.DER)).hexdigest()
    assert document["payloadType"] == "application/vnd.in-toto+json"
    assert document["signatures"][0]["keyid"] == keyid
    known = SSlibKey.from_crypto(key.public_key(), keyid=keyid, scheme=scheme)
    Envelope.from_dict(json.loads(signed.read_text())).verify([known], 1)
    assert json.loads(base64.b64decode(document["payload"])) == attested(study, tmp_path / "plain.json")

    run = sealtrace("attest", study, "--check", signed, "--public-key", public)
    assert (run.code, run.errors) == (0, "")
    assert f"time      {TIME}\npassed    SEALTRACE_VERIFIED\n" in run.output

    payload = base64.b64decode(document["payload"]).replace(b"small", b"large")
    document["payload"] = base64.b64encode(payload).decode()
    signed.write_text(json.dumps(document))
    with pytest.raises(VerificationError):
        Envelope.from_dict(json.loads(signed.read_text())).verify([known], 1)
    run = sealtrace("attest", study, "--check", signed, "--public-key", public)
    assert (run.code, run.output) == (1, "")
    assert "no signature in it is of this key" in run.errors


def test_check_refuses_other_keys_other_bundles_and_other_statements(study: Path, tmp_path: Path) -> None:
    """A valid signature says nothing by itself: it must be of this key, over a verification result, of these bytes."""
    key = ed25519.Ed25519PrivateKey.generate()
    private, public = written(tmp_path, key)
    _, other = written(tmp_path, ec.generate_private_key(ec.SECP256R1()), "other")
    signed = tmp_path / "statement.dsse.json"
    document = attested(study, signed, "--key", private, "--keyid", "mine")
    assert document["signatures"][0]["keyid"] == "mine"

    def check(bundle: Path = study, file: Path = signed, public: Path = public) -> tuple[int, str]:
        run = sealtrace("attest", bundle, "--check", file, "--public-key", public)
        return run.code, run.errors

    assert check()[0] == 0
    assert check(public=other) == (1, f"sealtrace: {signed}: no signature in it is of this key\n")
    assert "about another bundle" in check(bundle=small_study(tmp_path / "a", "another"))[1]
    changed = small_study(tmp_path / "b")
    with (changed / "declare" / "label.test.jsonl").open("a") as file:
        file.write("\n")
    assert "identity.bytes" in check(bundle=changed)[1]

    def resigned(payload: bytes, kind: str = "application/vnd.in-toto+json") -> Path:
        covered = f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload
        signature = {"keyid": "", "sig": base64.urlsafe_b64encode(key.sign(covered)).decode()}
        body = base64.urlsafe_b64encode(payload).decode()
        path = tmp_path / "resigned.json"
        path.write_text(json.dumps({"payload": body, "payloadType": kind, "signatures": [signature]}))
        return path

    statement = json.loads(base64.b64decode(document["payload"]))
    assert check(file=resigned(json.dumps(statement).encode()))[0] == 0
    for payload, said in (
        (b"no JSON", "not strict JSON"),
        (b"[]", "not a statement"),
        (json.dumps(statement | {"predicateType": "https://example.org/other"}).encode(), "predicate is not"),
        (json.dumps(statement | {"predicate": {}}).encode(), "no properties"),
        (json.dumps(statement | {"subject": [{"digest": {"sha512": "0"}}]}).encode(), "another bundle"),
    ):
        code, errors = check(file=resigned(payload))
        assert code == 1
        assert said in errors
    assert "type is not" in check(file=resigned(json.dumps(statement).encode(), "text/plain"))[1]
    for text in ("{", "[]", '{"payload": "", "payloadType": "", "signatures": [{}]}'):
        (tmp_path / "broken.json").write_text(text)
        assert check(file=tmp_path / "broken.json")[0] == 2


def test_keys_that_cannot_be_used(study: Path, tmp_path: Path) -> None:
    """A sentence and exit code 2; nothing of the key is repeated, and nothing is written."""
    key = ed25519.Ed25519PrivateKey.generate()
    private, public = written(tmp_path, key)
    (tmp_path / "encrypted").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    )
    large = rsa.generate_private_key(65537, 2048)
    (tmp_path / "rsa").write_bytes(large.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    written(tmp_path, ec.generate_private_key(ec.SECP384R1()), "p384")
    (tmp_path / "cut").write_bytes(private.read_bytes()[:-40])
    (tmp_path / "long").write_bytes(b"x" * 2**17)
    for name, said in (
        ("encrypted", "the key is encrypted"),
        ("rsa", "a key of another kind"),
        ("p384.pem", "a key of another kind"),
        ("cut", "not a private key in PEM"),
        ("key.pub.pem", "not a private key in PEM"),
        ("long", "too long"),
        ("nowhere", "No such file"),
    ):
        run = sealtrace("attest", study, "--key", tmp_path / name, "-o", tmp_path / "out.json")
        assert (run.code, run.output) == (2, "")
        assert said in run.errors
        lines = (tmp_path / name).read_text().splitlines()[1:-1] if (tmp_path / name).exists() else []
        assert not any(line in run.errors for line in lines)
        assert not (tmp_path / "out.json").exists()
    signed = tmp_path / "signed.json"
    attested(study, signed, "--key", private)
    assert "not a public key" in sealtrace("attest", study, "--check", signed, "--public-key", private).errors
    before = private.read_bytes()
    assert sealtrace("attest", study, "--key", private, "-o", private).code == 2
    assert private.read_bytes() == before
    assert public.exists()


def test_time_is_said_by_the_option_the_environment_or_the_clock(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes for the same moment; what is no moment is a usage error."""

    def created(*options: str) -> str:
        run = sealtrace("attest", study, *options)
        assert (run.code, run.errors) == (0, "")
        said: str = json.loads(run.output)["predicate"]["timeCreated"]
        return said

    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert created("--time", "2024-05-01T14:00:00+02:00") == TIME
    assert created() > "2024"
    for time in ("2024-05-01", "2024-05-01T12:00:00", "2024-13-01T12:00:00Z", "now"):
        assert sealtrace("attest", study, "--time", time).code == 2
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert created() == "1970-01-01T00:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert sealtrace("attest", study).code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["--check", "x"],
        ["--public-key", "x"],
        ["--keyid", "x"],
        ["--check", "x", "--public-key", "y", "-o", "z"],
        ["--verifier-id", "no uri"],
        ["-o", str(FIXTURE / "statement.json")],
    ],
    ids=" ".join,
)
def test_options_that_do_not_go_together(arguments: list[str]) -> None:
    """Refused before anything is read."""
    run = sealtrace("attest", FIXTURE, *arguments)
    assert (run.code, run.output) == (2, "")


def test_without_the_library_only_signing_is_refused(study: Path, tmp_path: Path) -> None:
    """A plain statement needs no cryptography."""
    (tmp_path / "cryptography.py").write_text("raise ModuleNotFoundError('gone', name='cryptography')")
    done = process("attest", study, "--key", tmp_path / "key", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'sealtrace[attest]'" in done.stderr
    assert process("attest", study, PYTHONPATH=str(tmp_path)).returncode == 0
