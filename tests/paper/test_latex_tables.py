"""Every form of a LaTeX table: its cells, its lines, its headers."""

from __future__ import annotations

import pytest

from paper.reading import BULLET, cell_text, document, headers, lines, panels, table, tabular, texts

BOOKTABS = r"""
\begin{table}[t]
\centering
\caption{Birds per \emph{pond}, 95\% of them counted.}
\label{tab:birds}
\begin{tabular}{@{}lrr@{}}
\toprule
Pond & Ducks
& Geese \\
\midrule
North & 12 & \textbf{3} \\
South & \underline{7}
& 4 \\[4pt]
\addlinespace[2pt]
\midrule
Mean & 9.5 & 3.5 \\ \bottomrule
\end{tabular}
\end{table}
"""


def test_booktabs() -> None:
    """Cells, their lines, the header, the rule above the summary, caption and label."""
    found = table(BOOKTABS)
    assert (found.label, found.caption) == ("tab:birds", "Birds per pond, 95% of them counted.")
    assert (found.source, found.line, found.columns) == ("paper.tex", 5, 3)
    assert texts(found) == [
        ["Pond", "Ducks", "Geese"],
        ["North", "12", "3"],
        ["South", "7", "4"],
        ["Mean", "9.5", "3.5"],
    ]
    assert lines(found) == [[7, 7, 8], [10, 10, 10], [11, 11, 12], [15, 15, 15]]
    assert [row.line for row in found.rows] == [7, 10, 11, 15]
    assert headers(found) == [True, False, False, False]
    assert panels(found) == [0, 0, 0, 0]
    assert [row.after_rule for row in found.rows] == [True, True, False, True]


def test_marks() -> None:
    """Bold and underlining of whole cells; a sign behind a number need not be bold, and a part is not the whole."""
    body = r"""
a & b & c & d & e \\ \midrule
\textbf{1.5} & \underline{\textbf{2}} & \textbf{54.86}/2.82/\textbf{42.32} & \textbf{1.00}$\times$ & {\bfseries 7} 8 \\
$\mathbf{[0.1,0.2]}$ & \textbf{--} & {\bf 4} & \textbf{5 $\pm$ 6} & x \textmd{y} \\
"""
    found = table(tabular("lllll", body))
    marks = [[(cell.bold, cell.underline) for cell in row.cells if cell is not None] for row in found.rows[1:]]
    assert marks[0] == [(True, False), (True, True), (False, False), (True, False), (False, False)]
    assert marks[1] == [(True, False), (True, False), (True, False), (True, False), (False, False)]


def test_columns_may_mark_their_cells() -> None:
    """What >{} and <{} put around cells is printed, and \\multicolumn takes it off."""
    found = table(tabular(r"l>{\bfseries}r<{\%}", "a & \\multicolumn{1}{c}{b} \\\\ \\midrule c & 4 \\\\"))
    assert texts(found) == [["a", "b"], ["c", "4%"]]
    assert [cell.bold for row in found.rows if (cell := row.cells[1]) is not None] == [False, True]


@pytest.mark.parametrize(
    ("specification", "columns"),
    [
        ("lcr", 3),
        ("|l||c|r|", 3),
        ("@{}l@{\\hspace{2em}}r@{}", 2),
        ("@{\\extracolsep{\\fill}}lc*{3}{r}@{}", 5),
        ("l*{2}{>{\\raggedleft\\arraybackslash}X}", 3),
        ("*{2}{l*{2}{c}}", 6),
        ("p{2cm}m{.2\\linewidth}b{1in}", 3),
        ("l S[table-format=1.2] S", 3),
        ("lD{.}{.}{2}r", 3),
        ("l!{\\vrule width 1pt}r", 2),
        ("w{c}{2cm}l", 2),
        ("lC{2cm}", 2),
        ("l >{$}c<{$}", 2),
    ],
)
def test_column_specifications(specification: str, columns: int) -> None:
    """Every way to declare columns gives their number."""
    found = table(tabular(specification, " & ".join("x" * columns) + r" \\ \midrule " + " & ".join("1" * columns)))
    assert found.columns == columns


