"""A paper at a path: what may be read from where, and archives as preprint servers hand them out."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from sealtrace.bundle.defects import BundleError
from sealtrace.paper import papers
from sealtrace.paper.model import Table
from sealtrace.paper.papers import is_paper, merged, paper_and_results, read_paper
from sealtrace.paper.reported import with_printed

TABLE = r"""\begin{table}\caption{Yield.}\label{tab:yield}
\begin{tabular}{lr}\toprule Field & Tons\\\midrule North & 3.25\\\bottomrule\end{tabular}\end{table}
"""
MAIN = "\\documentclass{article}\n\\begin{document}\n\\input{parts/yield}\nWe report 3.25 tons.\n\\end{document}\n"


def _tar(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


def test_files_above_the_paper_are_read_within_its_repository(tmp_path: Path) -> None:
    """\\input{../x} works in a repository, and the root can be given; what lies above it stays unread."""
    paper = tmp_path / "repository" / "paper" / "main.tex"
    paper.parent.mkdir(parents=True)
    paper.write_text(r"\input{../shared/yield}\input{../../outside}")
    (tmp_path / "repository" / "shared").mkdir()
    (tmp_path / "repository" / "shared" / "yield.tex").write_text(TABLE)
    (tmp_path / "outside.tex").write_text(TABLE.replace("tab:yield", "tab:outside"))
    assert read_paper(paper).records == [], "without a repository, the paper's own directory is the root"
    (tmp_path / "repository" / ".git").mkdir()
    assert [record["label"] for record in read_paper(paper).records] == ["tab:yield"]
    labels = [record["label"] for record in read_paper(paper, root=tmp_path).records]
    assert labels == ["tab:yield", "tab:outside"]
    with pytest.raises(BundleError, match="not below the root"):
        read_paper(paper, root=tmp_path / "repository" / "shared")


def test_a_link_does_not_lead_out(tmp_path: Path) -> None:
    """A link below the root to a file outside is not followed."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.tex").write_text(TABLE)
    (home / "main.tex").write_text(r"\input{link}")
    (home / "link.tex").symlink_to(tmp_path / "secret.tex")
    assert read_paper(home / "main.tex").tables == ()


