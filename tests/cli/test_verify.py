"""`sealtrace verify`: verdict first, places named, exit codes as documented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checks.mutations import MUTATIONS
from cli.runner import Run, process, sealtrace
from sealtrace import verify
from sealtrace.bundle.sealing import seal
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.contract.result import Finding, Result
from sealtrace.report.text import render
from support import EMPTY, FIXTURE, LONG, copy_of_small_fixture, edit_document, schema_accepts, unseal

pytestmark = pytest.mark.usefixtures("kept_examinations")

ROOT_DIGEST = json.loads((FIXTURE / "manifest.json").read_text())["root_sha256"]


def test_default_is_the_embedded_fixture() -> None:
    """No argument: the fixture, verified, verdict on the first line."""
    run = sealtrace("verify")
    assert (run.code, run.errors) == (0, "")
    first, title, size, root = run.output.splitlines()[:4]
    assert (first, root) == ("VERIFIED with 2 warnings  rsd-fixture", f"root {ROOT_DIGEST}")
    assert (title, size) == ("RSD-Poker: exact replay of the 24-state fixture", "24 states, 9 policies, 216 traces")


def test_json_is_the_report_that_the_api_returns() -> None:
    """The machine format fits its published schema and its model."""
    run = sealtrace("verify", FIXTURE, "--format", "json")
    document = json.loads(run.output)
    assert run.code == 0
    assert schema_accepts("result", document)
    report = Result.model_validate(document)
    assert report.verdict == "verified"
    # Checks of other kinds of study are counted, not listed.
    told = [one.what.split(" ") for one in report.not_looked_at]
    assert {words[-1] for words in told} == {"results", "games", "services"}
    assert len(report.checks) + sum(int(words[1]) for words in told) == len(CATALOGUE)
    assert [check.id for check in CATALOGUE if check.id in {one.id for one in report.checks}] == [
        check.id for check in report.checks
    ]


@pytest.mark.parametrize("check_id", sorted(MUTATIONS)[:: 1 if LONG else 10])
def test_text_report_of_a_broken_bundle(check_id: str, tmp_path: Path) -> None:
    """What the command prints is the text of the report, which tests/checks/test_mutations.py reads for every check."""
    mutation = MUTATIONS[check_id]
    bundle = mutation.broken(tmp_path)
    arguments = ["--expect-root", "0" * 64] if mutation.options else []
    run = sealtrace("verify", bundle, *arguments)
    assert run.code == 1
    assert run.output == render(verify(bundle, **mutation.options))


def test_consequences_stand_under_their_cause(tmp_path: Path) -> None:
    """A tilt that is wrong makes scores wrong; the reader sees one cause."""
    bundle = copy_of_small_fixture(tmp_path)
    MUTATIONS["replay.tilt"].break_bundle(bundle)
    lines = sealtrace("verify", bundle).output.splitlines()
    assert any(line.startswith("replay.tilt: ") for line in lines)
    assert not any(line.startswith("score.utility: ") for line in lines)
    assert any("and so: score.utility" in line for line in lines)


def test_output_file(tmp_path: Path) -> None:
    """-o writes the report there, in full, and nothing to standard output."""
    target = tmp_path / "report.json"
    target.write_text("old")
    run = sealtrace("verify", "--format", "json", "-o", target)
    assert (run.code, run.output) == (0, "")
    assert json.loads(target.read_text())["verdict"] == "verified"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_output_never_spoils_the_bundle(tmp_path: Path) -> None:
    """A report written into the bundle would be an unlisted file, or worse, replace a listed one."""
    bundle = copy_of_small_fixture(tmp_path)
    before = (bundle / "manifest.json").read_bytes()
    for target in ("manifest.json", "report.txt"):
        run = sealtrace("verify", bundle, "-o", bundle / target)
        assert run.code == 2
        assert "inside the bundle" in run.errors
    assert (bundle / "manifest.json").read_bytes() == before
    assert not (bundle / "report.txt").exists()


def test_unwritable_output(tmp_path: Path) -> None:
    """No such directory: a sentence and exit code 2."""
    run = sealtrace("verify", "-o", tmp_path / "nowhere" / "report.txt")
    assert run.code == 2
    assert "cannot be written" in run.errors


def test_chosen_checks(tmp_path: Path) -> None:
    """What is left out is skipped, and the verdict incomplete: exit code 3."""
    run = sealtrace("verify", "--check", "identity", "--skip", "identity.sums", "--format", "json")
    statuses = {check["id"]: check["status"] for check in json.loads(run.output)["checks"]}
    assert run.code == 3
    assert statuses["identity.bytes"] == "pass"
    assert statuses["identity.sums"] == "skipped"
    assert statuses["replay.tilt"] == "skipped"
    bundle = copy_of_small_fixture(tmp_path)
    MUTATIONS["identity.sums"].break_bundle(bundle)
    assert sealtrace("verify", bundle, "--skip", "identity.sums").code == 3
    assert sealtrace("verify", bundle, "--check", "identity.sums").code == 1


@pytest.mark.parametrize("arguments", ["--check nope", "--skip ident", "--check replay --skip replay"])
def test_unknown_or_no_checks(arguments: str) -> None:
    """A prefix that selects nothing is a mistake, not an empty success."""
    run = sealtrace("verify", *arguments.split())
    assert (run.code, run.output) == (2, "")


def test_expected_root() -> None:
    """The digest of the paper: right, wrong, and not a digest."""
    assert sealtrace("verify", "--expect-root", ROOT_DIGEST.upper()).code == 0
    assert sealtrace("verify", "--expect-root", "0" * 64).code == 1
    assert sealtrace("verify", "--expect-root", "123").code == 2


def test_every_row() -> None:
    """Predicates, jsonschema and model agree on every row of the fixture."""
    assert sealtrace("verify", "--every-row").code == 0


def test_as_expected(tmp_path: Path) -> None:
    """The study's own expectation decides the exit code, whichever verdict that is."""
    assert sealtrace("verify", "--as-expected").code == 0
    bundle = copy_of_small_fixture(tmp_path)
    MUTATIONS["score.utility"].break_bundle(bundle)
    assert sealtrace("verify", bundle, "--as-expected").code == 1
    report = json.loads(sealtrace("verify", bundle, "--format", "json").output)
    names = [Finding(**one).name for one in report["findings"] if one["severity"] == "error"]
    assert names

    def expecting(**settings: object) -> Run:
        edit_document(
            bundle / "declare/protocol.json", lambda protocol: protocol.update(expects="findings", **settings)
        )
        unseal(bundle)
        seal(bundle, empty=EMPTY)
        return sealtrace("verify", bundle, "--as-expected")

    # A study that lists nothing may expect contradictions of printed numbers, and nothing else.
    assert f"does not list this finding as expected: {names[0]}" in " ".join(expecting().errors.split())
    assert expecting(expected_findings=names).code == 0
    assert "expects a finding that is not there: x" in expecting(expected_findings=[*names, "x"]).errors
    assert expecting(expected_findings=names[1:]).code == 1


