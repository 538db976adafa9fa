"""Evidence from outside: whose signature, whose time, over what; bundles rolled back, mixed or backdated."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from cli.runner import sealtrace as run
from sealtrace.bundle.budget import Asked
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import seal
from sealtrace.contract.result import Result
from sealtrace.witnesses.examining import Commitments, commitments_of
from support import EMPTY, copy_of_small_fixture, edit_document, unseal
from witnesses.authorities import Authority, key_pair
from witnesses.sigstore_instance import ISSUER, Sigstore


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A copy of the good bundle."""
    return copy_of_small_fixture(tmp_path)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """A timestamping authority."""
    return Authority(tmp_path / "authority")


def digests(bundle: Path) -> dict[str, str]:
    """What can be witnessed."""
    return commitments_of(read_bundle(bundle)).digests


def seen(bundle: Path, **asked: Any) -> Result:
    """The verdict on identity, stages and witnesses."""
    return sealtrace.verify(bundle, check=["identity", "stage", "witness"], asked=Asked(**asked))


def outside(report: Result) -> list[tuple[str, str]]:
    """Severity and message of what was found."""
    return [(one.severity, one.message) for one in report.findings if one.check == "witness.outside"]


def status(report: Result, check: str = "witness.outside") -> str:
    """How a check ended."""
    return next(one.status for one in report.checks if one.id == check)


def coverage(report: Result) -> dict[str, str | None]:
    """Stage to the first time that somebody vouches for."""
    return {one.stage: one.since for one in report.summary.chain.coverage}


def witness(bundle: Path, name: str) -> Path:
    """Where a witness of a bundle goes."""
    (bundle / "witnesses").mkdir(exist_ok=True)
    return bundle / "witnesses" / name


def resealed(bundle: Path) -> None:
    """The bundle with a changed table, sealed anew without fault."""
    edit_document(bundle / "report" / "table.main.json", lambda table: table.update(caption="Another caption."))
    unseal(bundle)
    seal(bundle, empty=EMPTY)


def test_without_witnesses_the_order_is_the_authors_word(bundle: Path) -> None:
    """Nothing is asked for and nothing is there: the check does not apply, and the report says whose word it is."""
    report = seen(bundle)
    assert status(report) == "not-applicable"
    assert (report.summary.chain.signatures, report.summary.chain.coverage) == (0, [])


@pytest.mark.parametrize("curve", [False, True], ids=["Ed25519", "ECDSA"])
def test_a_signed_root_covers_every_stage(curve: bool, bundle: Path, tmp_path: Path) -> None:
    """Signed by the command, verified against a pinned key, in the report stage by stage; the root digest stays."""
    private, public = key_pair(tmp_path, curve=curve)
    before = digests(bundle)
    signed = run("sign", bundle, "--key", private)
    assert (signed.code, signed.output) == (0, f"root  {before['root']}\n")
    assert digests(bundle) == before
    report = seen(bundle, signatures=(public,))
    assert (status(report), outside(report), report.summary.chain.signatures) == ("pass", [], 1)
    assert all(one.vouched and "signature by the key" in one.witnesses[0] for one in report.summary.chain.coverage)
    text = run("verify", bundle, "--require-signature", public)
    assert text.code == 0
    assert "1 signatures, 0 outside timestamps" in text.output
    assert "when is the authors' word" in " ".join(text.output.split())


def test_another_key_does_not_count(bundle: Path, tmp_path: Path) -> None:
    """A signature of somebody else is seen, said to be unverified, and not enough."""
    private, public = key_pair(tmp_path)
    _, other = key_pair(tmp_path, "other")
    run("sign", bundle, "--key", private)
    report = seen(bundle, signatures=(other,))
    assert status(report) == "fail"
    assert outside(report) == [("error", "The root is not signed by the key that must have signed it (other.pub.pem).")]
    assert "(not verified)" in report.summary.chain.coverage[0].witnesses[0]
    assert run("verify", bundle, "--require-signature", other).code == 1
    assert run("verify", bundle, "--require-signature", public, "--require-signature", other).code == 1