def test_new_column_types() -> None:
    """Column types that the document declares."""
    text = "\\newcolumntype{Y}{>{\\bfseries}r}\n\\newcolumntype{N}[1]{*{#1}{c}}\n"
    found = table(text + tabular("lYN{2}", r"a & b & c & d \\ \hline 1 & 2 & 3 & 4 \\"))
    assert found.columns == 4
    assert [cell.bold for cell in found.rows[1].cells if cell is not None] == [False, True, False, False]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (r"\begin{tabular}[t]{lr}", r"\end{tabular}"),
        (r"\begin{tabular*}{\linewidth}[b]{lr}", r"\end{tabular*}"),
        (r"\begin{tabular*}{\textwidth}{@{\extracolsep{\fill}}lr}", r"\end{tabular*}"),
        (r"\begin{tabularx}{0.5\linewidth}{lX}", r"\end{tabularx}"),
        (r"\begin{tabulary}{4cm}{LR}", r"\end{tabulary}"),
        (r"\resizebox{\linewidth}{!}{\begin{tabular}{lr}", r"\end{tabular}}"),
        (r"\begin{center}{\small\begin{tabular}{lr}", r"\end{tabular}}\end{center}"),
    ],
)
def test_environments(opening: str, closing: str) -> None:
    """The environments that are read, and boxes around them."""
    found = table(f"{opening}\na & b \\\\ \\hline\nc & 1 \\\\\n{closing}")
    assert (texts(found), lines(found)) == ([["a", "b"], ["c", "1"]], [[2, 2], [3, 3]])


def test_longtable() -> None:
    """One head and the last foot are kept; the caption and label inside belong to the table."""
    found = table(r"""
\begin{longtable}{lr}
\caption{Long. \label{tab:long}} \\
\toprule Name & Value \\ \midrule \endfirsthead
\multicolumn{2}{c}{continued} \\ Name & Value \\ \midrule \endhead
\midrule \multicolumn{2}{r}{next page} \\ \endfoot
\bottomrule \endlastfoot
a & 1 \\*
b & 2 \\
\end{longtable}
""")
    assert (found.label, found.caption) == ("tab:long", "Long.")
    assert texts(found) == [["Name", "Value"], ["a", "1"], ["b", "2"]]
    assert lines(found) == [[3, 3], [7, 7], [8, 8]]
    assert headers(found) == [True, False, False]


def test_longtable_with_label_after_the_caption() -> None:
    """The other way to write it, with only one head."""
    text = r"\caption[short]{Long one}\label{tab:l}\\ N & V \\ \endhead a & 1"
    found = table(f"\\begin{{longtable}}{{lr}}{text}\\end{{longtable}}")
    assert (found.label, found.caption, texts(found)) == ("tab:l", "Long one", [["N", "V"], ["a", "1"]])


def test_spans() -> None:
    """Cells over several columns and rows; the places that they cover stay empty."""
    found = table(
        tabular(
            "llrr",
            r"""
\toprule
\multirow{2}{*}{Kind} & \multirow[c]{2}{2cm}{Size} & \multicolumn{2}{c}{Count} \\
\cmidrule(lr){3-4}
 & & Old & New \\
\midrule
\multirow{2}{*}{\textbf{Oak}} & small & 1 & 2 \\
 & large & 3 & 4 \\
\multicolumn{2}{l}{\multirow{2}{*}{Ash}} & 5 & 6 \\
\multicolumn{2}{l}{} & 7 & 8 \\
""",
        )
    )
    assert texts(found) == [
        ["Kind", "Size", "Count", BULLET],
        [BULLET, BULLET, "Old", "New"],
        ["Oak", "small", "1", "2"],
        [BULLET, "large", "3", "4"],
        ["Ash", BULLET, "5", "6"],
        [BULLET, BULLET, "7", "8"],
    ]
    assert lines(found) == [[3, 3, 3], [5, 5], [7, 7, 7, 7], [8, 8, 8], [9, 9, 9], [10, 10]]
    spans = [(cell.columns, cell.rows) for row in found.rows for cell in row.cells if cell is not None]
    assert spans[:3] == [(1, 2), (1, 2), (2, 1)]
    assert found.rows[4].cells[0] is not None
    assert (found.rows[4].cells[0].columns, found.rows[4].cells[0].rows) == (2, 2)
    assert headers(found) == [True, True, False, False, False, False]
    assert found.column_labels() == ["Kind", "Size", "Count / Old", "Count / New"]
    assert [found.row_label(row) for row in found.rows[2:]] == ["Oak / small", "Oak / large", "Ash / 5", "Ash / 7"]


