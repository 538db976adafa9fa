"""`--format` and `-o`, given once or more: what goes where, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from checks.mutations import MUTATIONS
from cli.runner import sealtrace
from support import FIXTURE, copy_of_small_fixture

pytestmark = pytest.mark.usefixtures("kept_examinations")


def test_many_formats_in_one_run(tmp_path: Path) -> None:
    """Each file has its own, standard output the one that has no file; the exit code is the verdict's."""
    bundle = copy_of_small_fixture(tmp_path)
    MUTATIONS["table.cells"].break_bundle(bundle)
    files = {form: tmp_path / f"report.{form}" for form in ("json", "junit", "sarif", "markdown", "latex", "text")}
    named = [option for form, path in files.items() for option in ("-o", f"{form}={path}")]
    run = sealtrace("verify", bundle, "--format", "github", *named)
    assert (run.code, run.errors) == (1, "")
    assert run.output.startswith("::error file=rsd-poker.tex,line=676,title=table.cells::")
    assert json.loads(files["json"].read_text())["verdict"] == "findings"
    assert Xml.fromstring(files["junit"].read_text()).get("failures") == "2"
    assert json.loads(files["sarif"].read_text())["runs"][0]["invocations"][0]["exitCode"] == 1
    assert files["markdown"].read_text().startswith("## Findings: rsd-fixture")
    assert r"\begin{tabular}" in files["latex"].read_text()
    assert files["text"].read_text().startswith("FINDINGS")


def test_files_do_not_silence_the_text_report(tmp_path: Path) -> None:
    """Without --format people still read text, unless that has a file itself; a format with a file is not shown."""
    assert sealtrace("verify", "-o", f"json={tmp_path / 'a'}").output.startswith("VERIFIED")
    assert sealtrace("verify", "-o", f"text={tmp_path / 'a'}").output == ""
    assert sealtrace("verify", "--format", "json", "-o", f"json={tmp_path / 'b'}").output == ""
    run = sealtrace("verify", "--format", "json", "--format", "text", "-o", f"json={tmp_path / 'c'}")
    assert run.output.startswith("VERIFIED")
    assert json.loads((tmp_path / "c").read_text())["verdict"] == "verified"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--format json --format sarif", "write the rest with -o sarif=FILE"),
        ("--format json --format sarif -o FILE", "say which format it is for"),
        ("-o FILE -o FILE", "say which format it is for"),
        ("--format json -o json=FILE -o FILE", "say which format it is for"),
        ("-o json=FILE -o junit=FILE", "cannot both be written"),
        ("-o json=FILE -o junit=./LINK", "cannot both be written"),
        ("-o sarf=FILE", "no format 'sarf'"),
        ("-o json=", "name of a file is missing"),
        ("-o json=.", "is a directory"),
    ],
)
def test_refused_before_anything_is_done(
    arguments: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, a sentence that tells how, and files as they were."""
    monkeypatch.chdir(tmp_path)
    Path("FILE").write_text("old")
    Path("LINK").symlink_to("FILE")
    run = sealtrace("verify", *arguments.split())
    assert (run.code, run.output) == (2, "")
    assert said in run.errors
    assert Path("FILE").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"FILE", "LINK"}


def test_a_bundle_and_a_paper_are_never_written_to(tmp_path: Path) -> None:
    """Not even where an earlier output would have been fine, which is then not written either."""
    bundle = copy_of_small_fixture(tmp_path)
    paper = tmp_path / "paper.tex"
    paper.write_text("old")
    fine = tmp_path / "fine.json"
    refused: list[list[str | Path]] = [
        ["verify", bundle, "-o", f"json={fine}", "-o", f"sarif={bundle / 'x.sarif'}"],
        ["diff", bundle, "-o", f"json={fine}", "-o", f"latex={bundle / 'manifest.json'}"],
        ["diff", bundle, "--reported", paper, "-o", f"json={fine}", "-o", f"latex={paper}"],
        ["diff", FIXTURE, bundle, "-o", f"json={fine}", "-o", f"latex={bundle / 'x.tex'}"],
        ["verify", bundle, "-o", f"json={fine}", "-o", f"sarif={tmp_path / 'nowhere' / 'x.sarif'}"],
    ]
    for arguments in refused:
        run = sealtrace(*arguments)
        assert (run.code, run.output) == (2, "")
        assert len(run.errors.splitlines()) == 1
        assert not fine.exists()
    assert paper.read_text() == "old"
    assert sealtrace("verify", bundle).code == 0


def test_an_error_while_rendering_leaves_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is rendered before the first file is replaced."""
    import sealtrace.report.sarif

    def broken(*_: object, **__: object) -> str:
        raise KeyError("oops")

    monkeypatch.setattr(sealtrace.report.sarif, "render", broken)
    target = tmp_path / "report.json"
    target.write_text("old")
    from cli.runner import sealtrace as run_sealtrace

    run = run_sealtrace("verify", "-o", f"json={target}", "-o", f"sarif={tmp_path / 'x'}")
    assert (run.code, run.output) == (2, "")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert target.read_text() == "old"


def test_places_lead_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that services which read the output in a checkout find the files."""
    bundle = copy_of_small_fixture(tmp_path)
    MUTATIONS["score.utility"].break_bundle(bundle)
    monkeypatch.chdir(tmp_path)
    assert "::error file=bundle/calibrate/score.calibration.jsonl,line=" in sealtrace(
        "verify", "bundle", "--format", "github"
    ).output  # fmt: skip
    monkeypatch.chdir(bundle)
    assert "::error file=calibrate/score.calibration.jsonl,line=" in sealtrace(
        "verify", ".", "--format", "github"
    ).output  # fmt: skip
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "::error title=score.utility::" in sealtrace("verify", bundle, "--format", "github").output


def test_exit_code_is_in_the_log() -> None:
    """Under --strict a warning counts, and SARIF says what the process says."""
    run = sealtrace("verify", "--strict", "--format", "sarif")
    assert run.code == json.loads(run.output)["runs"][0]["invocations"][0]["exitCode"] == 1


def test_diff_formats_in_one_run(tmp_path: Path) -> None:
    """The cells for an appendix, a spreadsheet and a pull request at once."""
    run = sealtrace(
        "diff", FIXTURE, "--format", "markdown", "-o", f"latex={tmp_path / 'a.tex'}", "-o", f"csv={tmp_path / 'a.csv'}"
    )
    assert run.code == 0
    assert run.output.startswith("## Nothing differs: rsd-fixture")
    row = r"Mean & Strong EV / AQ & 0.4419 & 0.4418461409819375 & follows (double-rounded) \\"
    assert row in (tmp_path / "a.tex").read_text()
    assert (tmp_path / "a.csv").read_text().startswith("id,table,row,column")


def test_the_ending_of_a_file_names_its_format(tmp_path: Path) -> None:
    """Where nobody named another one."""
    assert sealtrace("verify", "-o", tmp_path / "a.json", "-o", tmp_path / "a.html").code == 0
    assert json.loads((tmp_path / "a.json").read_text())["command"] == "verify"
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert sealtrace("verify", "--format", "text", "-o", tmp_path / "b.json").code == 0
    assert (tmp_path / "b.json").read_text().startswith("VERIFIED")