def test_what_others_put_into_an_envelope_takes_nothing_away(bundle: Path, tmp_path: Path) -> None:
    """Two signatures in one envelope are of two keys; beside text that is none, and a moved signature, one holds."""
    keys = [key_pair(tmp_path, "one"), key_pair(tmp_path, "two", curve=True)]
    envelopes = []
    for private, _ in keys:
        assert run("sign", bundle, "--key", private, "-o", tmp_path / "signed.json").code == 0
        envelopes.append(json.loads((tmp_path / "signed.json").read_text()))
        (tmp_path / "signed.json").unlink()
    signatures = [{"sig": "!"}, *envelopes[0]["signatures"], *envelopes[1]["signatures"]]
    place = witness(bundle, "both.dsse.json")
    place.write_text(json.dumps({**envelopes[0], "signatures": signatures}))
    assert outside(seen(bundle, signatures=tuple(public for _, public in keys))) == []
    signature = bytearray(base64.b64decode(envelopes[0]["signatures"][0]["sig"]))
    order = 2**252 + 27742317777372353535851937790883648493
    signature[32:] = (int.from_bytes(signature[32:], "little") + order).to_bytes(32, "little")
    again = {"sig": base64.b64encode(signature).decode()}
    place.write_text(json.dumps({**envelopes[0], "signatures": [again]}))
    assert "not signed by the key" in outside(seen(bundle, signatures=(keys[0][1],)))[0][1]


def test_a_signed_stage_covers_itself_and_what_was_before_it(bundle: Path, tmp_path: Path) -> None:
    """Stages after it rest on the authors' word, and it does not stand for the root."""
    private, public = key_pair(tmp_path)
    run("sign", bundle, "--key", private, "--stage", "structure")
    report = seen(bundle, signatures=(public,))
    covered = [one.stage for one in report.summary.chain.coverage if one.vouched]
    assert covered == ["declare", "bank", "structure"]
    assert outside(report)[0][1].startswith("The root is not signed")


@pytest.mark.parametrize("command", ["sign", "attest"])
@pytest.mark.parametrize("target", ["key.pem", "bundle/declare/protocol.json", "bundle"])
def test_no_signature_replaces_what_it_is_made_from(command: str, target: str, bundle: Path, tmp_path: Path) -> None:
    """The private key and sealed files stay as they are, whatever -o says."""
    private, _ = key_pair(tmp_path)
    output = {"key.pem": private, "bundle": bundle}.get(target, bundle / "declare" / "protocol.json")
    before = {path: path.read_bytes() for path in (private, bundle / "declare" / "protocol.json")}
    done = run(command, bundle, "--key", private, "-o", output)
    assert done.code == 2
    assert {path: path.read_bytes() for path in before} == before


def test_nothing_is_signed_that_is_not_what_was_sealed(bundle: Path, tmp_path: Path) -> None:
    """A signature under changed bytes would lend them its weight."""
    private, _ = key_pair(tmp_path)
    path = bundle / "bank" / "candidate.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    done = run("sign", bundle, "--key", private)
    assert done.code == 1
    assert "identity.bytes" in done.errors
    assert not (bundle / "witnesses").exists()


def test_a_changed_and_resealed_bundle_is_not_the_one_that_was_signed(bundle: Path, tmp_path: Path) -> None:
    """The stage that changed is named; those before it still match."""
    private, public = key_pair(tmp_path)
    run("sign", bundle, "--key", private)
    resealed(bundle)
    report = seen(bundle, signatures=(public,))
    keys = [one.key for one in report.findings if one.check == "witness.outside" and one.key]
    assert keys == [{"stage": "report"}, {"stage": "root"}]
    assert status(report) == "fail"


def test_a_rollback_is_found(bundle: Path, tmp_path: Path) -> None:
    """An older bundle with its own good signature, while the signer has replaced it since."""
    private, public = key_pair(tmp_path)
    run("sign", bundle, "--key", private)
    older = shutil.copytree(bundle, tmp_path / "older")
    old_root = digests(older)["root"]
    resealed(bundle)
    shutil.rmtree(bundle / "witnesses")
    newer = tmp_path / "newer.dsse.json"
    assert run("sign", bundle, "--key", private, "--supersedes", old_root, "-o", newer).code == 0
    assert status(seen(older, signatures=(public,))) == "pass"
    report = seen(older, signatures=(public,), files=(newer,))
    assert ("error", "Its signer replaced this bundle by a later one: this is a rollback.") in outside(report)
    assert status(seen(bundle, signatures=(public,), files=(newer,))) == "pass"