def test_span_upwards() -> None:
    """A negative \\multirow is written in the last of its rows, and stands in the first."""
    found = table(tabular("lr", r"a & b \\ \hline & 1 \\ & 2 \\ \multirow{-3}{*}{Elm} & 3 \\"))
    assert texts(found)[1:] == [["Elm", "1"], [BULLET, "2"], [BULLET, "3"]]
    assert found.rows[1].cells[0] is not None
    assert found.rows[1].cells[0].rows == 3


def test_stacked_headers() -> None:
    """Line breaks inside a cell are spaces."""
    body = r"""
\shortstack{Map time\\(ms)} & \shortstack[l]{Cert.\\rate}
& \makecell[t]{Two\\lines} & \begin{tabular}{@{}c@{}}in\\ner\end{tabular} \\
\midrule
1 & 2 & 3 & 4 \\
"""
    found = table(tabular("rrrr", body))
    assert texts(found)[0] == ["Map time (ms)", "Cert. rate", "Two lines", "in ner"]
    assert lines(found) == [[2, 2, 3, 3], [5, 5, 5, 5]]


def test_empty_cells() -> None:
    """An empty cell stands on the line of what ends it; blank rows are none."""
    found = table(tabular("lll", "& & c \\\\ \\hline\na &\n & \\\\\n\\\\\nb & {} & 1"))
    assert texts(found) == [["", "", "c"], ["a", "", ""], ["b", "", "1"]]
    assert lines(found) == [[2, 2, 2], [3, 4, 4], [6, 6, 6]]


def test_comments() -> None:
    """A comment ends at its line; an escaped percent sign is none."""
    found = table(tabular("lr", "a & b \\\\ % & no \\\\\n\\hline\n% x & 9 \\\\\nc%\n & 5\\% % six\n \\\\"))
    assert (texts(found), lines(found)) == ([["a", "b"], ["c", "5%"]], [[2, 2], [5, 6]])


def test_line_breaks() -> None:
    """All ways to end a row; an interval that opens the next row is not their option."""
    found = table(
        tabular("lr", "a & b \\\\* \\hline c & 1 \\tabularnewline[2pt] d & 2 \\\\ [1ex]\n e & 3 \\\\\n[0.1, 0.2] & 4")
    )
    assert texts(found) == [["a", "b"], ["c", "1"], ["d", "2"], ["e", "3"], ["[0.1, 0.2]", "4"]]


def test_rows_in_an_unruled_table() -> None:
    """Without a rule nothing is called a header, and a warning says so."""
    found = document(tabular("lr", r"a & 1 \\ b & 2 \\"))
    assert headers(found.tables[0]) == [False, False]
    assert [(problem.severity, problem.line) for problem in found.problems] == [("warning", 1)]


def test_header_under_other_rules() -> None:
    """With \\hline, the header ends at the first that has rows above it; a summary's \\midrule is not taken for it."""
    assert headers(table(tabular("|l|r|", r"\hline a & b \\ \hline c & 1 \\ \hline d & 2 \\ \hline"))) == [
        True,
        False,
        False,
    ]
    assert headers(table(tabular("lr", r"a & b \\ \cmidrule{1-2} c & 1 \\ \midrule d & 2 \\"))) == [True, False, False]
    assert headers(table(tabular("lr", r"a & b \\ \hline c & d \\ \midrule e & 2 \\"))) == [True, True, False]


def test_second_panel_repeats_the_header() -> None:
    """A row between rules that begins like the header opens a panel with its own column labels."""
    found = table(
        tabular(
            "lrr",
            r"""
\toprule
Arm & Speed & Mass \\ \midrule
one & 1 & 2 \\
two & 3 & 4 \\
\midrule
Arm & p95 ms & Heat \\ \midrule
one & 5 & 6 \\
two & 7 & 8 \\
\bottomrule
""",
        )
    )
    assert panels(found) == [0, 0, 0, 1, 1, 1]
    assert headers(found) == [True, False, False, True, False, False]
    assert found.panels == 2
    assert found.column_labels(0) == ["Arm", "Speed", "Mass"]
    assert found.column_labels(1) == ["Arm", "p95 ms", "Heat"]
    assert [found.row_label(row) for row in found.rows] == ["Arm", "one", "two", "Arm", "one", "two"]


def test_second_panel_with_words_over_numbers() -> None:
    """Between two rules, words in every column of numbers are a header; a row of n/a is not."""
    body = r"Arm & Speed \\ \midrule one & 1 \\ \midrule Leg & Heat \\ \midrule two & 2 \\ \midrule three & n/a \\"
    found = table(tabular("lr", body + r"\bottomrule"))
    assert (headers(found), panels(found)) == ([True, False, True, False, False], [0, 0, 1, 1, 1])


