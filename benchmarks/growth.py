"""How cost grows: `python benchmarks/growth.py [PART OF A NAME ...]` runs inputs, and inputs four times as large.

Two sorts of inputs are generated. Hostile texts: every construct that a reader knows (`constructs`), again and again.
Honest ones along each axis that a study can grow on: rows, columns, cells, tables, sentences, files, recipes. With
`--constructs`, all constructs are tried, which takes half an hour; without it, only those that are named here.

What looks at each part of its input a bounded number of times takes four times as long for four times as much, with a
sort 4.5 times; what compares all with all takes sixteen times as long, and a page of it can stop a verifier for hours.
"""

from __future__ import annotations

import gc
import json
import os
import random
import re
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import constructs
from sealtrace import api
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.paper.latex import read_document
from sealtrace.paper.markdown import read_markdown
from sealtrace.paper.papers import read_paper
from sealtrace.paper.reported import read_reported

TIMES = 4
LINEAR_ENOUGH = 6.5
"""Between 4, which is linear, and 16, which is quadratic: room for a sort, and for a noisy machine."""
IN_A_ROW = 3
"""A family fails that is above so often: other programs disturb one measurement, and hardly three."""


@dataclass(frozen=True)
class Family:
    """Inputs of one kind, of any size."""

    name: str
    make: Callable[[int], Any]
    run: Callable[[Any], object]
    first: int = 500
    """The size that is tried first."""
    least: float = 0.01
    """CPU seconds under which a difference says nothing: the small input is made larger until it takes as much."""


def _json(text: str) -> object:
    try:
        return parse(text.encode())
    except StrictJSONError as error:
        return error


def _latex(text: str) -> object:
    return read_document(text, "paper.tex", lambda _: None)


def _markdown(text: str) -> object:
    return read_markdown(text, "paper.md")


def _paper(name: str, text: str) -> object:
    return read_reported(text, name, lambda _: None)


def _numbers(name: str, text: str) -> object:
    return [sentence.numbers for sentence in read_reported(text, name, lambda _: None).sentences]


def _keys(count: int) -> str:
    return "{" + ",".join(f'"{number}":0' for number in range(count)) + "}"


def _repeated(piece: str, count: int, before: str = "", after: str = "") -> str:
    return before + piece * count + after