def test_parts_of_two_good_bundles_are_found(bundle: Path, tmp_path: Path) -> None:
    """Stages of one bundle and stages of another: the chain breaks, or, sealed anew, the witness of one differs."""
    private, public = key_pair(tmp_path)
    run("sign", bundle, "--key", private)
    other = shutil.copytree(bundle, tmp_path / "other")
    edit_document(other / "declare" / "protocol.json", lambda protocol: protocol.update(title="Another title"))
    unseal(other)
    seal(other, empty=EMPTY)
    mixed = shutil.copytree(bundle, tmp_path / "mixed")
    for name in ("declare", "seals/1-declare.json"):
        path = mixed / name
        if path.is_dir():
            shutil.rmtree(path)
            shutil.copytree(other / name, path)
        else:
            shutil.copy(other / name, path)
    report = seen(mixed)
    assert status(report, "stage.chain") == "fail"
    unseal(mixed)
    seal(mixed, empty=EMPTY)
    report = seen(mixed, signatures=(public,))
    assert status(report, "stage.chain") == "pass"
    assert status(report) == "fail"
    assert {"stage": "declare"} in [one.key for one in report.findings if one.check == "witness.outside"]


def test_a_stage_that_names_something_later_is_found(bundle: Path) -> None:
    """What is named by its digest was there: the declared order is false."""
    listed = {one["path"]: one for one in json.loads((bundle / "manifest.json").read_text())["files"]}
    later = listed["report/values.held-out.jsonl"]
    for place, digest, expected in (
        ("declare/protocol.json", later["sha256"], "fail"),
        ("declare/protocol.json", later["content_sha256"], "fail"),
        ("declare/protocol.json", "ab" * 32, "pass"),
        ("select/selection.json", listed["bank/candidate.jsonl"]["sha256"], "pass"),
    ):
        broken = shutil.copytree(bundle, bundle.parent / digest[:8] / place.partition("/")[0])
        edit_document(broken / place, lambda document, digest=digest: document.update(note=digest))  # type: ignore[misc]
        unseal(broken)
        seal(broken, empty=EMPTY, lenient=True)
        assert status(seen(broken), "witness.later") == expected


def test_timestamps_say_from_which_time_on(bundle: Path, authority: Authority) -> None:
    """Over the digest of a stage, or over its seal as a file; verified against the root that the reader gives."""
    authority.stamp(digests(bundle)["bank"], witness(bundle, "bank.tsr"))
    commitments: Commitments = commitments_of(read_bundle(bundle))
    authority.stamp(commitments.files["select"], witness(bundle, "select.tsr"))
    report = seen(bundle, authorities=(authority.root,), timestamps=("bank", "select"))
    assert (status(report), outside(report), report.summary.chain.timestamps) == ("pass", [], 2)
    since = coverage(report)
    assert since["declare"] is not None
    assert since["select"] is not None
    assert since["declare"] <= since["select"]
    assert (since["replay"], since["report"]) == (None, None)
    assert "CN=Test Authority" in report.summary.chain.coverage[0].witnesses[0]
    text = run("verify", bundle, "--require-timestamp", "bank", "--tsa-root", authority.root)
    assert text.code == 0
    assert f"sealed by {since['bank']}" in " ".join(text.output.split())
    page = sealtrace.verify(bundle, details=True, asked=Asked(authorities=(authority.root,)))
    assert page.details is not None
    assert [one.stage for one in page.details.stages if one.witnesses][-1] == "select"


def test_timestamps_of_strangers_and_of_other_things_do_not_count(
    bundle: Path, authority: Authority, tmp_path: Path
) -> None:
    """Another authority, another digest, another hash, bytes that are no timestamp, and none at all."""
    stranger = Authority(tmp_path / "stranger", "Stranger")
    required = {"authorities": (authority.root,), "timestamps": ("declare",)}
    assert "No timestamp of a given authority is over declare" in outside(seen(bundle, **required))[0][1]
    stranger.stamp(digests(bundle)["declare"], witness(bundle, "declare.tsr"))
    extra, absent = outside(seen(bundle, **required))
    assert extra == ("warning", "no given authority vouches for the timestamp")
    assert absent[0] == "error"
    authority.stamp(digests(bundle)["declare"], witness(bundle, "second.tsr"))
    # An honest second authority beside the one that was asked for.
    assert [severity for severity, _ in outside(seen(bundle, **required))] == ["warning"]
    witness(bundle, "second.tsr").unlink()
    assert status(seen(bundle)) == "pass"
    assert coverage(seen(bundle))["declare"] is None
    authority.stamp("ab" * 32, witness(bundle, "declare.tsr"))
    assert "rolled back, mixed" in outside(seen(bundle, **required))[0][1]
    assert outside(seen(bundle))[0][0] == "warning"
    authority.stamp("ab" * 64, witness(bundle, "declare.tsr"), "-sha512")
    assert "another hash than SHA-256" in outside(seen(bundle, **required))[0][1]
    witness(bundle, "declare.tsr").write_bytes(b"no timestamp")
    assert "not a timestamp response" in outside(seen(bundle, **required))[0][1]
    witness(bundle, "declare.tsr").unlink()
    authority.stamp(digests(bundle)["root"], witness(bundle, "root.tsr"))
    assert "over declare" in outside(seen(bundle, **required))[0][1]
    assert coverage(seen(bundle, authorities=(authority.root,)))["declare"] is not None


