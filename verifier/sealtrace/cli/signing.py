"""`sealtrace sign` and `attest`: what a key vouches for."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from sealtrace import __version__
from sealtrace.bundle.defects import real_path, refusing
from sealtrace.bundle.placing import recover, write_together
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.cli.options import FILE, PATH, budget_options, expect_root_option, root_digest, several, to_file
from sealtrace.cli.output import Outputs, complain, examined, quiet_option, refuse_input, write_output
from sealtrace.contract.packs import STAGES
from sealtrace.report.inert import harmless, json_text
from sealtrace.witnesses.signatures import (
    SignatureError,
    opened,
    read_envelope,
    read_private_key,
    read_public_key,
    signed,
)


def _roots(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, (root_digest(context, parameter, value) for value in values)))


def _refuse_inputs(output: Path | None, bundle: Path, key: Path | None) -> None:
    """What is signed, and the key, are never overwritten by the signature."""
    from sealtrace.bundle.identity import WITNESSES

    if output is not None and key is not None:
        refuse_input(output, key)
    if output is not None and not real_path(output).is_relative_to(real_path(bundle / WITNESSES)):
        refuse_input(output, bundle)


@click.command()
@click.argument("bundle", type=PATH)
@click.option(
    "--key", required=True, type=FILE, metavar="KEY.pem", help="The private key: Ed25519 or ECDSA P-256, not encrypted."
)
@click.option("--stage", type=click.Choice(STAGES), help="Sign this stage, while the experiment runs.  [default: root]")
@several(
    "--supersedes",
    callback=_roots,
    metavar="SHA256",
    help="The root digest of an older bundle that this one replaces; repeatable.",
)
@to_file(help="Write to FILE.  [default: in witnesses/ of the bundle]")
@budget_options
def sign(bundle: Path, key: Path, stage: str | None, supersedes: tuple[str, ...], output: Path | None) -> int:
    """Sign what BUNDLE commits to: its root, or a stage and all before it.

    The signature is a DSSE envelope with an in-toto statement that names the digests of the root and of the stages.
    It lies in witnesses/, which no seal lists, or where -o says. Nothing is signed unless the bytes are those that
    were sealed. For a timestamp, have an authority stamp the printed digest:

    \b
      openssl ts -query -sha256 -digest DIGEST -cert -out query.tsq
      (send it to the authority; its answer goes to witnesses/STAGE.tsr)

    \b
    Examples:
      sealtrace sign study/ --key key.pem --stage declare
      sealtrace sign study/ --key key.pem

    Exit codes: 0 signed; 1 the bundle is not what was sealed; 2 usage, unreadable input or key.
    """
    from sealtrace.bundle.identity import WITNESSES
    from sealtrace.examination import examine
    from sealtrace.witnesses.examining import ROOT, commitments_of, statement

    _refuse_inputs(output, bundle, key)
    signer = read_private_key(key)
    if output is None and not bundle.is_dir():
        raise click.UsageError("an archive is not written to: say with -o where the signature goes")
    if output is None:
        with refusing(bundle):
            recover(bundle)
    examination = examine(bundle, check=["identity", "stage.chain", "stage.members"])
    if failed := [result.id for result in examination.report.checks if result.status == "fail"]:
        complain(f"nothing is signed, because these fail: {', '.join(failed)}")
        return 1
    subject = stage or ROOT
    commitments = commitments_of(examination.bundle)
    if subject not in commitments.digests:
        raise click.UsageError(f"{subject} is not sealed yet")
    text = json_text(statement(commitments, subject, supersedes))
    if output is None:
        name = f"{WITNESSES}/{subject}.{signer.public_key.keyid[:16]}.dsse.json"
        with refusing(bundle):
            write_together(bundle, {name: json_text(signed(text.encode(), signer)).encode()})
    else:
        write_output(json_text(signed(text.encode(), signer)), output, None)
    click.echo(f"{subject}  {commitments.digests[subject]}")
    return 0


VERIFIER = f"pkg:generic/sealtrace@{__version__}"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+")


def _time(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        if not _TIME.fullmatch(value):
            raise ValueError
        moment = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{value!r} is not an RFC 3339 time, such as 2024-05-01T12:00:00Z") from None
    return _stamp(moment)


def _uri(_: click.Context, __: click.Parameter, value: str) -> str:
    if not _URI.fullmatch(value):
        raise click.BadParameter(f"{value!r} is not a URI, such as https://example.org/verifier/v1")
    return value


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@click.command()
@click.argument("bundle", type=PATH)
@to_file(help="Write to FILE.")
@expect_root_option
@click.option(
    "--key", type=FILE, metavar="KEY.pem", help="Sign with this private key: Ed25519 or ECDSA P-256, not encrypted."
)
@click.option("--keyid", metavar="ID", help="Name the key so.  [default: SHA-256 of its public half]")
@click.option(
    "--verifier-id", default=VERIFIER, callback=_uri, metavar="URI", show_default=True, help="Who vouches for it."
)
@click.option(
    "--time", callback=_time, metavar="TIME", help="When it was verified.  [default: SOURCE_DATE_EPOCH, or now]"
)
@click.option("--check", "envelope", type=FILE, metavar="FILE", help="Check a signed statement instead of making one.")
@click.option("--public-key", type=FILE, metavar="PUB.pem", help="The key that must have signed it.")
@quiet_option
@budget_options
def attest(
    bundle: Path,
    output: Path | None,
    expect_root: str | None,
    key: Path | None,
    keyid: str | None,
    verifier_id: str,
    time: str | None,
    envelope: Path | None,
    public_key: Path | None,
) -> int:
    """Verify BUNDLE, and state what passed as an in-toto attestation.

    The statement's subject is the bundle's root digest; its predicate is a simple verification result (svr/v0.1).
    SEALTRACE_VERIFIED is listed for a bundle that is verified as a whole, SEALTRACE_<CHECK> for each check that
    passed, and nothing for what failed, is missing or does not apply. With --key it is signed as a DSSE envelope.

    With --check, a signed statement must be of this key, and about this bundle, whose bytes are hashed again.

    \b
    Examples:
      sealtrace attest artifact/ -o statement.json
      sealtrace attest artifact/ --key key.pem -o statement.dsse.json
      sealtrace attest artifact/ --check statement.dsse.json \\
        --public-key pub.pem

    Exit codes: 0 verified, and stated; 1 an error was found, or the statement is not what --check asks for; 2 usage,
    unreadable input or key; 3 something is missing. Where the root digest does not stand for the records, or where
    nothing passed, nothing is written.
    """
    if (envelope is None) != (public_key is None):
        raise click.UsageError("--check and --public-key go together")
    if envelope is not None and public_key is not None:
        if output or key or keyid or time:
            raise click.UsageError("--check makes no statement: leave -o, --key, --keyid and --time out")
        return _checked(bundle, envelope, public_key, expect_root)
    if keyid and not key:
        raise click.UsageError("--keyid names the key of --key")
    from sealtrace.report.in_toto import refusal_of, statement

    Outputs([("in-toto", output)]).refuse(bundle, key)
    # A time or a key that cannot be used is found out before the work is done.
    moment = time or _now()
    _refuse_inputs(output, bundle, key)
    private = None if key is None else read_private_key(key)
    report = examined(bundle, expect_root=expect_root).report
    if reason := refusal_of(report):
        complain(f"nothing is stated, because {reason}")
        return 1
    text = json_text(statement(report, verifier=verifier_id, time=moment))
    if report.verdict != "verified":
        complain(f"the statement is about a bundle whose verdict is `{report.headline}`, and says so")
    write_output(text if private is None else json_text(signed(text.encode(), private, keyid)), output, None)
    return report.exit_code


def _now() -> str:
    """The moment that a reproducible build names, or this one."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return _stamp(datetime.now(UTC))
    try:
        if not re.fullmatch("[0-9]{1,12}", epoch):
            raise ValueError
        return _stamp(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"SOURCE_DATE_EPOCH is not a number of seconds: {epoch!r}") from None