JSON: dict[str, Callable[[int], str]] = {
    "quotes": partial(_repeated, '"'),
    "backslashes": partial(_repeated, "\\", before='"', after='"'),
    "escapes without an end": partial(_repeated, "\\u0041", before='"'),
    "lists in lists": partial(_repeated, "[[]],", before="[", after="0]"),
    "digits": partial(_repeated, "9"),
    "spaces": partial(_repeated, " "),
    "keys": _keys,
}
LATEX = (
    "{", "}", "$", "\\\\", "&", "%\n", "#1", "\\a", "\\begin{tabular}{l}", "\\textbf{", "\\def\\a{", "\\iffalse ",
    "\\newcommand{\\a}{", "\\begin{e}", "\\verb|", "\\footnote{", "\\caption{", "\\left ", "x ", "\n\n",
    "\\csname a ", "\\cite[a ", "\\newcommand{\\b}[2][x]{#1}\\b[a ",
)  # fmt: skip
MARKDOWN = ("[x](", "<u>", "**", "`", "<!--", "|", "|a|b|\n|-|-|\n", "a ")
HTML = ("<table>", "<td>", "<tr><td>", "<p>", "<b>", "<sup>1", "</p>", "<div><p>", "<!--", "<a href='", "\\(", "&amp")
ROWS = (
    ("paper.tex", "\\begin{tabular}{lr}\na & b \\\\ \\midrule\n", "a & 0.5 \\\\\n", "\\end{tabular}"),
    ("paper.md", "|a|b|\n|-|-|\n", "|a|0.5|\n", ""),
    ("paper.csv", "a,b\n", "a,0.5\n", ""),
    ("paper.html", "<table><tr><th>a<th>b", "<tr><td>a<td>0.5", "</table>"),
    ("paper.md without an empty line", "", "The mean was 4.5 days here.\n", ""),
    ("paper.md of tables", "", "|a|b|\n|-|-|\n|x|0.5|\n\ntext\n\n", ""),
    ("paper.md of tags", "<div>", "<a hidde ", ""),
)
"""Long tables and texts: what stands before the rows, a row, and what stands behind them."""

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RUN, _WORDS = "<w:r><w:t>", "</w:t></w:r>"
_CELL = f"<w:tc><w:p>{_RUN}0.5{_WORDS}</w:p></w:tc>"
DOCX = {
    "runs of a paragraph": ("<w:p>", f"{_RUN}a {_WORDS}", "</w:p>"),
    "paragraphs": ("", f"<w:p>{_RUN}The mean was 4.5 days. {_WORDS}</w:p>", ""),
    "letters of a word": (f"<w:p>{_RUN}", "a", f"{_WORDS}</w:p>"),
    "numbers of a run": (f"<w:p>{_RUN}", "1.5 ", f"{_WORDS}</w:p>"),
    "signs without a space": (f"<w:p>{_RUN}", "(1.5", f"{_WORDS}</w:p>"),
    "rows of a table": ("<w:tbl>", f"<w:tr>{_CELL}{_CELL}</w:tr>", "</w:tbl>"),
    "cells of a row": ("<w:tbl><w:tr>", _CELL, "</w:tr></w:tbl>"),
    "spans of a row": ("<w:tbl><w:tr>", _CELL.replace("<w:tc>", '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'),
                       "</w:tr></w:tbl>"),
    "cells that go on below": ("<w:tbl>", "<w:tr>" + _CELL.replace("<w:tc>", "<w:tc><w:tcPr><w:vMerge/></w:tcPr>")
                               + "</w:tr>", "</w:tbl>"),
    "paragraphs of a cell": ("<w:tbl><w:tr><w:tc>", f"<w:p>{_RUN}0.5{_WORDS}</w:p>", "</w:tc></w:tr></w:tbl>"),
    "tables": ("", f"<w:tbl><w:tr>{_CELL}</w:tr></w:tbl><w:p/>", ""),
    "text boxes": ("<w:p>", f"<w:r><w:pict><w:txbxContent><w:p>{_RUN}0.5{_WORDS}</w:p></w:txbxContent></w:pict></w:r>",
                   "</w:p>"),
    "fields without an end": ("<w:p>", '<w:r><w:fldChar w:fldCharType="begin"/></w:r>', "</w:p>"),
    "deleted runs": ("<w:p>", f"<w:del>{_RUN}1.5{_WORDS}</w:del>", "</w:p>"),
    "elements without an end": ("", "<w:sdt><w:sdtContent>", ""),
    "elements that nobody knows": ("<w:p>", "<w:x><w:y/></w:x>", "</w:p>"),
}  # fmt: skip
"""Word files: what stands before a piece of their XML, the piece, and what stands behind all of it."""
PDF = {
    "small texts": "BT /F0 6 Tf 50 700 Td (0.5) Tj ET 1 0 0 1 0.01 -0.01 cm\n",
    "letters of a line": "BT /F0 6 Tf 50 700 Td (a) Tj ET\n",
    "rules": "50 600 m 550 600 l S\n",
    "boxes": "50 600 9 9 re f\n",
    "states": "q ",
    "clips": "50 600 500 9 re W n\n",
}
"""Pages of a PDF: pieces of what draws them."""


def _docx(before: str, piece: str, after: str, count: int) -> Place:
    place = Place()
    with zipfile.ZipFile(place.path / "paper.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        body = f"{before}{piece * count}{after}"
        archive.writestr("word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>")
    return place


def _pdf(drawn: str, count: int, pages: int = 1, fonts: int = 1) -> Place:
    """A PDF of some pages, each with some fonts, on which one thing is drawn again and again."""
    named = "".join(f"/F{font} {4 + font} 0 R" for font in range(fonts))
    kids = range(4 + fonts, 4 + fonts + pages)
    content = (drawn * count).encode() if fonts == 1 else b"".join(
        b"BT /F%d 6 Tf 50 700 Td (0.5) Tj ET\n" % font for font in range(fonts)
    )  # fmt: skip
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 3 0 R/Resources<</Font<<{named}>>>>>>"
    held = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {pages}/Kids[{' '.join(f'{kid} 0 R' for kid in kids)}]>>".encode(),
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        *[b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"] * fonts,
        *[page.encode()] * pages,
    ]
    place = Place()
    with (place.path / "paper.pdf").open("wb") as file:
        file.write(b"%PDF-1.7\n")
        places = []
        for number, one in enumerate(held, 1):
            places.append(file.tell())
            file.write(b"%d 0 obj\n%s\nendobj\n" % (number, one))
        start = file.tell()
        listed = b"".join(b"%010d 00000 n \n" % at for at in places)
        file.write(b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(held) + 1, listed))
        file.write(b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(held) + 1, start))
    return place


