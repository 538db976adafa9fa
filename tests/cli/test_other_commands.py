"""`show`, `checks`, `schema`, `seal` and the help."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import threading
from pathlib import Path

import pytest

from cli.runner import SCRIPT, sealtrace
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.cli.main import COMMANDS
from sealtrace.contract.kinds import SCHEMA_KINDS, STAGES
from small_study import small_study
from support import FIXTURE, ROOT, copy_of_fixture, small_fixture, unseal

pytestmark = pytest.mark.usefixtures("kept_examinations")

STRUCTURE = "structure=The fixture learns no partition."


def lines_within(text: str, width: int) -> bool:
    """Whether every line fits."""
    return all(len(line) <= width for line in text.splitlines())


def test_help_teaches_with_examples() -> None:
    """Every command's help has examples and fits the terminal."""
    for command in ("", *COMMANDS):
        run = sealtrace(*([command] if command else []), "--help")
        assert run.code == 0
        assert "Examples:" in run.output
        assert lines_within(run.output, 80)


def test_unknown_command() -> None:
    """A usage error."""
    run = sealtrace("bless")
    assert run.code == 2
    assert "there is no command 'bless'" in run.errors


def test_show_lists_every_file_and_stage() -> None:
    """Kinds, rows, stages and digests, within 80 columns."""
    run = sealtrace("show", FIXTURE, "--digests")
    manifest = json.loads((FIXTURE / "manifest.json").read_text())
    assert run.code == 0
    assert lines_within(run.output, 80)
    for entry in manifest["files"]:
        assert entry["kind"] == "seal" or entry["path"] in run.output
        assert entry["kind"] == "seal" or entry["sha256"] in run.output
    for stage in STAGES:
        assert f"\n{stage}  seal " in run.output
    assert "108 rows" in run.output


def test_show_as_json_is_the_manifest() -> None:
    """For machines."""
    run = sealtrace("show", "--format", "json")
    assert json.loads(run.output) == json.loads((FIXTURE / "manifest.json").read_text())


def test_show_of_a_damaged_manifest(tmp_path: Path) -> None:
    """A sentence with the place."""
    bundle = copy_of_fixture(tmp_path)
    (bundle / "manifest.json").write_text('{"name": 1, "name": 2}')
    run = sealtrace("show", bundle)
    assert run.code == 2
    assert "line 1 column 13: duplicate key" in run.errors


def test_checks_lists_all_with_sentence_and_source() -> None:
    """The list is the catalogue."""
    run = sealtrace("checks")
    assert lines_within(run.output, 80)
    ids = [line for line in run.output.splitlines() if not line.startswith(" ")]
    assert ids == [check.id for check in CATALOGUE]


@pytest.mark.parametrize("check", CATALOGUE, ids=lambda check: check.id)
def test_checks_explains_one(check: object) -> None:
    """With an example of what breaks it."""
    entry = next(one for one in CATALOGUE if one is check)
    run = sealtrace("checks", entry.id)
    assert run.code == 0
    assert lines_within(run.output, 80)
    joined = " ".join(run.output.split())
    assert entry.title in joined
    assert entry.breaks in joined
    assert entry.source in joined


def test_checks_of_a_family_and_of_nothing() -> None:
    """A family is listed; an unknown id is a usage error."""
    assert json.loads(sealtrace("checks", "replay", "--format", "json").output)[0]["id"].startswith("replay.")
    assert sealtrace("checks", "nope").code == 2


def test_schema() -> None:
    """The list names every kind; a kind prints the published file."""
    listed = sealtrace("schema")
    assert lines_within(listed.output, 80)
    for kind in SCHEMA_KINDS:
        assert f"{kind} " in listed.output
        printed = json.loads(sealtrace("schema", kind).output)
        assert printed == json.loads((ROOT / "schemas" / f"{kind}.schema.json").read_text())
    assert sealtrace("schema", "nope").code == 2


def test_seal_stage_by_stage_then_the_rest(tmp_path: Path) -> None:
    """While an experiment runs, then all that is left; the result verifies with the same root."""
    bundle = copy_of_fixture(tmp_path)
    unseal(bundle)
    assert sealtrace("seal", bundle, "--stage", "declare").code == 0
    assert sealtrace("verify", bundle).code == 1  # the records of later stages are not sealed yet
    assert sealtrace("seal", bundle, "--stage", "declare").code == 2
    assert sealtrace("seal", bundle).code == 2  # structure is empty, and nobody says why
    run = sealtrace("seal", bundle, "--empty", STRUCTURE)
    assert run.code == 0
    assert lines_within(run.output, 90)
    assert [line.split()[0] for line in run.output.splitlines()] == [*STAGES[1:], "root"]
    assert sealtrace("verify", bundle).code == 0
    assert sealtrace("seal", bundle).code == 2