def test_a_git_commit_is_a_weak_witness(bundle: Path, tmp_path: Path) -> None:
    """Its time is the committer's word; its id is what a reader can look up."""
    repository = tmp_path / "repository"
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q", str(repository)], check=True, env=environment)
    subprocess.run(
        ["git", "-C", str(repository), *author, "commit", "-q", "--allow-empty", "-m",
         f"Sealed declare\n\n{digests(bundle)['declare']}"],
        check=True, env=environment,
    )  # fmt: skip
    name, data = (
        subprocess.run(["git", "-C", str(repository), *command], check=True, capture_output=True).stdout
        for command in (["rev-parse", "HEAD"], ["cat-file", "commit", "HEAD"])
    )
    witness(bundle, "declare.commit").write_bytes(data)
    report = seen(bundle)
    assert status(report) == "pass"
    (declare, bank, *_) = report.summary.chain.coverage
    assert f"git commit {name.decode().strip()}" in declare.witnesses[0]
    assert declare.witnesses[0].endswith("(weak)")
    assert (declare.since, declare.vouched, bank.witnesses) == (None, False, [])


def test_an_open_timestamp_is_a_weak_witness(bundle: Path) -> None:
    """The proof commits to the digest; whether the block is there is for the reader to look up."""
    from opentimestamps.core.notary import BitcoinBlockHeaderAttestation
    from opentimestamps.core.op import OpAppend, OpSHA256
    from opentimestamps.core.serialize import BytesSerializationContext
    from opentimestamps.core.timestamp import DetachedTimestampFile, Timestamp

    def proof(digest: str) -> bytes:
        stamp = Timestamp(bytes.fromhex(digest))
        stamp.ops.add(OpAppend(b"salt")).ops.add(OpSHA256()).attestations.add(BitcoinBlockHeaderAttestation(840000))
        context = BytesSerializationContext()
        DetachedTimestampFile(OpSHA256(), stamp).serialize(context)
        return bytes(context.getbytes())

    commitments = commitments_of(read_bundle(bundle))
    witness(bundle, "trace.ots").write_bytes(proof(commitments.files["trace"]))
    report = seen(bundle)
    covered = [one.stage for one in report.summary.chain.coverage if one.witnesses]
    assert covered == ["declare", "bank", "structure", "trace"]
    assert "Bitcoin block 840000, as the proof says (weak)" in report.summary.chain.coverage[0].witnesses[0]
    witness(bundle, "trace.ots").write_bytes(proof("ab" * 32))
    assert outside(seen(bundle))[0][0] == "warning"
    witness(bundle, "trace.ots").write_bytes(b"\0OpenTimestamps nonsense")
    assert status(seen(bundle)) == "fail"


BROKEN = {
    "no JSON": ("root.dsse.json", b"{"),
    "no envelope": ("root.dsse.json", b"[]"),
    "no statement": ("root.dsse.json", b'{"payload": "e30=", "payloadType": "x", "signatures": []}'),
    "no sort": ("notes.txt", b"hello"),
    "no commit": ("declare.commit", b"hello"),
    "a commit of the year 33658": ("declare.commit", b"tree a\ncommitter a <a> 999999999999 +0000\n\n" + b"ab" * 32),
    "a commit about nothing": ("declare.commit", b"tree a\ncommitter a <a> 1 +0000\n\nnothing"),
}


