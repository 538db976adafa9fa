"""One way to write: refused, killed or disturbed by another run, it leaves what was there."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace.bundle import placing
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.placing import JOURNAL, recover, replace_file, write_together
from sealtrace.bundle.sealing import reasons_of
from small_study import small_study
from support import ROOT

PACKAGE = ROOT / "verifier" / "sealtrace"
WRITING = re.compile(
    r"\.write_(text|bytes)\(|open\([^)]*[\"'][wax]b?\+?[\"']|os\.(rename|replace|link|fsync)\(|\.rename\("
)
ELSEWHERE = {
    "bundle/placing.py": "the one way",
    "bundle/sealing.py": "a draft's copy in a temporary directory",
    "cli/output.py": "a device is written to as it is",
    "recipes/sql_process.py": "the pipe to the parent process",
    "studies/results/streaming.py": "rows put aside in a temporary directory",
}


def state_of(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_nothing_else_in_the_package_writes_files() -> None:
    """A file that is opened for writing in its place is half a file when the process is killed."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if WRITING.search(path.read_text(encoding="utf-8"))
    }
    assert found <= ELSEWHERE.keys()


def test_a_redo_that_is_refused_leaves_the_seals(tmp_path: Path) -> None:
    """With the reasons of empty stages, which nobody would remember."""
    study = small_study(tmp_path / "study")
    (study / "declare" / "label.test.jsonl").write_text("{", encoding="utf-8")
    before = state_of(study)
    assert sealtrace("seal", study, "--redo", "--yes").code == 2
    assert state_of(study) == before
    assert len(reasons_of(study)) == 7


def test_a_file_in_the_place_of_the_journal_is_named_where_it_lies(tmp_path: Path) -> None:
    """Not by the place of a copy that is gone when the user looks for it."""
    study = small_study(tmp_path / "study")
    (study / JOURNAL).write_text("")
    refused = sealtrace("seal", study, "--redo", "--yes")
    assert (refused.code, refused.errors) == (2, f"sealtrace: {study / JOURNAL}: not a directory; move it away\n")


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """The first has the lock; a run that decided by what is not there any more writes nothing."""
    with placing._journal(tmp_path), pytest.raises(BundleError, match="another run is writing there"):
        write_together(tmp_path, {"a": b"1"})
    write_together(tmp_path, {"a": b"1", "b/c": b"2"})
    with pytest.raises(BundleError, match="another run has just changed it"):
        write_together(tmp_path, {"b/c": b"3"}, found={"a": None})
    with pytest.raises(FileExistsError):
        write_together(tmp_path, {"d": b"3", "a": b"3"}, new=True)
    assert state_of(tmp_path) == {"a": b"1", "b/c": b"2"}


def test_parts_of_killed_runs_are_removed_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    """A lock tells them apart, whichever file they were for."""
    left = tmp_path / ".sealtrace-0123456789abcdef.part"
    left.write_bytes(b"half")
    with placing._part(tmp_path / "other", b"1") as living:
        replace_file(tmp_path / "report", b"2")
        assert living.exists()
    assert state_of(tmp_path) == {"report": b"2"}


@pytest.mark.parametrize(
    "listed",
    [
        {"kept": {"../outside": "old-0"}, "made": {}, "directories": []},
        {"kept": {}, "made": {"link/file": "new-0"}, "directories": []},
        {"kept": {"record": "old-0"}, "made": {}, "directories": []},
        {"kept": {}, "made": {"record": "new-0"}, "directories": []},
        {"kept": {}, "made": {"record": "new-1"}, "directories": []},
        {"kept": {}, "made": {"record": "new-0"}, "directories": [], "lock": [1, 0, 0, 0]},
        {"kept": {}, "made": {"record": "new-0"}, "directories": [], "lock": None},
        [],
        {},
    ],
)
def test_a_journal_that_came_with_a_directory_is_not_obeyed(tmp_path: Path, listed: object) -> None:
    """Somebody else may have made it: it removes and replaces nothing, also where all that it names is plausible."""
    root = tmp_path / "root"
    (root / JOURNAL).mkdir(parents=True)
    (tmp_path / "outside").write_bytes(b"kept")
    (root / "record").write_bytes(b"kept")
    os.symlink(tmp_path, root / "link")
    (root / JOURNAL / "old-0").write_bytes(b"evil")
    (root / JOURNAL / "new-1").write_bytes(b"kept")
    (root / JOURNAL / "list.json").write_text(json.dumps(listed), encoding="utf-8")
    with pytest.raises(BundleError, match="not of sealtrace's making"):
        recover(root)
    assert (tmp_path / "outside").read_bytes() == (root / "record").read_bytes() == b"kept"


