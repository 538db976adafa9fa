"""Settings of a project: options, waivers that never hide anything, and queries that must return no rows."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from checks.mutations import MUTATIONS
from cli.runner import sealtrace
from sealtrace.bundle.sealing import seal
from sealtrace.settings import MOST_BYTES
from small_study import small_study
from support import edit_document, unseal

pytestmark = pytest.mark.usefixtures("kept_examinations")

PAPER = r"""\begin{table}
\begin{tabular}{lr}
Scale & Weak EV \\
0.08 & 4.3333 \\
\end{tabular}
\caption{Main.}\label{tab:main}
\end{table}
"""
"""Prints one number that neither the bundle nor its records give."""
LATE, EARLY = "2999-01-01", "2001-01-01"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle with one error, in a project of its own."""
    monkeypatch.chdir(tmp_path)
    small_study(tmp_path / "artifact")
    (tmp_path / "artifact" / "stray.txt").write_text("not listed")
    return tmp_path / "artifact"


def waiver(until: str, place: str = "stray.txt") -> str:
    """The settings of a reader who accepts the stray file."""
    return (
        f'[[waivers]]\ncheck = "identity.listing"\nplace = "{place}"\n'
        f'reason = "The next release leaves it out."\nuntil = {until}\n'
    )


def test_every_command_knows_the_waivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A waived cell is listed as one, with the reason, by every command, and none of them ends with another code."""
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    monkeypatch.chdir(tmp_path)
    cell = "tab:main[0.08, Weak EV]"
    commands = (("verify",), ("diff",), ("explain", cell), ("certify",), ("macros",), ("attest",))

    def codes() -> dict[str, int]:
        return {name: sealtrace(name, bundle, *rest).code for name, *rest in commands}

    assert set(codes().values()) == {1}
    Path("sealtrace.toml").write_text(
        '[[waivers]]\ncheck = "table.cells"\nplace = "table=tab:main"\n'
        'reason = "To be corrected."\nuntil = 2999-01-01\n'
    )
    assert set(codes().values()) == {3}
    for form in ("text", "json", "csv", "markdown"):
        assert "To be corrected." in " ".join(sealtrace("diff", bundle, "--format", form, "--all").output.split())
    assert "differs (mismatch), waived: To be corrected." in sealtrace("diff", bundle, "--format", "latex").output
    told = sealtrace("explain", bundle, cell)
    assert "waived     To be corrected. It is not settled." in told.output
    assert "The bundle as a whole: waived" in told.errors
    reports = [sealtrace("verify", bundle, "--format", form).output for form in ("json", "junit", "markdown", "html")]
    assert ["To be corrected." in one for one in reports] == [True] * 4
    cells = {f"{one['table']}[{one['row']}, {one['column']}]": one for one in json.loads(reports[0])["numbers"]}
    assert cells[cell]["waived"] == "To be corrected."
    # A paper that prints yet another number is not what was accepted.
    paper = tmp_path / "paper.tex"
    paper.write_text(PAPER)
    assert sealtrace("diff", bundle, "--reported", paper).code == 1


def test_a_reader_s_query_fails_every_command(study: Path) -> None:
    """`verify` and the others judge the same: a query that finds rows makes the bundle fail for all of them."""
    (study / "stray.txt").unlink()
    assert sealtrace("macros", study).code == 0
    Path("sealtrace.toml").write_text("[must-be-empty]\nno-cats = \"SELECT item FROM label WHERE label = 'cat'\"\n")
    assert [sealtrace(name, study).code for name in ("verify", "macros", "attest")] == [1, 1, 1]


def test_a_waived_error_has_its_own_headline_and_exit_code(study: Path) -> None:
    """It stays a finding in every format, is not green, and needs an option to end with 0."""
    assert sealtrace("verify", study).code == 1
    Path("sealtrace.toml").write_text(waiver(LATE))
    run = sealtrace("verify", study)
    assert run.code == 3
    assert run.output.startswith("WAIVED  small\n")
    assert "1 finding waived by the reader's settings, and not settled" in run.output
    assert sealtrace("verify", study, "--allow-waived").code == 0
    assert sealtrace("verify", study, "--strict").code == 3
    assert sealtrace("verify", study, "--skip", "hygiene", "--allow-waived").code == 3
    reason = "Waived until 2999-01-01: The next release leaves it out."
    reports = sealtrace("report", study, "-o", "out")
    assert reports.code == 3
    for name in ("report.txt", "report.json", "report.md", "report.xml", "report.sarif", "report.html"):
        assert "The next release leaves it out." in " ".join(Path("out", name).read_text().split()), name
    assert "% Waived: identity.listing stray.txt" in Path("out/report.tex").read_text()
    assert reason in sealtrace("verify", study, "--format", "github").output
    found = json.loads(Path("out/report.json").read_text())
    assert found["verdict"] == "incomplete"
    assert [one["waived"] for one in found["findings"] if "waived" in one] == ["The next release leaves it out."]
    assert Xml.fromstring(Path("out/report.xml").read_text()).get("errors") == "1"
    assert Path("out/report.md").read_text().startswith("## Waived")


def test_an_expired_waiver_fails(study: Path) -> None:
    """The error is one again, and says that its waiver has run out."""
    Path("sealtrace.toml").write_text(waiver(EARLY))
    run = sealtrace("verify", study, "--allow-waived")
    assert run.code == 1
    assert "Its waiver expired on 2001-01-01" in " ".join(run.output.split())


def test_a_waiver_of_something_else_waives_nothing(study: Path) -> None:
    """Half a place is no place, and what covers nothing is said."""
    Path("sealtrace.toml").write_text(waiver(LATE, "stray"))
    run = sealtrace("verify", study)
    assert run.code == 1
    assert "A waiver covers nothing" in run.output


def test_one_waived_error_does_not_excuse_another(study: Path) -> None:
    """The check fails as long as one of its errors is not waived."""
    (study / "other.txt").write_text("not listed either")
    Path("sealtrace.toml").write_text(waiver(LATE))
    assert sealtrace("verify", study, "--allow-waived").code == 1


def test_a_bundle_cannot_waive_its_own_findings(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings inside of it are refused."""
    (study / "sealtrace.toml").write_text(waiver(LATE))
    monkeypatch.chdir(study)
    run = sealtrace("verify", ".")
    assert (run.code, "inside the bundle" in run.errors) == (2, True)


