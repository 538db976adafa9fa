"""`sealtrace macros`: numbers that LaTeX prints are those that the records give."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace.bundle.sealing import seal
from sealtrace.paper.papers import read_paper
from support import FIXTURE, copy_of_fixture, edit_document, unseal

pytestmark = pytest.mark.usefixtures("kept_examinations")

PAPER = r"""\documentclass{article}
\input{sealed}
\begin{document}
Ours gains \sealed{tab:main}{0.08}{Weak EV}.
\begin{table}\caption{Gains}\label{tab:gains}
\begin{tabular}{lr}
Policy & Gain \\ \hline
ours & \sealed{tab:main}{0.08}{Weak EV} \\
\end{tabular}\end{table}
\end{document}
"""


@pytest.fixture(scope="module")
def drifted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose table prints a number that its records do not give."""
    bundle = copy_of_fixture(tmp_path_factory.mktemp("drifted"))
    edit_document(bundle / "report/table.main.json", lambda one: one["rows"][2]["cells"].__setitem__(1, "4.2990"))
    unseal(bundle)
    seal(bundle, empty={"all": "nothing"})
    return bundle


def test_macros_hold_what_the_records_give(drifted: Path, tmp_path: Path) -> None:
    """Where the table prints another number, too; and our own reader puts them in."""
    run = sealtrace("macros", drifted, "-o", tmp_path / "sealed.tex")
    assert run.code == 1
    text = (tmp_path / "sealed.tex").read_text()
    assert r"\sealedcell{tab:main}{0.08}{Weak EV}{4.2889}" in text
    assert "4.2990" not in text
    (tmp_path / "paper.tex").write_text(PAPER)
    reported = read_paper(tmp_path / "paper.tex")
    assert [row["cells"] for row in reported.records[0]["rows"]] == [["ours", "4.2889"]]
    assert reported.records[0]["rows"][0]["line"] == 8
    (tmp_path / "paper.tex").write_text(PAPER.replace("Weak EV", "Weak"))
    assert any("no sealed cell" in one.message for one in read_paper(tmp_path / "paper.tex").problems)


def test_macros_of_a_good_bundle_end_with_its_code() -> None:
    """Every cell of the fixture has one, also what is so by definition: the anchor's difference from itself."""
    run = sealtrace("macros", FIXTURE)
    assert (run.code, run.errors) == (0, "")
    cells = [line for line in run.output.splitlines() if line.startswith("\\sealedcell{")]
    parts = [line for line in cells if any(f":{name}}}{{" in line for name in ("mean", "sd", "k", "n", "low", "high"))]
    assert len(cells) - len(parts) == 910


def test_latex_compiles_them(drifted: Path, tmp_path: Path) -> None:
    """A real LaTeX prints the number, and stops at a name that is not sealed."""
    latex = shutil.which("pdflatex")
    if latex is None:
        pytest.skip("no LaTeX is installed; the test above reads the file with our own reader")
    assert sealtrace("macros", drifted, "-o", tmp_path / "sealed.tex").code == 1
    for name, column, code in (("good", "Weak EV", 0), ("bad", "Weak", 1)):
        shown = PAPER.replace("Ours gains", r"\typeout{GAIN \sealed{tab:main}{0.08}{Weak EV}}Ours gains")
        (tmp_path / f"{name}.tex").write_text(shown.replace("{Weak EV} ", f"{{{column}}} "))
        done = subprocess.run(
            [latex, "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (name, done.returncode) == (name, code), done.stdout
        assert "4.2889" in done.stdout