def test_titled_panels() -> None:
    """A title over all columns between two rules opens a panel, which keeps the column headers."""
    body = r"""
Arm & Speed \\ \midrule
\multicolumn{2}{c}{By day} \\ \midrule
one & 1 \\ \midrule
\multicolumn{2}{c}{By night} \\ \midrule
one & 2 \\
"""
    found = table(tabular("lr", body))
    assert (headers(found), panels(found)) == ([True, True, False, True, False], [0, 0, 0, 1, 1])
    assert found.column_labels(0) == ["Arm / By day", "Speed / By day"]
    assert found.column_labels(1) == ["Arm / By night", "Speed / By night"]


def test_words_only_are_no_panels() -> None:
    """In a table without numbers, rules between rows mean nothing more."""
    found = table(tabular("ll", r"a & b \\ \hline c & d \\ \hline e & f \\ \hline"))
    assert panels(found) == [0, 0, 0]


def test_row_labels() -> None:
    """Row labels grow until they differ; rows that are wholly alike are counted."""
    found = table(
        tabular("llr", r"a & b & c \\ \midrule x & p & 1 \\ x & q & 1 \\ y & q & 1 \\ z & r & 2 \\ z & r & 2 \\")
    )
    labels = [found.row_label(row) for row in found.rows[1:]]
    assert labels == ["x / p", "x / q", "y", "z / r / 2", "z / r / 2 (2)"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (r"$4.22\pm0.02$", "4.22±0.02"),
        (r"$60{,}000$", "60,000"),
        (r"60\,000", "60\u2009000"),
        (r"84\,ms", "84 ms"),
        (r"-0.6951$^\dagger$", "-0.6951†"),
        (r"0.5$^{*}$", "0.5*"),
        (r"0.5\textsuperscript{\ddag}", "0.5‡"),
        (r"$-$0.5", "-0.5"),
        ("−0.5", "-0.5"),
        (r"1.6$\times10^{-4}$", "1.6×10^-4"),
        (r"C--R", "C–R"),
        (r"--", "–"),
        (r"\texttt{--fast}", "--fast"),
        (r"$n_{\min}$", "n_min"),
        (r"Strong $\Delta$ $\uparrow$", "Strong Δ ↑"),
        (r"$\varepsilon_h \leq 0.1$", "ε_h ≤ 0.1"),
        (r"A $\rightarrow$ B $\downarrow$", "A → B ↓"),
        (r"R\&D 5\% \#1 \$2 a\_b \{c\}", "R&D 5% #1 $2 a_b {c}"),
        (r"Res.\ (1.00)", "Res. (1.00)"),
        (r"a~b\quad c", "a b c"),
        (r"\textcolor{red}{1.5}", "1.5"),
        (r"\cellcolor[gray]{.9}1.5", "1.5"),
        (r"\phantom{0}1.5", "1.5"),
        (r"\multicolumn{1}{c}{1.5}", "1.5"),
        (r"$\frac{1}{2}$ $\tfrac12$", "1/2 1/2"),
        (r"\footnotesize{1.5}\footnote{See 9.}", "1.5"),
        (r"$0.5_{\pm 0.1}$", "0.5_± 0.1"),
        (r"\'Etude na\"{\i}ve \c{c}", "Étude naïve ç"),
        (r"``x''", "“x”"),
        (r"\verb|a_b%c|", "a_b%c"),
        (r"\rotatebox{90}{up} \hspace{2pt}x\kern 1pt y", "up xy"),
        (r"\href{http://x.y/%20}{link}", "link"),
        (r"$\hat{p}$ $\bar x$", "p̂ x̄"),
        (r"$\left[0.1, 0.2\right.$", "[0.1, 0.2"),
        (r"$\text{max of } n$", "max of n"),
        (r"Table~\ref{tab:9}", "Table […]"),
        (r"{\small\itshape 1.5}", "1.5"),
        (r"\ding{51}", "✓"),
        (r"${\alpha}=0.08$", "α=0.08"),
        (r"25$^\circ$C", "25°C"),
    ],
)
def test_text_of_a_cell(content: str, text: str) -> None:
    """Markup becomes the text that a reader sees."""
    assert cell_text(content) == text