def _file(place: Place) -> object:
    (path,) = place.path.iterdir()
    try:
        return [sentence.numbers for sentence in read_paper(path).sentences]
    except BundleError as error:
        return error


_TEXT = PDF["small texts"]
FILES = [
    *(Family(f"Word {name}", partial(_docx, *pieces), _file, 250) for name, pieces in DOCX.items()),
    *(Family(f"PDF {name}", partial(_pdf, drawn), _file, 1000, 1.5) for name, drawn in PDF.items()),
    Family("PDF pages", lambda count: _pdf(_TEXT, 1, pages=count), _file, 50, 1.5),
    Family("PDF fonts", lambda count: _pdf(_TEXT, 1, fonts=count), _file, 50, 1.5),
]
"""Papers that are no text. A PDF is read in a process of its own, whose start costs, too."""

TEXTS = [
    *(Family(f"JSON {name}", text, _json) for name, text in JSON.items()),
    *(Family(f"LaTeX {piece!r}", partial(_repeated, piece), _latex) for piece in LATEX),
    *(
        Family(
            f"LaTeX table {piece!r}",
            partial(_repeated, piece, before="\\begin{tabular}{ll}\n", after="& b \\\\ \\end{tabular}"),
            _latex,
        )
        for piece in LATEX
    ),
    *(Family(f"Markdown {piece!r}", partial(_repeated, piece), _markdown) for piece in MARKDOWN),
    *(Family(f"HTML {piece!r}", partial(_repeated, piece), partial(_paper, "paper.html")) for piece in HTML),
    *(
        Family(
            f"rows of {name}", partial(_repeated, row, before=before, after=after), partial(_numbers, name.split()[0])
        )
        for name, before, row, after in ROWS
    ),
]
"""Hostile texts."""


_OPEN_TABLE, _CLOSED = "\\begin{tabular}{ll}\n", "& b \\\\ \\end{tabular}"


_GLANCE = 0.003
"""CPU seconds from which a construct's growth is looked at; what seems too much is measured as everything else."""


def of_constructs() -> Iterator[Family]:
    """Every command and environment in running text and in a table, and what each pattern finds, in each format."""
    for piece in dict.fromkeys(constructs.latex()):
        yield Family(f"LaTeX {piece!r}", partial(_repeated, piece), _latex, least=_GLANCE)
        in_table = partial(_repeated, piece, before=_OPEN_TABLE, after=_CLOSED)
        yield Family(f"LaTeX table {piece!r}", in_table, _latex, least=_GLANCE)
    found = {text: name for name, pattern in constructs.patterns() for text in constructs.beginnings(pattern)}
    for text, name in found.items():
        for source, before, after in (
            ("paper.tex", "", ""), ("paper.tex", _OPEN_TABLE, _CLOSED), ("paper.md", "", ""),
            ("paper.md", "|a|b|\n|-|-|\n|", "|b|\n"), ("paper.html", "<p>", ""), ("paper.html", "<table><td>", ""),
            ("paper.csv", "a,b\n", ",1\n"),
        ):  # fmt: skip
            texts = partial(_repeated, text, before=before, after=after)
            yield Family(f"{name} {text!r} in {before!r} of {source}", texts, partial(_numbers, source), least=_GLANCE)


SCANNING = frozenset(("search", "findall", "finditer", "sub", "subn", "split"))
"""Methods that begin anew at each place of a text."""


def _asked(pattern: re.Pattern[Any], scanning: bool, text: Any) -> object:
    return [*pattern.finditer(text)] if scanning else (pattern.fullmatch(text), pattern.match(text))


def of_patterns() -> Iterator[Family]:
    """Every named pattern of the package, asked as its module asks it, of what leads it on and never satisfies it."""
    for name, pattern, asked in constructs.all_patterns():
        for before in constructs.led_on(pattern):
            for text in constructs.pumped(pattern):
                texts = partial(_led_on, before, text)
                run = partial(_asked, pattern, bool(asked & SCANNING))
                yield Family(f"pattern {name} {before!r} and {text!r}", texts, run, 250, _GLANCE)


def _led_on(before: Any, text: Any, count: int) -> Any:
    return before + text * count


# Honest papers and studies