def test_what_is_not_a_bundle(tmp_path: Path) -> None:
    """No file, no manifest, not an archive, a damaged archive: exit code 2 and one sentence."""
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"\x1f\x8b\x08 not really")
    empty = tmp_path / "empty"
    empty.mkdir()
    for path in (tmp_path / "absent", text, broken, empty):
        run = sealtrace("verify", path)
        assert (run.code, run.output) == (2, "")
        assert run.errors.startswith("sealtrace: ")
        assert "Traceback" not in run.errors
        assert len(run.errors.splitlines()) == 1


def test_names_from_a_bundle_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    """Escape sequences in file names and values are written as escapes, in text and in JSON."""
    bundle = copy_of_small_fixture(tmp_path)
    (bundle / "report/\x1b[2J\x1b]0;owned\x07.txt").write_text("x")
    with (bundle / "SHA256SUMS").open("a") as sums:
        sums.write("\x1b[31mred\x9b2J\u202e\n")
    for form in ("text", "json"):
        run = sealtrace("verify", bundle, "--format", form)
        assert run.code == 1
        assert [character for character in run.output if character != "\n" and not character.isprintable()] == []
        assert "owned" in run.output


def test_colour_only_where_it_is_wanted() -> None:
    """A pipe gets none; the first line is then plain."""
    done = process("verify", FORCE_COLOR="1")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


def test_internal_errors_are_said_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug gives one sentence and exit code 2, not a traceback."""
    import sealtrace.examination

    def broken(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr(sealtrace.examination, "examine", broken)
    from cli.runner import sealtrace as run_sealtrace

    run = run_sealtrace("verify")
    assert run.code == 2
    assert "internal error: KeyError" in run.errors
