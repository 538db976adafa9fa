"""Writes docs/gallery.md and its pictures: one for each kind of finding, made by breaking small studies on purpose.

`python docs/gallery.py` needs Chromium. What it writes is committed, so that the site is built without a browser.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PICTURES = DOCS / "images" / "gallery"
PAPER = r"""\documentclass{article}\begin{document}
Each room is a kitchen or an office.
\begin{table}\caption{Rooms found.}\label{tab:t}
\begin{tabular}{lccc} Method & Kitchen & Office & Both \\ \hline
Plain & 20 & 31 & 51 \\ Tuned & 24 & 33 & 58 \\ Ours & 28 & 35 & 63 \\
\end{tabular}\end{table}
\end{document}
"""
RELATIONS = """relation both
  says    Rooms of both kinds are the sum of the two.
  because line 2
  for     r in tab:t
  holds   tab:t[{r}, Both] == tab:t[{r}, Kitchen] + tab:t[{r}, Office]
"""
SUSPECT = r"""\documentclass{article}\begin{document}
\begin{table}\caption{Sums by set.}\label{tab:t}
\begin{tabular}{lccc} Set & Kept & Pruned & All \\ \hline
Cup & 31.25 & 62.51 & 93.76 \\ Hat & 45.13 & 20.36 & 65.49 \\ Fan & 50.47 & 11.28 & 61.75 \\
Jar & 26.61 & 58.84 & 85.45 \\ Key & 19.32 & 77.19 & 96.51 \\
Ink & 35.58 & 40.66 & 76.24 \\ Box & 28.27 & 53.43 & 86.74 \\
\end{tabular}\end{table}
\end{document}
"""


@dataclass(frozen=True)
class Shown:
    """One picture: how its page is made, and what of it is shown."""

    name: str
    title: str
    says: str
    page: Callable[[Path], Path]
    look: str
    """What is photographed: a selector of the page."""
    click: str = ""
    """What is pressed first."""


def sealtrace(directory: Path, *arguments: str) -> None:
    """Runs a command; findings are what is wanted, so that its exit code may be anything but misuse."""
    done = subprocess.run(
        [sys.executable, "-m", "sealtrace", *arguments], cwd=directory, capture_output=True, text=True, check=False
    )
    if done.returncode == 2:
        raise SystemExit(f"sealtrace {' '.join(arguments)}: {done.stderr}")


def page(directory: Path, *arguments: str) -> Path:
    """The page that a command writes."""
    sealtrace(directory, *arguments, "-o", "html=page.html")
    return directory / "page.html"


def study(directory: Path, *, paper: tuple[str, str] = ("", ""), recipes: tuple[str, str] = ("", "")) -> Path:
    """The study of `sealtrace init` as a draft, with one place of its paper or of its recipes changed."""
    sealtrace(directory, "init", "my-study")
    made = directory / "my-study"
    edited(made / "paper.tex", *paper)
    edited(made / "recipes.json", *recipes)
    names = ("--name", "{system}_seed{seed}", "--dataset", "answers")
    sealtrace(made, "import", "runs/*.csv", *names, "-o", "bundle")
    sealtrace(made, "extract", "paper.tex", "--recipes", "recipes.json", "-o", "bundle/report")
    return made


def edited(path: Path, old: str, new: str) -> None:
    """Changes a file in one place."""
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise SystemExit(f"{path.name} has no {old!r}")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def changed_file(directory: Path) -> Path:
    made = study(directory)
    sealtrace(made, "seal", "bundle")
    edited(made / "bundle/report/rows.answers.jsonl", '"answer": "owl"', '"answer": "cat"')
    return page(made, "verify", "bundle")


def printed(old: str, new: str) -> Callable[[Path], Path]:
    """A page of a study whose paper prints something else."""
    return lambda directory: page(study(directory, paper=(old, new)), "verify", "bundle", "--draft")


def unclassified(directory: Path) -> Path:
    made = study(directory, recipes=('"Macro-F1": {"metric": "macro_f1"},', ""))
    return page(made, "verify", "bundle", "--draft")


def rows(change: Callable[[list[str]], list[str]]) -> Callable[[Path], Path]:
    """A page of a study whose rows were changed."""

    def made(directory: Path) -> Path:
        bundle = study(directory) / "bundle"
        path = bundle / "report/rows.answers.jsonl"
        path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
        return page(bundle.parent, "verify", "bundle", "--draft")

    return made


def audited(text: str, relations: str = "") -> Callable[[Path], Path]:
    """The page of an audit."""

    def made(directory: Path) -> Path:
        (directory / "paper.tex").write_text(text, encoding="utf-8")
        (directory / "paper.relations").write_text(relations, encoding="utf-8")
        return page(directory, "audit", "paper.tex", *(["--relations", "paper.relations"] if relations else []))

    return made


def fixture(directory: Path) -> Path:
    return page(directory, "verify", str(ROOT / "bundles/rsd-fixture/bundle"))


def checked(directory: Path) -> Path:
    shutil.copytree(ROOT / "examples/reading-rooms", directory / "rooms")
    return page(directory, "check", "rooms/paper.md", "rooms/results")


FIRST, CELL = ".finding >> nth=0", "#lineage .panel"
SHOWN = (
    Shown(
        "changed-file",
        "A file was changed after sealing",
        "Everything that was found in its records is folded beneath it.",
        changed_file,
        "#finding-list > details >> nth=0",
    ),
    Shown(
        "duplicate",
        "A record stands twice",
        "Averages over such rows are missing, never computed from one of them.",
        rows(lambda lines: [*lines, lines[4]]),
        FIRST,
    ),
    Shown(
        "incomplete",
        "Rows are left out",
        "Every example, system and seed was declared to be there.",
        rows(lambda lines: lines[:7] + lines[9:]),
        FIRST,
    ),
    Shown(
        "mismatch",
        "A printed number is not what the records give",
        "The cell with both numbers, its formula and its records.",
        printed("80.0", "82.0"),
        CELL,
        "td.fam-differ >> nth=0",
    ),
    Shown(
        "double-rounded",
        "A number follows only from rounded ones",
        "A warning: subtracting what the table prints gives it, the records do not.",
        fixture,
        CELL,
        "td.fam-warn >> nth=0",
    ),
    Shown(
        "unclassified",
        "Nobody said how a number follows",
        "No recipe, and no word that there is none: the verdict stays incomplete.",
        unclassified,
        ".paper >> nth=0",
    ),
    Shown(
        "contradiction",
        "Printed numbers that cannot all be true",
        "An audit needs the paper alone; the arithmetic can be followed by hand.",
        audited(PAPER, RELATIONS),
        FIRST,
    ),
    Shown(
        "suspicion",
        "One row breaks what the others keep",
        "No proof, and never mixed with one.",
        audited(SUSPECT),
        FIRST,
    ),
    Shown(
        "off",
        "A number that the results give otherwise",
        "Found without recipes: the other cells of the column say which formula it is.",
        checked,
        FIRST,
    ),
    Shown(
        "unexplained",
        "A number that nothing gives",
        "No formula over the released results gives it. That is no error by itself.",
        checked,
        CELL,
        "td.fam-absent >> nth=0",
    ),
)


def text() -> str:
    """The page of the site."""
    lines = [
        "# Gallery of findings",
        "",
        "One picture of each kind, as the page shows it. `make gallery` breaks small studies on purpose to take them.",
        "[Live pages](../reports/) show whole studies.",
    ]
    for one in SHOWN:
        lines += ["", f"## {one.title}", "", one.says, "", f"![{one.title}](images/gallery/{one.name}.webp)"]
    return "\n".join(lines) + "\n"


def photographed() -> None:
    """Takes every picture."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as work:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for one in SHOWN:
            directory = Path(work) / one.name
            directory.mkdir()
            opened = browser.new_page(viewport={"width": 820, "height": 900}, color_scheme="light")
            opened.goto(
                one.page(directory).as_uri() + ("#tables" if one.click or one.look.startswith(".paper") else "")
            )
            if one.click:
                own = opened.locator(f"#cell-chips [data-status='{one.name}']")
                (own if own.count() else opened.locator("#cell-chips [data-status]")).first.click()
                opened.locator(one.click).click()
            opened.wait_for_timeout(200)
            taken = Image.open(io.BytesIO(opened.locator(one.look).screenshot()))
            taken.crop((0, 0, taken.width, min(taken.height, 620))).save(
                PICTURES / f"{one.name}.webp", lossless=False, quality=82
            )
            opened.close()
        browser.close()


if __name__ == "__main__":
    photographed()
    (DOCS / "gallery.md").write_text(text(), encoding="utf-8")