def test_a_journal_that_was_copied_is_not_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was killed here is undone here; in a copy, which may be anybody's, nothing is."""
    (tmp_path / "root").mkdir()

    def die(*_: object) -> None:
        raise SystemExit

    monkeypatch.setattr(placing, "_place_new", die)
    monkeypatch.setattr(placing, "_undo", lambda *_: None)
    with pytest.raises(SystemExit):
        write_together(tmp_path / "root", {"a": b"1", "b": b"2"}, new=True)
    monkeypatch.undo()
    shutil.copytree(tmp_path / "root", tmp_path / "copy")
    (tmp_path / "copy" / "a").write_bytes(b"kept")
    with pytest.raises(BundleError, match="not of sealtrace's making"):
        recover(tmp_path / "copy")
    assert (tmp_path / "copy" / "a").read_bytes() == b"kept"
    recover(tmp_path / "root")
    assert list((tmp_path / "root").iterdir()) == []


LEAVING = """
import os, signal
from sealtrace.bundle.placing import scratch_directory
print(scratch_directory("test"), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_scratch_of_a_killed_process_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the next one that needs some; that of a living process stays."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", LEAVING]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    left = Path(done.stdout.strip())
    assert left.is_dir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(placing, "_HELD", {})
    own = placing.scratch_directory("test")
    assert not left.exists()
    subprocess.run(command, env=environment, capture_output=True, check=False)
    assert own.is_dir()
    placing.remove_scratch(own)
    assert not own.exists()


def test_a_journal_with_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody would ever write to it."""
    (tmp_path / JOURNAL).mkdir()
    os.mkfifo(tmp_path / JOURNAL / "list.json")
    with pytest.raises(OSError, match="not a plain file"):
        recover(tmp_path)


def test_without_locks_nothing_of_others_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some network file systems have none: what another run is writing there looks like what a killed one left."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(placing, "_HELD", {})
    part = tmp_path / ".sealtrace-0123456789abcdef.part"
    part.write_text("half of a")
    scratch = tmp_path / "sealtrace-sql-abc12345"
    scratch.mkdir()
    (scratch / "lock").write_text("")
    placing.replace_file(tmp_path / "report.md", b"whole")
    placing.remove_scratch(placing.scratch_directory("sql"))
    assert part.exists()
    assert scratch.exists()
    assert (tmp_path / "report.md").read_bytes() == b"whole"


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """A killed run could not be undone behind it: whoever finds the list would take it for somebody else's."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "draft").mkdir()
    (tmp_path / "draft" / "report").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="report: a link, where a directory is needed"):
        write_together(tmp_path / "draft", {"declare/a.json": b"{}", "report/inner/rows.jsonl": b"{}\n"})
    assert (list((tmp_path / "elsewhere").iterdir()), os.listdir(tmp_path / "draft")) == ([], ["report"])


def test_what_is_only_called_like_a_leftover_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's notes and a study of theirs in the directory of temporary files are theirs."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(placing, "_HELD", {})
    notes, study = tmp_path / ".sealtrace-notes.part", tmp_path / "sealtrace-study"
    notes.write_text("mine")
    study.mkdir()
    (study / "lock").write_text("")
    placing.replace_file(tmp_path / "report.json", b"{}")
    placing.remove_scratch(placing.scratch_directory("sql"))
    assert (notes.exists(), study.exists()) == (True, True)