class Place:
    """A directory for the files of one input, removed when the input is."""

    def __init__(self) -> None:
        self._directory = TemporaryDirectory(prefix="growth-")
        self.path = Path(self._directory.name)

    def write(self, name: str, text: str) -> Path:
        """A file in it."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def _table(rows: int, columns: int, number: int = 0) -> str:
    """A table of measurements that has nothing to do with others."""
    drawn = random.Random(f"{rows} {columns} {number}")
    head = " & ".join(["Item", *(f"Measure {column}" for column in range(columns))])
    body = "".join(
        f"item {number}.{row} & " + " & ".join(f"{drawn.uniform(1, 99):.2f}" for _ in range(columns)) + " \\\\\n"
        for row in range(rows)
    )
    caption = f"\\caption{{Measurements of part {number}.}}\\label{{tab:{number}}}"
    layout = f"\\begin{{tabular}}{{l{'r' * columns}}}\n{head} \\\\ \\midrule\n{body}\\end{{tabular}}"
    return f"\\begin{{table}}{caption}\n{layout}\n\\end{{table}}\n"


def _tables(count: int) -> str:
    return "".join(_table(6, 4, number) for number in range(count))


def _recipes(of: Callable[[int], dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return [of(number) for number in range(count)]


def _sentences(count: int) -> str:
    drawn = random.Random(count)
    said = (
        f"In round {number} the score of system {number % 7} rose from {drawn.uniform(1, 50):.1f} to "
        f"{drawn.uniform(50, 99):.1f}, with {drawn.randrange(10, 900)} of {drawn.randrange(900, 2000)} items."
        for number in range(count)
    )
    return "\n\n".join(said)


def _document(body: str) -> Place:
    place = Place()
    place.write("paper.tex", f"\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}\n")
    return place


def _audit(place: Place) -> object:
    return api.audit(place.path / "paper.tex", seconds=3600.0)


def _check(place: Place) -> object:
    return api.check(place.path / "paper.tex", place.path / "runs", seconds=3600.0)


def _runs(files: int, rows: int, body: str) -> Place:
    """Scores of a system in each file, and a paper that prints their means."""
    place = _document(body)
    for file in range(files):
        drawn = random.Random(file)
        lines = (f"{row},{drawn.uniform(0, 1):.4f},{drawn.randrange(100)}" for row in range(rows))
        place.write(f"runs/system{file}.csv", "example,score,length\n" + "\n".join(lines) + "\n")
    return place


def _study(rows: int, recipes: list[dict[str, Any]]) -> Place:
    """A sealed dataset, and a table whose cells these recipes give."""
    place, drawn = Place(), random.Random(rows)
    text = {"type": "string"}
    fields = {
        "example": {"type": "integer"},
        **dict.fromkeys(("system", "gold", "answer"), text),
        "seconds": {"type": "number", "minimum": 0},
    }
    row = {"type": "object", "properties": fields, "required": list(fields)}
    answers = {"dataset": "answers", "row": row, "key": ["example", "system"], "truth": "gold"}
    place.write("declare/dataset.answers.json", json.dumps(answers))
    place.write("declare/protocol.json", json.dumps({"study": "growth", "title": "Answers", "anonymous": False}))
    lines = (
        json.dumps(
            {
                "example": row // 4,
                "system": f"s{row % 4}",
                "gold": "ab"[row // 4 % 2],
                "answer": drawn.choice("ab"),
                "seconds": round(drawn.uniform(0, 9), 3),
            }
        )
        for row in range(rows)
    )
    place.write("report/rows.answers.jsonl", "\n".join(lines) + "\n")
    cells = [
        {"label": f"r{number}", "cells": [f"r{number}", "0.5"], "recipes": {"Value": recipe}}
        for number, recipe in enumerate(recipes)
    ]
    table = {"label": "tab:main", "columns": [{"label": "Row"}, {"label": "Value"}], "rows": cells}
    place.write("report/table.main.json", json.dumps(table))
    seal(place.path, empty={"all": "Only answers are reported."})
    return place


def _metric(number: int) -> dict[str, Any]:
    where = {"system": f"s{number % 4}"}
    if number % 2:
        return {"metric": "mean", "of": "seconds", "dataset": "answers", "where": where}
    return {"metric": "accuracy", "of": "answer", "dataset": "answers", "where": where}


def _query(number: int) -> dict[str, Any]:
    return {"sql": f"SELECT avg(seconds) FROM answers WHERE system = 's{number % 4}'"}


def _verify(place: Place) -> object:
    return api.verify(place.path)


STUDIES = [
    Family("audit: rows of a table", lambda count: _document(_table(count, 4)), _audit, 100, 0.4),
    Family("audit: columns of a table", lambda count: _document(_table(8, count)), _audit, 8, 0.02),
    Family(
        "audit: cells of a square table", lambda count: _document(_table(isqrt(count), isqrt(count))), _audit, 64, 0.02
    ),
    Family("audit: tables", lambda count: _document(_tables(count)), _audit, 8, 0.4),
    Family("audit: sentences", lambda count: _document(_sentences(count)), _audit, 50, 0.4),
    Family(
        "audit: sentences beside tables",
        lambda count: _document(_tables(count // 8) + _sentences(count)),
        _audit,
        32,
        0.4,
    ),
    Family("check: files", lambda count: _runs(count, 20, _table(6, 3)), _check, 16, 0.8),
    Family("check: rows of a file", lambda count: _runs(2, count, _table(6, 3)), _check, 400, 0.8),
    Family("check: tables", lambda count: _runs(4, 20, _tables(count)), _check, 4, 0.8),
    Family("check: sentences", lambda count: _runs(4, 20, _table(4, 3) + _sentences(count)), _check, 30, 0.8),
    Family("verify: rows of a dataset", lambda count: _study(count, _recipes(_metric, 2)), _verify, 4000, 0.4),
    Family("verify: metric recipes", lambda count: _study(400, _recipes(_metric, count)), _verify, 50, 0.4),
    Family("verify: SQL recipes", lambda count: _study(400, _recipes(_query, count)), _verify, 25, 0.4),
]
"""Honest inputs, along each axis on which a paper or a study can grow."""
SAMPLE = 400
FAMILIES = [*TEXTS, *(replace(one, least=0.01) for one in list(of_constructs())[::SAMPLE]), *STUDIES]
"""What is tried where little time may be spent: of the constructs, one in so many."""


@contextmanager
def _no_collection() -> Iterator[None]:
    """A full collection costs what all living objects do, and comes when it comes: it says nothing of a reader."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _spent() -> float:
    """CPU seconds of this process, and of those that it has waited for."""
    used = os.times()
    return time.process_time() + used.children_user + used.children_system