def test_options_come_from_the_project(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the names that --help has; what is typed comes first; paths are seen from the file."""
    (study / "stray.txt").unlink()
    Path("pyproject.toml").write_text('[tool.sealtrace.verify]\nbundle = "artifact"\nformat = "json"\n')
    Path("below").mkdir()
    monkeypatch.chdir("below")
    assert json.loads(sealtrace("verify").output)["subject"]["name"] == "small"
    assert sealtrace("verify", "--format", "text").output.startswith("VERIFIED  small")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[verify\n", "cannot be read as TOML"),
        ("[verfy]\n", "there is no setting 'verfy'; did you mean 'verify'?"),
        ("[verify]\nstrikt = true\n", "verify has no option 'strikt'; did you mean 'strict'?"),
        ("verify = 3\n", "verify is a table of options"),
        *(
            (f"[verify]\n{option}\n", "is typed, never set: settings may come with what is judged")
            for option in (
                "allow-waived = true",
                "as-expected = true",
                'cache = "kept"',
                'scheduler = "tcp://10.0.0.1:8786"',
                'output = ["html=../page.html"]',
                'tsa-root = ["ca.pem"]',
                'max-memory = "900G"',
            )
        ),
        ('[must-be-empty]\na = ["SELECT 1"]\n', "must-be-empty is a table of names and queries"),
        (waiver("2999-13-01"), "cannot be read as TOML"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a." * 50_000 + "a = 1", "more than 500 dots"),
        ("[verify]\njobs = []\n", "verify takes one jobs, not 0"),
        ('[verify]\nbundle = "a\\u0000b"\n', "holds a null character"),
        (waiver(LATE).replace("identity.listing", "identity.listin"), "did you mean 'identity.listing'?"),
        (waiver(LATE).replace("reason", "raison"), "waiver 1: reason is missing"),
        (waiver(LATE).replace('"The next release leaves it out."', '""'), "waiver 1: reason: '' is no text"),
    ],
)
def test_wrong_settings_are_refused(study: Path, text: str, said: str) -> None:
    """In a sentence that names the file, before anything is judged."""
    Path("sealtrace.toml").write_text(text)
    run = sealtrace("verify", study)
    assert (run.code, run.output) == (2, "")
    assert "sealtrace.toml: " in run.errors
    assert said in run.errors


@pytest.mark.parametrize(("text", "code"), [("tool = 3", 1), ("tool.sealtrace = 3", 2), ("[[tool.sealtrace]]", 2)])
def test_a_project_file_of_another_shape(study: Path, text: str, code: int) -> None:
    """Others may write there what they like; what is called sealtrace is a table."""
    Path("pyproject.toml").write_text(text)
    run = sealtrace("verify", study)
    assert (run.code, "internal error" in run.errors) == (code, False)


def test_queries_of_the_reader_must_return_no_rows(study: Path) -> None:
    """One that finds rows fails with each of them, one that cannot be run fails too, and one that finds none passes."""
    (study / "stray.txt").unlink()
    settings = "[must-be-empty]\nno-dogs = \"SELECT item FROM label WHERE label = 'dog'\"\n"
    Path("sealtrace.toml").write_text(settings)
    assert sealtrace("verify", study).code == 0
    Path("sealtrace.toml").write_text(settings.replace("dog", "cat"))
    run = sealtrace("verify", study, "--check", "query")
    assert run.code == 1
    assert "The query no-cats must return no rows, and returns item=item-0." in " ".join(run.output.split())
    Path("sealtrace.toml").write_text('[must-be-empty]\na = "SELECT 1"\nb = "SELECT * FROM labels"\n')
    words = " ".join(sealtrace("verify", study, "--check", "query").output.split())
    assert "The query cannot be run: the query reads no record" in words
    assert words.count("The query cannot be run") == 2


def test_queries_of_the_study_must_return_no_rows(tmp_path: Path) -> None:
    """They are sealed with it, and may use its views."""
    study = small_study(tmp_path / "study")
    unseal(study)
    (study / "report").mkdir(exist_ok=True)
    document = {
        "views": {"cats": "SELECT * FROM label WHERE label = 'cat'"},
        "must_be_empty": {"three": "SELECT count(*) AS n FROM cats HAVING count(*) <> 3"},
    }
    (study / "report" / "queries.json").write_text(json.dumps(document))
    seal(study, empty={"all": "Only labels are kept."})
    assert sealtrace("verify", study).code == 0
    unseal(study)
    edit_document(
        study / "report" / "queries.json",
        lambda found: found["must_be_empty"].update(three="SELECT count(*) AS n FROM cats HAVING count(*) <> 4"),
    )
    seal(study, empty={"all": "Only labels are kept."})
    assert "returns n=3." in " ".join(sealtrace("verify", study).output.split())


def test_several_bundles_have_one_index(tmp_path: Path) -> None:
    """Each has its reports in a directory of its own, also where two have one name."""
    first, second = small_study(tmp_path / "a"), small_study(tmp_path / "b")
    third = small_study(tmp_path / "c", "<b>third</b>")
    (third / "stray.txt").write_text("not listed")
    run = sealtrace("report", first, second, third, "-o", tmp_path / "out")
    assert (run.code, run.errors) == (1, "")
    page = (tmp_path / "out" / "index.html").read_text()
    assert "2 of 3 bundles verified" in page
    assert 'href="small/report.html"' in page
    assert 'href="small-2/report.html"' in page
    assert '&lt;b&gt;third&lt;/b&gt;</a><span class="word">findings</span>' in page
    for name in ("small", "small-2", "b-third-b"):
        assert (tmp_path / "out" / name / "report.html").is_file()
    assert sealtrace("report", first, second, "-o", tmp_path / "out", "--expect-root", "0" * 64).code == 2


@pytest.mark.parametrize(
    "said", ['expect-root = "{root}"', 'require-signature = ["pub.pem"]', 'require-timestamp = ["declare"]']
)
def test_what_the_reader_demands_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """Settings may come with the artifact: a demand that its author made, and met, would look like the reader's."""
    small_study(tmp_path / "bundle")
    (tmp_path / "sealtrace.toml").write_text(f"[verify]\n{said.format(root='0' * 64)}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run = sealtrace("verify", "bundle")
    assert run.code == 2
    assert "is typed, never set" in run.errors


@pytest.mark.parametrize(
    ("command", "said", "why"),
    [
        ("check paper.md runs", 'root = "/"', "lies elsewhere"),
        ("check paper.md runs", 'root = ".."', "lies elsewhere"),
        ("check paper.md runs", "seconds = 1000000", "is typed, never set"),
        ("check paper.md", 'results = ["link"]', "lies elsewhere"),
        ("audit paper.md", "seconds = 1000000", "is typed, never set"),
        ("verify", 'bundle = "https://127.0.0.1:1/a.zip"', "lies elsewhere"),
        ("verify", 'bundle = "zip::file:/etc/passwd"', "lies elsewhere"),
        ("verify", 'reported = ["../../paper.tex"]', "lies elsewhere"),
        ("verify", 'beside = ["{outside}"]', "lies elsewhere"),
    ],
)
def test_settings_lead_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, said: str, why: str
) -> None:
    """Settings may come with what is judged: they open nothing of the reader's, no address, and raise no limit."""
    home = tmp_path / "home"
    (home / "runs").mkdir(parents=True)
    (home / "link").symlink_to(tmp_path)
    (home / "paper.md").write_text("The mean was 4.5.", encoding="utf-8")
    said = said.format(outside=tmp_path)
    (home / "sealtrace.toml").write_text(f"[{command.split()[0]}]\n{said}\n", encoding="utf-8")
    monkeypatch.chdir(home)
    run = sealtrace(*command.split())
    assert (run.code, run.output) == (2, "")
    assert why in run.errors


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("nowhere")])
def test_settings_that_are_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    """They are refused rather than passed over, and nothing waits for a pipe."""
    make(tmp_path / "sealtrace.toml")
    monkeypatch.chdir(tmp_path)
    run = sealtrace("verify")
    assert run.code == 2
    assert "sealtrace.toml: no ordinary file" in run.errors


def test_settings_without_end_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser would take minutes for a file that only comments make long."""
    (tmp_path / "sealtrace.toml").write_text("#" * (MOST_BYTES + 1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    run = sealtrace("verify")
    assert (run.code, f"sealtrace.toml: more than {MOST_BYTES} bytes" in run.errors) == (2, True)
