"""Mistakes that people make, what they are told, and the exit code: never a traceback, never a hang."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from cli.runner import SCRIPT, sealtrace
from small_study import small_study

PAPER = r"""\documentclass{article}\begin{document}
\begin{table}\caption{Scores}\label{tab:main}\begin{tabular}{lr}
System & Accuracy \\ \hline ours & 80.0 \\ theirs & 70.0 \\
\end{tabular}\end{table}\end{document}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a paper, results, a bundle, and every sort of broken thing."""
    root = tmp_path_factory.mktemp("mistakes")
    (root / "paper.tex").write_text(PAPER)
    (root / "latin.md").write_bytes("| a | b |\n|---|---|\n| caf\xe9 | 1 |\n".encode("latin-1"))
    (root / "empty.tex").write_bytes(b"")
    (root / "empty.zip").write_bytes(b"")
    (root / "binary.tex").write_bytes(bytes(range(256)) * 40)
    (root / "binary.pdf").write_bytes(b"\x00\x01nothing of a PDF" * 9)
    (root / "notes.odt").write_bytes(b"PK\x03\x04 rest")
    (root / "cut.zip").write_bytes(b"PK\x03\x04" + bytes(40))
    (root / "cut.tar.gz").write_bytes(b"\x1f\x8b\x08\x00" + bytes(20))
    (root / "key.pem").write_text("not a key\n")
    (root / "recipes.json").write_text("{")
    (root / "wrong.relations").write_text("relation a\n  says tab:main[ours, Accuracy] ==\n")
    (root / "results").mkdir()
    (root / "results" / "runs.csv").write_text("system,correct\nours,1\nours,1\nours,0\ntheirs,0\n")
    (root / "binary.csv").write_bytes(bytes(range(256)))
    (root / "nothing").mkdir()
    bundle = small_study(root / "study" / "bundle")
    for name in ("lost", "unsealed", "newer", "broken", "nomanifest"):
        shutil.copytree(bundle, root / name)
    (root / "lost" / "manifest.json").unlink()
    for gone in ("manifest.json", "SHA256SUMS"):
        (root / "unsealed" / gone).unlink()
    shutil.rmtree(root / "unsealed" / "seals")
    manifest = json.loads((root / "newer" / "manifest.json").read_text())
    (root / "newer" / "manifest.json").write_text(json.dumps({**manifest, "sealtrace": "99"}))
    (root / "broken" / "manifest.json").write_text("{")
    shutil.rmtree(root / "nomanifest" / "seals")
    (root / "nomanifest" / "manifest.json").unlink()
    (root / "file").write_text("x")
    return root


MISTAKES: dict[str, tuple[str, int, str]] = {
    # Commands and options
    "a command that is misspelt": ("verfy study/bundle", 2, "there is no command 'verfy'; did you mean 'verify'?"),
    "a bundle in the command's place": ("study/bundle", 2, "did you mean `sealtrace verify study/bundle`?"),
    "an option that is misspelt": ("verify study/bundle --strikt", 2, "Did you mean '--strict'?"),
    "an option without its value": ("verify study/bundle --check", 2, "Option '--check' requires an argument."),
    "a format that there is not": ("verify study/bundle --format pdf", 2, "'pdf' is not one of"),
    "a format that there is not, with a file": ("verify study/bundle -o pdf=a.pdf", 2, "there is no format 'pdf'"),
    "two formats for one screen": ("verify study/bundle --format json --format junit", 2, "only one of json, junit"),
    "a check that is misspelt": ("verify study/bundle --check tabel", 2, "did you mean 'table'?"),
    "a check that is misspelt, to be explained": ("checks join.unique-keys", 2, "did you mean 'join.unique-key'?"),
    "every check skipped": ("verify study/bundle --check table --skip table", 2, "no check is left to run"),
    "a digest that is none": ("verify study/bundle --expect-root abc", 2, "a SHA-256 has 64 hexadecimal digits"),
    "another bundle's digest": (f"verify study/bundle --expect-root {'0' * 64}", 1, "This is not the bundle whose"),
    "an amount that is none": ("verify study/bundle --max-memory lots", 2, "'lots' is not an amount of bytes"),
    "a time that is none": ("check paper.tex results --seconds soon", 2, "'soon' is not a valid float"),
    "a schema that there is not": ("schema trase", 2, "there is no kind 'trase'; did you mean 'trace'?"),
    "a shell that there is not": ("completion csh", 2, "'csh' is not one of 'bash', 'zsh', 'fish'"),
    "no arguments where some are needed": ("check", 2, "Missing argument 'PAPER'"),
    "questions without a terminal": ("check paper.tex results --ask", 2, "--ask needs a terminal"),
    # Paths
    "a path that is misspelt": ("verify studdy", 2, "there is no such file or directory; did you mean study?"),
    "a paper that is misspelt": ("audit papr.tex", 2, "did you mean paper.tex?"),
    "results that are misspelt": ("check paper.tex result", 2, "did you mean results?"),
    "a paper without results": ("check paper.tex", 2, "name its results too: sealtrace check paper.tex RESULTS"),
    "something else than a paper": ("check notes.odt", 2, "notes.odt: not a paper (.tex, "),
    "results without a paper": ("check results", 2, "no paper in it (.tex, .md, .html, .docx, .pdf). Name it:"),
    "paper and results swapped": ("check results paper.tex", 2, "the order is PAPER, then RESULTS"),
    "a paper in a bundle's place": ("verify paper.tex", 2, "a paper is taken by `sealtrace check PAPER RESULTS`"),
    "a directory in a paper's place": ("check results results", 2, "results: no paper in it"),
    "the parent of a bundle": ("verify study", 2, "not a bundle itself, but study/bundle is one; name that"),
    "a bundle that lost its manifest": ("verify lost", 2, "a sealed bundle that lost its manifest.json; restore it"),
    "a bundle that lost more": ("verify nomanifest", 2, "a sealed bundle that lost its manifest.json"),
    "a directory that is not sealed": ("verify unsealed", 2, "not sealed yet; `sealtrace verify --draft`"),
    "a directory of plain results": ("verify results", 2, "`sealtrace check PAPER DIRECTORY` takes a paper"),
    "an empty directory": ("verify nothing", 2, "not a bundle, because it has no manifest.json"),
    "results without any file": ("check paper.tex nothing", 2, "nothing: no data file in it (CSV, JSON,"),
    "a bundle to be sealed again": ("seal study/bundle", 2, "every stage is sealed already"),
    "nothing to seal": ("seal nothing", 2, 'declare: holds no file; say why with --empty declare="reason"'),
    "a study over files": ("init study", 2, "not empty; a study is started in a directory of its own"),
    "a report into the bundle": ("verify study/bundle -o json=study/bundle/a.json", 2, "would spoil it"),
    "a report into no directory": ("verify study/bundle -o json=absent/a.json", 2, "there is no directory absent"),
    "no number of seconds": ("verify study/bundle --max-seconds nan", 2, "nan is no number of seconds"),
    "seconds without end": ("check paper.tex results --seconds inf", 2, "inf is not in the range"),
    "more memory than there is": ("verify study/bundle --max-memory 999999999999T", 2, "not an amount of bytes"),
    "a report over the paper": ("audit paper.tex -o json=paper.tex", 2, "that is what the report is made from"),
    # Contents
    "an empty paper": ("audit empty.tex", 2, "empty.tex: empty; there is no number in it"),
    "a binary file as LaTeX": ("audit binary.tex", 2, "binary.tex: a binary file, not text"),
    "a paper in another encoding": ("extract latin.md", 0, "caf"),
    "a PDF that is none": ("audit binary.pdf", 2, "binary.pdf: not a readable PDF: damaged, "),
    "a file of an office program": ("audit notes.odt", 2, "neither a paper (.tex, "),
    "an empty archive": ("verify empty.zip", 2, "empty.zip: not a bundle"),
    "an archive that is cut off": ("verify cut.zip", 2, "cut.zip: not a bundle"),
    "a tar archive that is cut off": ("verify cut.tar.gz", 2, "cut.tar.gz: "),
    "a manifest that is cut off": ("verify broken", 1, "manifest.json"),
    "a bundle of a newer format": ("verify newer", 2, "use a newer sealtrace"),
    "a cell that is misspelt": ("explain study/bundle tab:main[ours]", 2, "there is no table 'tab:main'"),
    "a table that is misspelt": ("extract paper.tex --table tab:mian", 2, "did you mean 'tab:main'?"),
    "recipes that are cut off": ("extract paper.tex --recipes recipes.json", 2, "recipes.json: "),
    "a column that is misspelt": (
        "import results/runs.csv -o nothing/r.jsonl --map a=sytem",
        2,
        "did you mean 'system'?",
    ),
    "a binary file as CSV": ("import binary.csv -o nothing/b.jsonl", 2, "binary.csv: not UTF-8 text"),
    "a key that is none": ("verify study/bundle --require-signature key.pem", 2, "key.pem: not a public key in PEM"),
    "a relation that is cut off": ("audit paper.tex --relations wrong.relations", 2, "wrong.relations:"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_in_a_sentence(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the documented exit code, on the right stream, and without a traceback."""
    line, code, said = MISTAKES[name]
    monkeypatch.chdir(place)
    run = sealtrace(*line.split())
    assert "Traceback" not in run.errors + run.output
    assert "internal error" not in run.errors
    assert (run.code, said in " ".join((run.errors + run.output).split())) == (code, True), run.errors + run.output
    assert not run.output or code != 2