def _cost(family: Family, count: int, times: int) -> float:
    """CPU seconds, the least of some runs."""
    made = family.make(count)
    costs = []
    with _no_collection():
        for _ in range(times):
            started = _spent()
            family.run(made)
            costs.append(_spent() - started)
    return min(costs)


def growth(family: Family, *, quick: bool = False) -> float:
    """How many times as much four times the input costs; 0 where even the largest costs nothing.

    The quick form takes inputs of a quarter, and each once.
    """
    count = family.first
    least = max(min(0.01, family.least), family.least / TIMES) if quick else family.least
    # Whoever asks measures again where the answer is too much, so that long runs need no repetition here.
    times = 3 if family.least < 0.1 and not quick else 1
    family.run(family.make(count))  # what is imported or remembered the first time
    while (small := _cost(family, count, times)) < least:
        count *= TIMES
        if count > family.first * TIMES**6:
            return 0.0
    return _cost(family, TIMES * count, times) / small


def main() -> None:
    """Prints every family as it is measured; fails where one was above the limit each time."""
    every = "--constructs" in sys.argv
    wanted = [argument for argument in sys.argv[1:] if argument != "--constructs"]
    failed: list[str] = []
    there = [*of_constructs(), *FILES, *of_patterns()] if every else FAMILIES
    chosen = [family for family in there if not wanted or any(part in family.name for part in wanted)]
    if not chosen:
        sys.exit(f"no family is called {' or '.join(wanted)}; there are {', '.join(one.name for one in FAMILIES)}")
    gc.freeze()  # collections before each measurement look at what the measurement made, not at the whole verifier
    for family in chosen:
        ratios = [growth(family, quick=every)]
        while ratios[-1] > LINEAR_ENOUGH and len(ratios) < IN_A_ROW:
            ratios.append(growth(replace(family, least=0.01) if every else family))
        if not every or min(ratios) > LINEAR_ENOUGH:
            print(f"{min(ratios):6.1f} x  {family.name}", flush=True)
        if min(ratios) > LINEAR_ENOUGH:
            failed.append(f"{family.name}: {TIMES} times the input costs {min(ratios):.1f} times as much")
    print(f"{len(chosen)} sorts of input, {len(failed)} grow with more than their length")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