def test_sources_are_kept_as_written(tmp_path: Path) -> None:
    """What looks for a number on a line finds the text of every file, by the name that cells give."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "yield.tex").write_text(TABLE)
    (tmp_path / "main.tex").write_text(MAIN)
    reported = read_paper(tmp_path / "main.tex")
    assert reported.texts == {"main.tex": MAIN, "parts/yield.tex": TABLE}
    assert {reported.tables[0].source, *(line.source for line in reported.prose)} <= reported.texts.keys()


@pytest.mark.parametrize(
    "files",
    [
        {"supplement.tex": "\\documentclass{article}\\begin{document}Nothing.\\end{document}" * 30, "main.tex": MAIN},
        {"submission/parts/yield.tex": TABLE, "submission/x.tex": MAIN, "submission/fig.pdf": "%PDF"},
        {"00README.json": '{"sources": [{"filename": "b.tex", "usage": "toplevel"}]}', "b.tex": MAIN, "main.tex": "."},
        {"a.tex": "% \\documentclass{article}\nNot a document.", "zz.tex": MAIN},
        {"chapter.tex": "\\documentclass{article}Long." * 200, "all.tex": MAIN + "\\subfile{chapter}"},
    ],
    ids=["by-name", "in-a-directory", "listed", "commented-out", "put-in-by-another"],
)
def test_an_archive_as_it_comes(tmp_path: Path, files: dict[str, str]) -> None:
    """The main file of an archive is found, and so are the files that it puts in."""
    if not any(name.endswith("yield.tex") for name in files):
        files = {**files, "parts/yield.tex": TABLE}
    path = _tar(tmp_path / "2601.00001v1.tar.gz", files)
    assert is_paper(path)
    assert [record["label"] for record in read_paper(path).records] == ["tab:yield"]


def test_a_submission_of_one_file_and_a_zip(tmp_path: Path) -> None:
    """A lone file comes compressed without an archive around it; projects are exported as .zip."""
    single = tmp_path / "2601.00002.gz"
    single.write_bytes(gzip.compress(("\\documentclass{article}" + TABLE).encode()))
    assert [record["label"] for record in read_paper(single).records] == ["tab:yield"]
    project = tmp_path / "project.zip"
    with zipfile.ZipFile(project, "w") as archive:
        archive.writestr("main.tex", MAIN)
        archive.writestr("parts/yield.tex", TABLE)
    assert [record["label"] for record in read_paper(project).records] == ["tab:yield"]


def test_a_fragment_that_is_compressed(tmp_path: Path) -> None:
    """One LaTeX file needs to begin no document, in an archive or out of it; of two, one has to."""
    single = tmp_path / "yield.tex.gz"
    single.write_bytes(gzip.compress(TABLE.encode()))
    assert [table.label for table in read_paper(single).tables] == ["tab:yield"]
    with pytest.raises(BundleError, match="begins a document"):
        read_paper(_tar(tmp_path / "two.tar.gz", {"a.tex": TABLE, "b.tex": TABLE}))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_letters_of_other_encodings(tmp_path: Path, encoding: str) -> None:
    """Old papers are in Latin alphabets of one byte a letter; a wrong byte among UTF-8 is replaced, and only that."""
    paper = tmp_path / "main.tex"
    paper.write_bytes(TABLE.replace("North & 3.25", "Châlons & 3.25 ± 0.5").encode(encoding))
    (table,) = read_paper(paper).tables
    assert table.rows[0].texts == ("Châlons", "3.25 ± 0.5")
    paper.write_bytes(TABLE.replace("North", "Nörd").encode() + b"\xe9")
    assert read_paper(paper).records[0]["rows"][0]["label"] == "Nörd"


def test_a_stray_zero_byte_is_passed_over(tmp_path: Path) -> None:
    """An editor left one, as TeX does not see it; a file that is full of them is no text."""
    paper = tmp_path / "main.tex"
    paper.write_bytes(TABLE.encode().replace(b"3.25", b"3.\x0025") + b"% " + b"x" * 2000)
    assert "3.25" in {text for row in read_paper(paper).tables[0].rows for text in row.texts}
    paper.write_bytes(TABLE.encode() + b"\0" * 200)
    with pytest.raises(BundleError, match="binary file"):
        read_paper(paper)


def test_digits_without_end_are_no_number(tmp_path: Path) -> None:
    """Macros that double what they are given print more digits than anybody reads."""
    paper = tmp_path / "main.tex"
    doubled = "\\dbl{" * 12 + "9" + "}" * 12
    paper.write_text(f"\\newcommand{{\\dbl}}[1]{{#1#1}}{TABLE}\n\nWe have {doubled} and 3.25 tons.")
    assert [line.text for line in read_paper(paper).prose if "tons" in line.text] == ["We have … and 3.25 tons."]


def test_no_path_leads_out_of_an_archive(tmp_path: Path) -> None:
    """Members and \\input that climb out of the archive are passed over; files of the machine are never read."""
    (tmp_path / "outside.tex").write_text(TABLE)
    outside = f"\\documentclass{{article}}\\input{{../outside}}\\input{{{tmp_path}/outside}}"
    path = _tar(tmp_path / "a.tar.gz", {"main.tex": outside, "../outside.tex": TABLE, "/outside.tex": TABLE})
    assert read_paper(path).tables == ()


def test_archives_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks to more than a paper has is refused before it is unpacked."""
    path = _tar(tmp_path / "bomb.tar.gz", {"main.tex": MAIN, "figure.eps": "0" * 3_000_000, "z.tex": TABLE})
    monkeypatch.setattr(papers, "MAX_UNPACKED", 1_000_000)
    with pytest.raises(BundleError, match="unpacks to more"):
        read_paper(path)


