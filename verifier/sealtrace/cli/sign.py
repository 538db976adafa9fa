"""`sealtrace sign`."""

from __future__ import annotations

from pathlib import Path

import click

from sealtrace.cli.budget import budget_options
from sealtrace.cli.verify import root_digest
from sealtrace.contract.packs import STAGES


def _roots(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, (root_digest(context, parameter, value) for value in values)))


@click.command()
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--key",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="KEY.pem",
    help="The private key: Ed25519 or ECDSA P-256, not encrypted.",
)
@click.option("--stage", type=click.Choice(STAGES), help="Sign this stage, while the experiment runs.  [default: root]")
@click.option(
    "--supersedes",
    multiple=True,
    callback=_roots,
    metavar="SHA256",
    help="The root digest of an older bundle that this one replaces; repeatable.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to FILE.  [default: in witnesses/ of the bundle]",
)
@budget_options
def command(bundle: Path, key: Path, stage: str | None, supersedes: tuple[str, ...], output: Path | None) -> int:
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
    from sealtrace.cli.output import write_output
    from sealtrace.examination import examine
    from sealtrace.report.inert import json_text
    from sealtrace.witnesses.commitments import ROOT, commitments_of, statement
    from sealtrace.witnesses.envelope import read_private_key, signed

    signer = read_private_key(key)
    if output is None and not bundle.is_dir():
        raise click.UsageError("an archive is not written to: say with -o where the signature goes")
    examination = examine(bundle, check=["identity", "stage.chain", "stage.members"])
    if failed := [one.id for one in examination.report.checks if one.status == "fail"]:
        click.echo(f"sealtrace: nothing is signed, because these fail: {', '.join(failed)}", err=True)
        return 1
    subject = stage or ROOT
    commitments = commitments_of(examination.bundle)
    if subject not in commitments.digests:
        raise click.UsageError(f"{subject} is not sealed yet")
    text = json_text(statement(commitments, subject, supersedes))
    if output is None:
        output = bundle / WITNESSES / f"{subject}.{signer.public_key.keyid[:16]}.dsse.json"
        output.parent.mkdir(exist_ok=True)
    write_output(json_text(signed(text.encode(), signer)), output, None)
    click.echo(f"{subject}  {commitments.digests[subject]}")
    return 0