def test_several_tabulars_in_a_float() -> None:
    """They share the float's caption and label."""
    inner = tabular("lr", r"a & b \\ \hline c & 1")
    found = document(f"\\begin{{table}}\n\\caption{{Both}}\n\\label{{tab:both}}\n{inner}{inner}\\end{{table}}")
    assert found.problems == []
    assert [(one.label, one.caption, one.line) for one in found.tables] == [
        ("tab:both", "Both", 4),
        ("tab:both", "Both", 7),
    ]


def test_captions_pair_with_tabulars() -> None:
    """As many captions as tables: each has its own, whichever side it stands on."""
    inner = tabular("lr", r"a & b \\ \hline c & 1")
    box = "\\begin{{minipage}}{{.5\\linewidth}}{}\\caption{{{}}}\\label{{tab:{}}}{}\\end{{minipage}}"
    boxes = box.format(inner, "One", "one", "") + box.format("", "Two", "two", inner)
    for text in (
        boxes,
        boxes.replace("minipage", "subtable"),
        f"{inner}\\caption{{One}}\\label{{tab:one}}{inner}\\caption{{Two}}\\label{{tab:two}}",
    ):
        found = document(f"\\begin{{table}}\n{text}\\end{{table}}")
        assert found.problems == []
        assert [(one.label, one.caption) for one in found.tables] == [("tab:one", "One"), ("tab:two", "Two")]


def test_label_places() -> None:
    """A label inside the caption, before it, or without one; a label in the text is not taken."""
    inner = tabular("lr", r"a & b \\ \hline c & 1")
    wrap = "\\label{{sec:x}}\n\\begin{{table*}}{}{}\\end{{table*}}"
    assert table(wrap.format("\\caption{A\\label{tab:a}}", inner)).label == "tab:a"
    assert table(wrap.format("\\label{tab:b}\\caption{B}", inner)).label == "tab:b"
    assert table(wrap.format("\\label{tab:c}", inner)).label == "tab:c"
    assert table("\\label{sec:x}\n" + inner).label is None


def test_not_printed() -> None:
    """Tables in verbatim text, comments and false conditionals are none."""
    inner = tabular("lr", r"a & b \\ \hline c & 1")
    for before, after in [
        ("\\begin{verbatim}", "\\end{verbatim}"),
        ("\\begin{lstlisting}[language=TeX]", "\\end{lstlisting}"),
        ("\\begin{comment}", "\\end{comment}"),
        ("\\iffalse", "\\fi"),
        ("\\iftrue\\else", "\\fi"),
        ("\\newif\\ifdraft \\ifdraft", "\\else x\\fi"),
        ("\\begin{document}x\\end{document}", ""),
    ]:
        assert document(f"{before}\n{inner}\n{after}\n").tables == []
    kept = table(f"\\newif\\ifdraft\\drafttrue\n\\ifdraft\n{inner}\\else x\\fi")
    assert (kept.line, kept.rows[1].line) == (3, 4)


def test_a_tabular_that_only_sets_others_side_by_side() -> None:
    """Each of them is a table under the caption of the float; one that holds other cells, too, is refused."""
    inner = tabular("ll", "A & B \\\\ 1 & 2 \\\\")
    boxed = f"\\begin{{minipage}}{{.4\\linewidth}}{inner}\\end{{minipage}}"
    found = document(f"\\begin{{table}}\\caption{{Both.}}{tabular('cc', f'{boxed} & {boxed}')}\\end{{table}}")
    assert [(one.caption, texts(one)[1]) for one in found.tables] == [("Both.", ["1", "2"])] * 2
    mixed = document(tabular("cc", f"{boxed} & 3.5"))
    assert (mixed.tables, [one.severity for one in mixed.problems]) == ([], ["error"])


def test_a_group_that_is_open_to_the_end() -> None:
    """TeX closes it by itself, and so nothing is lost."""
    found = document("{\\small Here.\n\n" + tabular("ll", "A & B \\\\ \\hline 1 & 2 \\\\"))
    assert [texts(one)[1] for one in found.tables] == [["1", "2"]]
    assert [one.severity for one in found.problems] == ["warning"]


def test_the_part_of_a_figure_names_no_later_table() -> None:
    """What `subfloat` says of a picture ends with its figure; a section's label behind it is no table's either."""
    figure = r"\begin{figure}\subfloat[Dry]{\includegraphics{dry}}\caption{Weather.}\end{figure}"
    found = table(f"{figure}\\section{{Birds}}\\label{{sec:birds}}\n{BOOKTABS}")
    assert (found.label, found.caption) == ("tab:birds", "Birds per pond, 95% of them counted.")