def test_damage_is_a_message(tmp_path: Path) -> None:
    """Archives that are cut off, empty or something else, directories and absent files are refused in a sentence."""
    whole = _tar(tmp_path / "whole.tar.gz", {"main.tex": MAIN}).read_bytes()
    for name, content in {
        "cut.tar.gz": whole[: len(whole) // 2],
        "empty.tar.gz": b"",
        "noise.tgz": b"\x00" * 64,
        "noise.zip": b"PK\x05\x06",
        "none.tar": b"",
        "paper.odt": b"PK",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BundleError, match=name.partition(".")[0]):
            read_paper(tmp_path / name)
        assert not is_paper(tmp_path / name)
    (tmp_path / "other.zip").write_bytes(b"no archive at all")
    with pytest.raises(BundleError, match=r"neither a \.zip nor a \.tar\.gz"):
        read_paper(tmp_path / "other.zip")
    with pytest.raises(BundleError, match="no such file"):
        read_paper(tmp_path / "absent.tex")
    with pytest.raises(BundleError, match="a directory, where a paper is needed"):
        read_paper(tmp_path)


def test_a_bundle_is_no_paper(tmp_path: Path) -> None:
    """An archive with a manifest is a bundle, whatever sources it preserves."""
    assert not is_paper(_tar(tmp_path / "study.tar.gz", {"manifest.json": "{}", "main.tex": MAIN}))


def test_rows_are_matched_by_place_only_where_no_label_is_known() -> None:
    """A row under another name is a new one: another row's recipe would judge it."""
    columns = [{"label": "Score"}]
    own = [{"label": name, "cells": ["1"], "arguments": {"system": name}} for name in ("base", "ours")]
    known = Table.of({"label": "tab:a", "columns": columns, "rows": own})

    def arguments(*labels: str) -> list[Mapping[str, str]]:
        rows = [{"label": label, "cells": ["2"]} for label in labels]
        printed = Table.of({"label": "tab:a", "source": "a.tex", "columns": columns, "rows": rows})
        return [row.arguments for row in with_printed(known, printed).rows]

    assert arguments("ours", "new") == [{"system": "ours"}, {}]
    assert arguments("one", "two") == [{"system": "base"}, {"system": "ours"}]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["README.md", "CHANGES.md", "docs/README.md"], "README.md"),
        (["README.md", "paper.md"], "paper.md"),
        (["README.md", "main.tex", "notes.md"], "main.tex"),
        (["README.md", "text/article.docx"], "text/article.docx"),
        (["page.html", "data.csv"], "page.html"),
    ],
)
def test_the_paper_of_a_directory(tmp_path: Path, files: list[str], expected: str) -> None:
    """LaTeX that begins a document, else what is called a paper, else the only one, else the README."""
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(MAIN if name.endswith(".tex") else "# Text\n")
    assert paper_and_results(tmp_path, None) == (tmp_path / expected, tmp_path)


def test_tables_of_several_papers_have_labels_of_their_own(tmp_path: Path) -> None:
    """Also where the first of them has two tables of one label: every number keeps an address that no other has."""
    table = TABLE.replace("yield", "a")
    papers = []
    for name, numbers in (("paper", ("1.5", "2.5")), ("supplement", ("3.5", "4.5"))):
        body = "\n".join(table.replace("3.25", number) for number in numbers)
        papers.append(tmp_path / f"{name}.tex")
        papers[-1].write_text(f"\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}")
    together = merged([read_paper(path) for path in papers])
    assert [table.label for table in together.tables] == ["tab:a", "tab:a#2", "tab:a#3", "tab:a#4"]
    assert [table.rows[0].cells[1].text for table in together.tables] == ["1.5", "2.5", "3.5", "4.5"]


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        (
            "a.tex",
            "\\documentclass{article}\\newcommand{\\game}{Leduc}\\title[Short]{Solving \\textbf{\\game}}\n",
            "Solving Leduc",
        ),
        ("a.tex", "%\\title{Old}\n\\documentclass{article}\n\\title{New\n words}\n", "New words"),
        ("a.tex", "\\documentclass{article}\n", None),
        ("a.md", "```\n# no heading\n```\n\n# A study of *birds*\n", "A study of *birds*"),
        ("a.md", "## Part\n", None),
    ],
)
def test_titles(name: str, text: str, title: str | None, tmp_path: Path) -> None:
    """As the document sets it: with its macros, without comments, and no line of code for a heading."""
    path = tmp_path / name
    path.write_text(text + ("\\begin{document}\nWords.\n\\end{document}\n" if name.endswith(".tex") else ""))
    assert read_paper(path).title == title
