"""Whatever the text, reading ends soon and raises nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paper.test_latex_tables import BOOKTABS
from sealtrace.paper.delimited import read_csv
from sealtrace.paper.latex import read_document
from sealtrace.paper.markdown import read_markdown
from sealtrace.paper.reported import tables_of
from sealtrace.paper.sentences import sentences
from sealtrace.paper.tex_tokens import SourceText, Token, TokenStream
from support import LONG


def pieces(text: str) -> list[str]:
    """Pieces of LaTeX, parted by white space."""
    return text.split()


EXAMPLES = settings(max_examples=5000 if LONG else 200)

PIECES = st.sampled_from(
    pieces(
        r"""
     \begin{table} \end{table} \begin{tabular}{lr} \end{tabular} \begin{tabularx}{1cm}{lX} \end{tabularx} { }
     { } & & \\ \\ \caption{ \caption \label{tab:x} \midrule \toprule \hline \multicolumn{2}{c}{
     \multirow{2}{*}{ \multirow \multicolumn \textbf{ \textbf \newcommand{\a}[1]{ \newcommand \def\a{
     \def\b#1. \a \b \a{ \let\a\b \input{x} \input [ ] ( ) * $ ^ _ # #1 ##1 % ~ \iffalse \iftrue \else \fi
     \ifx \newif \verb| \url{ \begin \end \item 1.5 x -- \frac \hat \left . \cmidrule(lr){1-2}
     \begin{longtable}{ll} \endhead \endfoot \begin{verbatim} \end{verbatim} \begin{document} \end{document}
     \shortstack{ \newenvironment{e}{ \begin{e} \end{e} \newcolumntype{Y}{ \kern \hskip \footnote{
     \makeatletter \endinput \section{ \usepackage{x} \documentclass{x} \NewDocumentCommand{\a}{s O{1} m}{ #2 #3
     \IfBooleanTF{ \IfNoValueT{ \begin{tblr}{colspec={ll},cell{1}{1}={c=2}{c},hline{2}={}} \end{tblr} \SetCell[c=2]{c}
     \begin{deluxetable}{ll} \end{deluxetable} \tablehead{ \startdata \tablecaption{ \begin{NiceTabular}{ll}
     \end{NiceTabular} \Block{2-2}{ \begin{tabular}{r@{$\pm$}l} \subfloat[ \subcaptionbox{ \begin{subtable}{1cm}
     \end{subtable} \ctable[caption={a}]{ll}{}{\FL \ML \begin{tabbing} \= \> \kill \end{tabbing}
     \author{ \begin{tabu} \end{tabu} \unknown{1}{2} \SI{1}{\ms} \tnote{1} \ref{tab:x} \cite{y} ± <.001
    """
    )
) | st.sampled_from(["\n", "\n\n", " ", "\t", "\\", "%% file: x\n", "% c\n"])


def read_all(text: str) -> None:
    """Reads a text in every way."""
    found = read_document(text, "x.tex", dict.fromkeys(["x.tex", "x.sty", "x.cls"], text).get)
    for table in found.tables:
        for row in table.rows:
            assert len(row.cells) == table.columns
            assert table.row_label(row) is not None
            for cell in row.cells:
                assert cell is None or cell.text == cell.text.strip()
        for panel in range(table.panels):
            assert len(table.column_labels(panel)) == table.columns
    last = text.count("\n") + 1
    assert all(1 <= problem.line <= last for problem in found.problems)
    assert all(1 <= line.line <= last and line.text for line in found.prose)
    page = read_markdown(text, "x.md")
    for other in (page, read_csv(text, "x.csv")):
        assert all(len(row.cells) == table.columns for table in other.tables for row in table.rows)
        assert all(problem.line >= 1 for problem in other.problems)
    for prose in (found.prose, page.prose):
        for sentence in sentences(prose):
            assert all(" ".join(sentence.text[one.start : one.end].split()) == one.text for one in sentence.numbers)
    for printed in (one for extracted in found.tables for one in tables_of(extracted, "table")):
        assert set(printed.naming) < set(range(len(printed.columns)))
        assert all(len(row.cells) == len(printed.columns) for row in printed.rows)


@EXAMPLES
@given(st.text(max_size=300))
def test_random_text(text: str) -> None:
    """Any text."""
    read_all(text)


@EXAMPLES
@given(st.lists(PIECES, max_size=60))
def test_random_commands(drawn: list[str]) -> None:
    """Commands in any order."""
    read_all("".join(drawn))


@EXAMPLES
@given(st.data())
def test_mutated_table(data: st.DataObject) -> None:
    """A good table, changed in some places."""
    text = BOOKTABS
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 20)))
        text = text[:begin] + data.draw(PIECES | st.just("")) + text[end:]
    read_all(text)


REPEATED = pieces(
    r"""
     { } { }{ [ ] $ ^ _ ^a \ \\ & % # #1 ~ \a \begin{tabular}{l} \begin{tabular} \end{tabular} \begin{table}
     \caption{ \caption{} \textbf{ \textbf \hat \frac \verb| \iffalse \iftrue \ifx \else \fi \def\a{ \def\a#1.
     \def \newcommand{\a}{ \newcommand \let\a \url{ \kern \left \cellcolor[ \makebox[ \multirow{2}{*}{
     \multicolumn{2}{c}{ \input{x} \footnote{ \section{ $x$ \begin{e} \begin{verbatim} \bgroup \begingroup
     \begin{tblr}{ \begin{tblr}{cell{1}{2}= r@{.}l @{/} \begin{deluxetable}{l} \tablehead{ \Block{2-2}{ \subfloat[
     \unknown{1} \NewDocumentCommand\a{ \usepackage{x} \IfBooleanTF{ 1, 1/ (1 1–1 1±
     \makeatletter *{2}{ x| |- | ** __ ` <!-- " , \[ \( \cite[
    """
)


@pytest.mark.parametrize("piece", [*REPEATED, " ", "\n", "# ", "{# ", "{#x", ": ", "[x](", "<u>", "%\n", "a "])
def test_long_repetitions(piece: str) -> None:
    """Long runs of one thing: no stack overflows. `benchmarks/growth.py` shows that time grows with the length."""
    count = (40_000 if LONG else 500) // len(piece)
    for text in (
        piece * count,
        f"{piece} " * count,
        "\\newcommand{\\a}[2][x]{#1#2}" + piece * count,
        "\\begin{tabular}{ll}\n" + piece * count + "& b \\\\ \\end{tabular}",
        "\\begin{tabular}{" + piece * count + "} a & b \\\\ \\end{tabular}",
        "\\caption{" + piece * count + "}",
        piece * count + "}" * count,
        "|a|b|\n|-|-|\n|" + piece * count + "|c|\n",
    ):
        read_all(text)  # what took the square of the length took minutes


class CountingStream(TokenStream):
    """A stream that counts the tokens in which ends are looked for."""

    looked_at = 0

    def _searched(self, sought: str) -> Iterator[tuple[int, Token]]:
        for found in super()._searched(sought):
            self.looked_at += 1
            yield found


@pytest.mark.parametrize("opening", ["[", "csname"])
def test_an_end_that_never_comes_is_looked_for_once(opening: str) -> None:
    """However often an argument is opened and not closed, each token is looked at a bounded number of times."""
    count = 6000
    source = SourceText("x.tex", "x" * count)
    kind = "[" if opening == "[" else "command"
    tokens = [Token(kind, opening, source, place, place + 1) for place in range(count)]
    stream = CountingStream(tokens)
    end = Token("command", "endcsname", source, 0, 1)
    while stream.peek() is not None:
        assert (stream.option() if opening == "[" else stream.delimited((end,))) is None
        stream.next()
    assert stream.looked_at < 6 * count