def _checked(bundle: Path, path: Path, public_key: Path, expect_root: str | None) -> int:
    from sealtrace.api import verify
    from sealtrace.report.in_toto import refusal_of

    public = read_public_key(public_key)
    envelope = read_envelope(path)
    try:
        payload = parse(opened(envelope, public))
    except SignatureError as error:
        complain(f"{path}: {error}")
        return 1
    except StrictJSONError as error:
        complain(f"{path}: signed, but its payload is not strict JSON: {error}")
        return 1
    report = verify(bundle, check=["identity"], expect_root=expect_root)
    if reason := refusal_of(report) or _stranger(payload, report.subject.root_sha256):
        complain(f"{path}: {reason}")
        return 1
    _say(payload)
    return 0


def _stranger(payload: object, root: str | None) -> str | None:
    """Why a signed payload is not a verification result of this bundle; None where it is."""
    from sealtrace.report.in_toto import PREDICATE_TYPE, STATEMENT_TYPE

    if not isinstance(payload, dict) or payload.get("_type") != STATEMENT_TYPE:
        return f"signed, but not a statement of the type {STATEMENT_TYPE}"
    if payload.get("predicateType") != PREDICATE_TYPE:
        return f"signed, but its predicate is not of the type {PREDICATE_TYPE}"
    predicate = payload.get("predicate")
    properties = predicate.get("properties") if isinstance(predicate, dict) else None
    if not isinstance(properties, list) or not all(isinstance(passed, str) for passed in properties):
        return "signed, but its predicate lists no properties"
    subjects = payload.get("subject")
    digests = (
        [subject.get("digest") for subject in subjects if isinstance(subject, dict)]
        if isinstance(subjects, list)
        else []
    )
    if not any(isinstance(digest, dict) and digest.get("sha256") == root for digest in digests):
        return f"signed, but about another bundle: the root digest of this one is {root}"
    return None


def _say(payload: dict[str, Any]) -> None:
    """What the signer vouches for."""
    predicate = payload["predicate"]
    verifier = predicate.get("verifier")
    click.echo("The signature is of this key, and the statement is about this bundle.")
    click.echo(f"verifier  {harmless(str(verifier.get('id') if isinstance(verifier, dict) else verifier))}")
    click.echo(f"time      {harmless(str(predicate.get('timeCreated')))}")
    for passed in predicate["properties"]:
        click.echo(f"passed    {harmless(passed)}")