@pytest.mark.parametrize(("name", "data"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_witness_is_a_finding(name: str, data: bytes, bundle: Path) -> None:
    """The directory of witnesses is not sealed, so nothing else may hide there."""
    witness(bundle, name).write_bytes(data)
    report = seen(bundle)
    assert len(outside(report)) == 1
    assert report.findings[-1].source == f"witnesses/{name}"
    assert status(report, "identity.listing") == "pass"


def test_directories_among_witnesses_are_unlisted_files(bundle: Path) -> None:
    """Only files right below witnesses/ are let be."""
    witness(bundle, "deep").mkdir()
    (bundle / "witnesses" / "deep" / "x").write_bytes(b"x")
    assert status(seen(bundle), "identity.listing") == "fail"


def test_sigstore_bundles_need_a_root_and_an_identity(bundle: Path, tmp_path: Path) -> None:
    """Without them they are not looked at; with a root that is none, the message says so."""
    witness(bundle, "root.sigstore.json").write_text("{}")
    assert "--sigstore-root and --sigstore-identity" in outside(seen(bundle))[0][1]
    root = tmp_path / "root.json"
    root.write_text("{}")
    alone = run("verify", bundle, "--sigstore-root", root)
    assert (alone.code, "go together" in alone.errors) == (2, True)
    both = run("verify", bundle, "--sigstore-root", root, "--sigstore-identity", "a@example.org")
    assert both.code == 2
    assert "trust root of sigstore" in both.errors or "sealtrace[sigstore]" in both.errors


def test_what_cannot_be_asked_is_a_usage_error(bundle: Path, tmp_path: Path) -> None:
    """Each message says what is needed."""
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("x")
    for options, needed in (
        (["--require-timestamp", "bank"], "--tsa-root"),
        (["--require-timestamp", "bank", "--tsa-root", nonsense], "no certificate"),
        (["--require-signature", nonsense], "not a public key"),
        (["--require-signature", tmp_path / "absent"], "No such file"),
        (["--seed", "x"], "--partial"),
    ):
        done = run("verify", bundle, *options)
        assert done.code == 2
        assert needed in done.errors


@pytest.fixture
def sigstore(tmp_path: Path) -> Sigstore:
    """A sigstore of our own."""
    return Sigstore(tmp_path)


def sigstore_signed(bundle: Path, sigstore: Sigstore, identity: str, tmp_path: Path) -> Path:
    """The statement about a bundle's root, signed through sigstore, beside the bundle."""
    private, _ = key_pair(tmp_path, "for-its-statement")
    assert run("sign", bundle, "--key", private, "-o", tmp_path / "statement.dsse.json").code == 0
    envelope = json.loads((tmp_path / "statement.dsse.json").read_text())
    payload = base64.b64decode(envelope["payload"])
    target = witness(bundle, "root.sigstore.json")
    target.write_text(sigstore.signed(payload, envelope["payloadType"], identity))
    return target


AUTHOR = "author@example.org"


def test_a_sigstore_signature_is_verified_without_a_network(bundle: Path, tmp_path: Path, sigstore: Sigstore) -> None:
    """Certificate, its log, the signature and its log, all against the given trust root; it satisfies the demand."""
    sigstore_signed(bundle, sigstore, AUTHOR, tmp_path)
    trusted = ("--sigstore-root", sigstore.trust_root, "--sigstore-identity", AUTHOR)
    found = run(
        "verify", bundle, *trusted, "--sigstore-issuer", ISSUER, "--require-signature", AUTHOR, "--format", "json"
    )
    assert found.code == 0
    chain = json.loads(found.output)["summary"]["chain"]
    assert chain["signatures"] == 1
    assert {one["since"] for one in chain["coverage"]} == {
        (sigstore.now - timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    }


def test_a_sigstore_identity_that_must_have_signed(bundle: Path, tmp_path: Path, sigstore: Sigstore) -> None:
    """Nothing signed, somebody else signed, another issuer vouched, or another sigstore: each is an error."""
    asked: dict[str, Any] = {"sigstore_root": sigstore.trust_root, "sigstore_identity": AUTHOR}
    missing = outside(seen(bundle, **asked, sigstore_required=True))
    assert missing == [("error", f"The root is not signed by {AUTHOR}, who must have signed it.")]
    signed = sigstore_signed(bundle, sigstore, "somebody@example.org", tmp_path)
    assert len(outside(seen(bundle, **asked, sigstore_required=True))) == 2
    sigstore_signed(bundle, sigstore, AUTHOR, tmp_path)
    assert outside(seen(bundle, **asked, sigstore_required=True)) == []
    assert "does not vouch" in outside(seen(bundle, **asked, sigstore_issuer="https://other.example"))[0][1]
    (tmp_path / "other").mkdir()
    other = Sigstore(tmp_path / "other")
    assert "does not vouch" in outside(seen(bundle, sigstore_root=other.trust_root, sigstore_identity=AUTHOR))[0][1]
    changed = json.loads(signed.read_text())
    changed["verificationMaterial"]["tlogEntries"][0]["integratedTime"] = str(int(sigstore.now.timestamp()) + 60)
    signed.write_text(json.dumps(changed))
    assert "does not vouch" in outside(seen(bundle, **asked))[0][1]
    resealed(bundle)
    sigstore_signed(copy_of_small_fixture(tmp_path / "good"), sigstore, AUTHOR, tmp_path)
    shutil.copy(tmp_path / "good" / "bundle" / "witnesses" / "root.sigstore.json", signed)
    assert "error" in {severity for severity, _ in outside(seen(bundle, **asked))}