def test_seal_with_one_reason_for_all_empty_stages(tmp_path: Path) -> None:
    """The same bytes as with the stage's name."""
    bundle = copy_of_fixture(tmp_path)
    reason = json.loads((bundle / "seals" / "3-structure.json").read_text())["empty_reason"]
    unseal(bundle)
    assert sealtrace("seal", bundle, "--empty", f"all={reason}").code == 0
    assert (FIXTURE / "manifest.json").read_bytes() == (bundle / "manifest.json").read_bytes()


@pytest.mark.parametrize("value", ["structure", "nowhere=why", "structure=", "all=", "all"])
def test_seal_with_a_malformed_reason(value: str, tmp_path: Path) -> None:
    """A usage error, and nothing is written."""
    bundle = copy_of_fixture(tmp_path)
    unseal(bundle)
    assert sealtrace("seal", bundle, "--empty", value).code == 2
    assert not (bundle / "seals").exists()


def test_a_reader_that_leaves_is_not_an_error_message() -> None:
    """`sealtrace checks | head -1` prints no traceback."""
    command = f"{' '.join(SCRIPT)} checks --format json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "["
    assert done.stderr == ""


def test_colour_on_a_terminal_and_none_under_no_color() -> None:
    """A real pseudo-terminal."""
    for setting, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        leader, follower = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", **setting}
        environment.pop("NO_COLOR", None) if coloured else None
        done = subprocess.run([*SCRIPT, "checks", "identity.root"], stdout=follower, env=environment, check=True)
        os.close(follower)
        output = os.read(leader, 65536).decode()
        os.close(leader)
        assert done.returncode == 0
        assert ("\x1b[" in output) == coloured


IMPATIENT = "import sealtrace.cli.output as p; p.PATIENCE = 0; from sealtrace.cli.main import main; main()"


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """Standard output, and what standard error shows on a terminal."""
    leader, follower = pty.openpty()
    shown = bytearray()

    def read() -> None:
        # Meanwhile, because a terminal holds little that nobody has read, and a bar on a busy machine shows much.
        while not shown.endswith(b"the end"):
            shown.extend(os.read(leader, 65536))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        done = subprocess.run(
            [SCRIPT[0], "-c", IMPATIENT, *arguments],
            stdout=subprocess.PIPE,
            stderr=follower,
            env={**os.environ, "TERM": "xterm"},
            check=True,
            text=True,
        )
    finally:
        # A terminal that shows nothing would be read from for ever.
        os.write(follower, b"the end")
        reader.join()
        os.close(follower)
        os.close(leader)
    return done.stdout, shown.decode().removesuffix("the end")


def test_progress_shows_on_a_terminal_only_and_leaves_standard_output_alone() -> None:
    """With standard error on a terminal and work that lasts, a bar with its speed; in a pipe, nothing."""
    output, shown = on_a_terminal("verify", str(small_fixture()))
    assert "reading" in shown
    assert "recomputing cells" in shown
    assert "/s" in shown
    assert output.startswith("VERIFIED")
    assert "\x1b" not in output
    command = [SCRIPT[0], "-c", IMPATIENT, "verify", str(small_fixture())]
    piped = subprocess.run(command, capture_output=True, check=True, text=True)
    assert piped.stderr == ""


def test_quiet_shows_no_progress() -> None:
    """Not even on a terminal."""
    assert on_a_terminal("verify", str(small_fixture()), "--quiet")[1] == ""


def test_a_report_to_an_open_file_takes_nothing_s_place(tmp_path: Path) -> None:
    """/dev/stdout is a link: to put a file in its place would take it from the whole machine."""
    (tmp_path / "out").symlink_to("/proc/self/fd/1")
    (tmp_path / "kept").write_text("before\n")
    study = small_study(tmp_path / "study")
    with open(tmp_path / "kept", "a") as kept:
        command = [*SCRIPT, "verify", str(study), "-o", f"json={tmp_path / 'out'}"]
        assert subprocess.run(command, stdout=kept, check=False).returncode == 0
    assert (tmp_path / "out").is_symlink()
    said = (tmp_path / "kept").read_text()
    assert said.startswith("before\n")
    assert '"verdict": "verified"' in said
    assert "VERIFIED" in said