def test_there_are_at_least_45_of_them() -> None:
    """And each is another one."""
    assert len({line for line, _, _ in MISTAKES.values()}) == len(MISTAKES) >= 45


def test_a_reader_who_leaves_early(place: Path) -> None:
    """`sealtrace ... | head -1` ends without a word on the error stream."""
    line = f"{' '.join(SCRIPT)} checks | head -1"
    done = subprocess.run(["bash", "-c", line], cwd=place, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_no_standard_output(place: Path) -> None:
    """A closed stream is named."""
    line = f"{' '.join(SCRIPT)} verify study/bundle >&-"
    done = subprocess.run(["bash", "-c", line], cwd=place, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "sealtrace: standard output is closed\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("audit {0}/paper.tex", "Permission denied"),
        ("verify {0}/bundle", "Permission denied"),
        ("verify {1}/bundle -o json={0}/out/report.json", "report.json: Permission denied"),
    ],
)
def test_no_permission(line: str, said: str, place: Path) -> None:
    """To read a paper or a bundle, or to write a report; root may do anything, so it becomes somebody else."""
    with tempfile.TemporaryDirectory() as work:
        open_, locked = Path(work) / "open", Path(work) / "locked"
        for one in (open_, locked):
            shutil.copytree(place / "study" / "bundle", one / "bundle")
        shutil.copy(place / "paper.tex", locked)
        (locked / "out").mkdir()
        words = line.format(locked, open_).split()
        sealtrace(*words)  # Whoever it becomes may not be allowed to import, so everything is imported before.
        closed = [locked / "paper.tex", locked / "bundle", locked / "out"]
        Path(work).chmod(0o755)
        for one in closed:
            one.chmod(0o000)
        before = os.geteuid()
        try:
            if before == 0:
                os.seteuid(65534)
            run = sealtrace(*words)
        finally:
            os.seteuid(before)
            for one in closed:
                one.chmod(0o755)
    assert (run.code, said in run.errors, "Traceback" in run.errors) == (2, True, False), run.errors


PIPED = (
    "audit {0}",
    "audit paper.tex --claims {0}",
    "audit paper.tex --relations {0}",
    "check paper.tex results --decisions {0}",
    "import {0} -o nothing",
    "verify {0}",
    "verify study/bundle -o {0}",
    "verify study/bundle --require-signature {0}",
    "verify study/bundle --partial {0}",
    "sign study/bundle --key {0}",
    "disclose tree {0} --kind label --keep kept -o tree.json",
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
@pytest.mark.parametrize("line", PIPED)
def test_a_pipe_without_another_end_is_not_waited_for(line: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may ever write to it, or read from it."""
    monkeypatch.chdir(place)
    pipe = place / "pipe.tex"
    if not pipe.exists():
        os.mkfifo(pipe)
    # Where a command does wait, the test is to fail and not to wait with it.
    somebody = threading.Timer(60, lambda: os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK)))
    somebody.start()
    run = sealtrace(*line.format("pipe.tex").split())
    waited = not somebody.is_alive()
    somebody.cancel()
    assert (run.code, waited) == (2, False)
    assert "pipe.tex: neither a file nor a directory" in run.errors or "pipe.tex: cannot be written" in run.errors


def test_what_is_handed_to_the_process_is_read(place: Path) -> None:
    """Standard input has another end, though it is a pipe, too."""
    line = [*SCRIPT, "audit", "paper.tex", "--claims", "/dev/stdin"]
    done = subprocess.run(line, cwd=place, input="claim x\n", capture_output=True, text=True, check=False)
    assert (done.returncode, "/dev/stdin:1: " in done.stderr) == (2, True)


@pytest.mark.parametrize("command", ["--version", "checks", "schema result"])
def test_a_full_disk_behind_standard_output_is_a_sentence(command: str) -> None:
    """Of commands that print no report, too."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*SCRIPT, *command.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "internal error" in done.stderr) == (2, False)
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize(
    "arguments", ["verify /nonexistent", "audit /nonexistent.tex", "no-such-command", "verify --no-such"]
)
@pytest.mark.parametrize("full", [True, False])
def test_what_cannot_be_said_is_no_verdict(arguments: str, full: bool) -> None:
    """Where standard error takes nothing, or nobody reads it, the exit code is still that of a mistake."""
    reader, writer = os.pipe()
    os.close(reader)
    if full:
        os.close(writer)
        writer = os.open("/dev/full", os.O_WRONLY)
    try:
        done = subprocess.run([*SCRIPT, *arguments.split()], stdout=subprocess.DEVNULL, stderr=writer, check=False)
    finally:
        os.close(writer)
    assert done.returncode == 2
