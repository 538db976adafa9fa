"""What people write beside plain tabulars: other packages' tables, joined columns, macros from files, odd headers."""

from __future__ import annotations

import pytest

from paper.reading import cell_text, document, headers, table, tabular, texts
from sealtrace.paper.numbers import read_printed
from sealtrace.paper.reported import read_reported

BODY = "Field & Tons & Loss \\\\ \\midrule North & 3.2 & 1 \\\\ South & 4.5 & 0 \\\\"
READ = [["Field", "Tons", "Loss"], ["North", "3.2", "1"], ["South", "4.5", "0"]]


@pytest.mark.parametrize(
    "text",
    [
        f"\\begin{{NiceTabular}}{{lrr}}[hvlines]{BODY}\\end{{NiceTabular}}",
        f"\\begin{{NiceTabular*}}{{5cm}}{{lrr}}{BODY}\\end{{NiceTabular*}}",
        f"\\begin{{tabu}} to \\linewidth {{lXX}}{BODY}\\end{{tabu}}",
        f"\\begin{{supertabular}}{{lrr}}{BODY}\\end{{supertabular}}",
        f"\\begin{{tblr}}{{lrr}}{BODY}\\end{{tblr}}",
        f"\\begin{{tblr}}{{colspec={{l|X[2,c]S[table-format=1.1]}}, rowsep=2pt}}{BODY}\\end{{tblr}}",
        f"\\begin{{longtblr}}[caption={{Yields, in tons}}, label={{tab:y}}]{{colspec={{lrr}}}}{BODY}\\end{{longtblr}}",
        "\\begin{tblr}{hline{1,2,Z} = {1pt}, cells={c}}Field & Tons & Loss\\\\"
        "North & 3.2 & 1\\\\South & 4.5 & 0\\end{tblr}",
        "\\begin{deluxetable}{lrr}\\tablecaption{Yields\\label{tab:y}}\\tablehead{\\colhead{Field} & \\colhead{Tons} &"
        "\\colhead{Loss}}\\startdata North & 3.2 & 1 \\\\ South & 4.5 & 0 \\enddata\\tablecomments{Dry.}"
        "\\end{deluxetable}",
        f"\\begin{{threeparttable}}\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}\\begin{{tablenotes}}\\item[a] Dry."
        "\\end{tablenotes}\\end{threeparttable}",
        "\\ctable[caption={Yields, in tons}, label={tab:y}, pos=t]{lrr}{\\tnote[a]{Dry.}}"
        "{\\FL Field & Tons & Loss \\ML North & 3.2 & 1 \\NN South & 4.5 & 0 \\LL}",
        "\\begin{table}\\caption{Yields, by tabs}\\label{tab:y}\\begin{tabbing}wide \\= wide \\= wide \\kill "
        "Field \\> Tons \\> Loss \\\\ North \\> 3.2 \\> 1 \\\\ South \\> 4.5 \\> 0\\end{tabbing}\\end{table}",
    ],
    ids=[
        *("nice", "nice-star", "tabu", "super", "tblr", "tblr-keys", "longtblr", "tblr-hline", "deluxe", "threepart"),
        *("ctable", "tabbing"),
    ],
)
def test_tables_of_other_packages(text: str) -> None:
    """Rows, columns and headers come out as from a tabular, and captions where the table has its own."""
    found = table(text)
    assert texts(found) == READ
    assert headers(found) == [True, False, False]
    if "tab:y" in text:
        assert (found.label, found.caption.partition(",")[0]) == ("tab:y", "Yields")


def test_the_label_beside_a_caption() -> None:
    """A label of a deluxetable may stand behind its caption, and is read whole, with any sign in it."""
    rows = "\\tablehead{\\colhead{Field} & \\colhead{Tons}}\\startdata North & 3.2 \\enddata"
    text = f"\\begin{{deluxetable}}{{lr}}\\tablecaption{{Yields}}\\label{{tab:y_2024}}{rows}\\end{{deluxetable}}"
    assert table(text).label == "tab:y_2024"


def test_spans_that_are_keys() -> None:
    """tabularray and nicematrix write the cells under a span out, empty."""
    keyed = "\\begin{tblr}{colspec={lrr}, cell{1}{2}={c=2}{c}, hline{2}={}} & Tons & \\\\ North & 1 & 2 \\end{tblr}"
    block = tabular("lrr", "& \\Block{1-2}{Tons} & \\\\ \\midrule North & 1 & 2")
    cell = "\\begin{tblr}{lrr} & \\SetCell[c=2]{c} Tons & \\\\ \\hline North & 1 & 2 \\end{tblr}"
    for text in (keyed, block, cell):
        assert texts(table(text)) == [["", "Tons", "·"], ["North", "1", "2"]]
        assert table(text).column_labels() == ["", "Tons", "Tons"]


@pytest.mark.parametrize(
    ("columns", "row", "printed"),
    [
        ("lr@{$\\pm$}l", "North & 3.2 & 0.1", "3.2±0.1"),
        ("lr@{.}l", "North & 3 & 25", "3.25"),
        ("lr@{ (}r@{)}", "North & 3.2 & 0.1", "3.2(0.1)"),
        ("lr@{ -- }l", "North & 3 & 5", "3–5"),
    ],
)
def test_two_columns_that_print_one_number(columns: str, row: str, printed: str) -> None:
    """r@{±}l is one column, and its header spans both."""
    found = table(tabular(columns, f"Field & \\multicolumn{{2}}{{c}}{{Tons}} \\\\ \\midrule {row} \\\\"))
    assert [text.replace(" ", "") for text in texts(found)[1]] == ["North", printed]
    assert (found.columns, found.column_labels()) == (2, ["Field", "Tons"])


def test_a_unit_between_columns() -> None:
    """What is no joint belongs to the column on its left."""
    assert texts(table(tabular("lr@{\\,\\%}r", "a & b & c \\\\ \\hline x & 1 & 2")))[1] == ["x", "1 %", "2"]


def test_short_rows() -> None:
    """They are filled up, and said."""
    found = document(tabular("lll", "a & b & c \\\\ \\midrule\n1 & 2 & 3 \\\\\n4 & 5 \\\\"))
    assert texts(found.tables[0])[2] == ["4", "5", ""]
    assert [(one.severity, one.line) for one in found.problems] == [("warning", 4)]


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ("\\pmv{12}{3}", "12 3"),
        ("1\\pmv{2}", "1 2"),
        ("\\pmv{1}2", "1 2"),
        ("\\best{12.5}", "12.5"),
        ("\\best{\\textbf{12}}\\%", "12%"),
    ],
)
def test_arguments_of_an_unknown_command(content: str, printed: str) -> None:
    """They are never glued into one number."""
    found = document(tabular("ll", f"name & x \\\\ \\midrule row & {content} \\\\")).tables[0]
    assert texts(found)[1] == ["row", printed]


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ("$\\Delta = A - B$", "Δ = A - B"),
        ("$1 234$", "1234"),
        ("$10 ^{-3}$", "10^-3"),
        ("\\SI{3.2}{\\milli\\second}", "3.2 ms"),
        ("\\qty{5}{\\giga\\byte\\per\\second}", "5 GB/s"),
        ("\\num{0.82(1)}", "0.82(1)"),
        ("\\numrange{3}{5}", "3–5"),
        ("3.2\\tnote{1}", "3.2"),
        ("3.2\\tnote{a}", "3.2^a"),
    ],
)
def test_content_of_a_cell(content: str, printed: str) -> None:
    """Mathematics keeps its spaces, siunitx prints its units, notes are no digits."""
    assert cell_text(content) == printed


def test_macros_of_files_beside_the_document() -> None:
    """Definitions of a local package or class count; what it would change of LaTeX itself does not."""
    files = {
        "ours.sty": "\\newcommand{\\ours}[1]{\\textbf{#1}\\,ms}\\def\\a@b{9}\\renewcommand{\\textbf}[1]{lost}\\fi\\fi",
        "house.cls": "\\RequirePackage{deep}\\NewDocumentCommand{\\twice}{s m O{4}}{\\IfBooleanTF{#1}{-}{+}#2/#3}",
        "deep.sty": "\\newcolumntype{N}{r<{\\%}}",
    }
    start = "\\documentclass{house}\\usepackage[draft]{nowhere,ours}\\begin{document}"
    body = tabular("llN", "a & b & c \\\\ \\hline \\ours{3} & \\twice*{2}; \\twice{1}[7] & 5")
    found = table(f"{start}{body}\\end{{document}}", files)
    assert texts(found)[1] == ["3 ms", "-2/4; +1/7", "5%"]


def test_optional_arguments_of_xparse() -> None:
    """An absent optional argument is told from a given one."""
    define = "\\NewDocumentCommand\\est{m o}{#1\\IfNoValueTF{#2}{}{ (#2)}\\IfValueT{#2}{*}}"
    found = table(define + tabular("ll", "a & b \\\\ \\hline \\est{3} & \\est{3}[0.1]"))
    assert texts(found)[1] == ["3", "3 (0.1)*"]


def test_delimited_macros() -> None:
    """\\def with delimiters takes what stands between them."""
    assert texts(table("\\def\\ci#1:#2;{[#1, #2]}" + tabular("l", "a \\\\ \\hline \\ci 1.5:2.5;"))) == [
        ["a"],
        ["[1.5, 2.5]"],
    ]


def test_author_blocks_are_no_tables() -> None:
    """A tabular on the title page holds names."""
    names = "\\author{\\begin{tabular}{cc} A & B \\\\ 1 & 2 \\end{tabular}}"
    assert len(document(names + tabular("l", BODY.replace("&", "\\\\ \\hline", 1).split("\\\\ South")[0])).tables) <= 1
    assert document(names).tables == []


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("Field & Tons \\\\ North & 3 \\\\ South & 4", 1),
        ("& Tons \\\\ Field & dry \\\\ North & 3", 2),
        ("\\multicolumn{2}{c}{Yields} \\\\ \\hline Field & Tons \\\\ \\hline North & 3", 2),
        ("\\hline Field & \\multicolumn{1}{c}{Tons} \\\\ \\hline North & 3 \\\\ South & 4 \\\\ \\hline", 1),
        ("1 & 3 \\\\ 2 & 4", 0),
        ("Field & place \\\\ North & here", 0),
    ],
    ids=["no-rule", "two-rows", "title-above", "ruled", "all-numbers", "all-words"],
)
def test_headers(body: str, count: int) -> None:
    """Words above numbers are a header also without a rule, and a title above the header is not yet all of it."""
    assert sum(headers(document(tabular("lr", body)).tables[0])) == count


def test_numbers_that_head_columns() -> None:
    """A rule over all columns but that of the labels ends the header, numbers or not, where no label is above it."""
    found = table(
        tabular("rccc", "& & \\multicolumn{2}{c}{at least} \\\\ & n & 50 & 60 \\\\ \\cline{2-4} a & 10 & 0.5 & 0.4")
    )
    assert headers(found) == [True, True, False]
    assert found.column_labels() == ["", "n", "at least / 50", "at least / 60"]
    groups = "& n & A & B \\\\ x & 1 & 3 & 4 \\\\ & 2 & 5 & 6 \\\\ \\cline{2-4} y & 1 & 7 & 8"
    assert headers(table(tabular("rccc", groups))) == [True, False, False, False]


def test_names_over_several_columns_between_rules() -> None:
    """They belong to the header, where no label stands before them; a row that has one is a row."""
    top = "who & k & n & k & n \\\\ \\hline"
    names = "& \\multicolumn{2}{c|}{east} & \\multicolumn{2}{c|}{west} \\\\ \\hline a & 1 & 2 & 3 & 4"
    assert headers(table(tabular("lrrrr", f"{top} {names}"))) == [True, True, False]
    assert headers(table(tabular("lrrrr", f"{top} all {names}"))) == [True, False, False]


def test_notes_are_no_part_of_a_number() -> None:
    """Whatever sets their marks; a sign of a thousandth is."""
    notes = (
        "\\footref{note}",
        "\\footnotemark[1]",
        "\\fnref{n2}",
        "\\tnotex{t:1}",
        "\\tablefootmark{a}",
        "$^{\\ref{x}}$",
    )
    rows = " \\\\ ".join(f"r & 0.88{note}" for note in (*notes, "~\\cite{other}"))
    found = table(tabular("lr", f"a & b \\\\ \\hline {rows}"))
    read = [read_printed(row[1]) for row in texts(found)[1:]]
    assert [[str(float(part.value)) for part in one.parts] for one in read if one is not None] == [["0.88"]] * 7
    assert texts(table(tabular("lr", "a & b \\\\ \\hline c & 12\\textperthousand")))[1] == ["c", "12‰"]


def test_groups_of_columns_over_two_rules() -> None:
    """A rule under names that span columns does not end the header."""
    body = "\\hline & \\multicolumn{2}{c}{Tons} \\\\ \\hline Field & dry & wet \\\\ \\hline North & 3 & 4 \\\\ \\hline"
    assert table(tabular("lrr", body)).column_labels() == ["Field", "Tons / dry", "Tons / wet"]


def test_a_group_label_holds_for_blank_cells_below() -> None:
    """Printed once, it names the rows under it, up to the next rule."""
    body = (
        "Farm & Field & t \\\\ \\midrule A & x & 1 \\\\ & y & 2 \\\\ B & x & 3 \\\\ & y & 4 \\\\ \\midrule & all & 10"
    )
    found = table(tabular("llr", body))
    assert [found.row_label(row) for row in found.rows[1:]] == ["A / x", "A / y", "B / x", "B / y", "all"]
    assert texts(found)[2] == ["", "y", "2"], "the cell stays as printed"


def test_parts_of_a_float() -> None:
    """Tables side by side have their own captions and labels beside those of the float."""
    one, two = (tabular("lr", f"Field & Tons \\\\ \\midrule North & {number}") for number in (3, 4))
    parts = [
        f"\\begin{{subtable}}{{5cm}}{one}\\caption{{Dry}}\\label{{tab:dry}}\\end{{subtable}}"
        f"\\begin{{subtable}}{{5cm}}{two}\\caption{{Wet}}\\label{{tab:wet}}\\end{{subtable}}",
        f"\\subfloat[Dry\\label{{tab:dry}}]{{{one}}}\\subfloat[Wet\\label{{tab:wet}}]{{{two}}}",
        f"\\subcaptionbox{{Dry\\label{{tab:dry}}}}{{{one}}}\\subcaptionbox{{Wet\\label{{tab:wet}}}}{{{two}}}",
    ]
    for part in parts:
        found = document(f"\\begin{{table}}\\caption{{Yields.}}\\label{{tab:all}}{part}\\end{{table}}").tables
        assert [(one.label, one.caption) for one in found] == [("tab:dry", "Yields. Dry"), ("tab:wet", "Yields. Wet")]


def test_tables_that_share_a_label() -> None:
    """Both are kept and can be addressed; captions stay with the records."""
    both = tabular("lr", "Field & Tons \\\\ \\midrule North & 3") * 2
    text = f"\\begin{{table}}\\caption{{Yields.}}\\label{{tab:y}}{both}\\end{{table}}"
    reported = read_reported(text, "paper.tex", lambda _name: None)
    assert [record["label"] for record in reported.records] == ["tab:y", "tab:y#2"]
    assert [record["caption"] for record in reported.records] == ["Yields.", "Yields."]
    assert "a second table labelled tab:y" in reported.problems[0].message


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{NiceTabular}{lrr}[hvlines]\\CodeBefore \\rowcolor{gray!15}{1} \\cellcolor{red}{2-2,3-3} \\Body "
        f"{BODY} \\CodeAfter \\tikz \\draw (1-1) -- (2-2); \\end{{NiceTabular}}",
        "\\tablecaption{Yields, dry\\label{tab:y}}\\tablefirsthead{\\hline Field & Tons & Loss \\\\ \\hline}"
        "\\tablehead{\\multicolumn{3}{l}{Goes on}\\\\}\\tabletail{\\hline}\\tablelasttail{\\hline}"
        "\\begin{supertabular}{lrr} North & 3.2 & 1 \\\\ South & 4.5 & 0 \\\\ \\end{supertabular}",
        "\\begin{deluxetable}{lDr}\\tablehead{\\colhead{Field} & \\multicolumn2c{Tons} & \\dcolhead{Loss}}"
        "\\decimalcolnumbers\\startdata North & 3.2 & 1 \\\\ South & 4.5 & 0 \\enddata\\end{deluxetable}",
        "\\NewDocumentEnvironment{yields}{O{lrr} +m}{\\begin{tabular}{#1} Field & #2 & Loss \\\\ \\midrule}"
        "{\\end{tabular}}\\begin{yields}{Tons} North & 3.2 & 1 \\\\ South & 4.5 & 0 \\\\ \\end{yields}",
        f"\\begin{{tabular}}{{lrr}}\\topline {BODY.replace('midrule', 'colrule')} \\botrule\\end{{tabular}}",
    ],
    ids=["nice-code", "super-head", "deluxe-decimal", "own-environment", "rules"],
)
def test_more_tables_of_other_packages(text: str) -> None:
    """What is drawn around rows is none of them, and what is set before a table is its head."""
    found = table(text)
    assert texts(found) == READ
    assert headers(found) == [True, False, False]
    assert ("tab:y" in text) == (found.label == "tab:y")


@pytest.mark.parametrize(
    ("columns", "row", "printed"),
    [
        ("r@{~[}c@{,~}c@{]}", "0.5 & 0.4 & 0.6", "0.5 [0.4, 0.6]"),
        ("r@{ (}r@{ of }r@{)}", "50\\% & 3 & 6", "50% (3 of 6)"),
    ],
)
def test_a_number_over_three_columns(columns: str, row: str, printed: str) -> None:
    """An estimate, and the ends of its interval in columns of their own, are one cell, as they are printed."""
    found = table(tabular(f"l{columns}", f"Field & \\multicolumn{{3}}{{c}}{{Loss}} \\\\ \\midrule North & {row} \\\\"))
    assert texts(found) == [["Field", "Loss"], ["North", printed]]


def test_arguments_between_other_brackets() -> None:
    """xparse knows arguments in round brackets, tokens that may stand there, and steps before their use."""
    macros = (
        "\\NewDocumentCommand{\\span}{r() m}{#1--#2}\\NewDocumentCommand{\\of}{m D(){9}}{#1/#2}"
        "\\NewDocumentCommand{\\sign}{t+ >{\\SplitArgument{1}{,}} m d()}"
        "{\\IfBooleanTF{#1}{+}{-}#2\\IfValueT{#3}{ (#3)}}"
    )
    assert cell_text(f"{macros}\\span(1){{2}}") == "1–2"
    assert [cell_text(f"{macros}\\of{{5}}{given}") for given in ("", "(6)")] == ["5/9", "5/6"]
    assert [cell_text(f"{macros}\\sign{given}") for given in ("+{7}", "{8}(9)")] == ["+7", "-8 (9)"]


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ("\\multirowcell{1}[2pt][l]{3.5}", "3.5"),
        ("\\diagbox{Field}{Year}", "Field / Year"),
        ("\\texorpdfstring{$\\alpha$}{alpha}", "α"),
        ("\\numprint{12.5}", "12.5"),
        ("\\DeclareSIUnit\\ear{ears}\\SI{5}{\\ear}", "5 ears"),
        ("12~345", "12\u2009345"),
        ("5~ha", "5 ha"),
        ("$1 . 5$", "1.5"),
        ("\\added{7}\\deleted{8}\\replaced{9}{6}", "79"),
    ],
)
def test_commands_of_packages(content: str, printed: str) -> None:
    """What they print, and nothing that they only need."""
    assert cell_text(content) == printed


def test_tables_side_by_side_over_their_names() -> None:
    """A tabular that sets tables side by side, with words below, is none; one with a number beside is refused."""
    inner = f"\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}"
    found = document(tabular("cc", f"{inner} & {inner} \\\\ (a) Dry & (b) Wet"))
    assert [texts(one) for one in found.tables] == [READ, READ]
    assert document(tabular("cc", f"{inner} & 3.5")).tables == []


def test_authors_in_a_tabular_of_their_own() -> None:
    """Names with addresses below, and no header, are no table."""
    text = tabular("cc", "A. Miller & B. Farmer \\\\ University 1 & Lab 2 \\\\ \\texttt{a@fields.org} & b@mill.org")
    assert document(text) == document("")


def test_a_table_scaled_to_a_part_of_the_line_is_seen() -> None:
    """0.9 of a line is no 0.9 points, and what is commented out scales nothing; less than a hundredth hides."""
    for scale, warned in (("0.9\\textwidth", False), ("0.005\\textwidth", True)):
        for comment in ("", "%"):
            inner = (
                f"{comment}\\resizebox{{{scale}}}{{!}}{{%\n\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}\n{comment}}}"
            )
            found = document(f"\\begin{{table}}\n{inner}\n\\end{{table}}")
            assert bool(found.problems) == (warned and not comment)


@pytest.mark.parametrize(
    "text",
    [
        f"\\begin{{table}}\\begin{{minipage}}{{5cm}}\\caption{{Dry}}\\label{{tab:y}}\\end{{minipage}}"
        f"\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}\\end{{table}}",
        f"\\begin{{margintable}}\\caption{{Dry}}\\label{{tab:y}}\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}\\end{{margintable}}",
        f"\\begin{{SCtable}}[2][t]\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}\\caption{{Dry}}\\label{{tab:y}}\\end{{SCtable}}",
        f"\\begin{{table}}\\tbl{{Dry\\label{{tab:y}}}}{{\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}}}\\end{{table}}",
        f"\\begin{{table}}\\caption{{Dry}}\\label{{tab:y}}\\tabular{{lrr}}{BODY}\\endtabular\\end{{table}}",
        f"\\begin{{table}}\\caption{{Dry}}\\label{{tab:y}}$\\begin{{array}}{{lrr}}{BODY}\\end{{array}}$\\end{{table}}",
    ],
    ids=["minipage", "margin", "side-caption", "tbl", "plain", "array"],
)
def test_floats_of_classes_and_their_captions(text: str) -> None:
    """A caption in a box of its own, and floats that a class defines: each table has its own, whatever is around."""
    other = f"\\begin{{table}}\\begin{{tabular}}{{lrr}}{BODY}\\end{{tabular}}\\end{{table}}"
    preamble = "\\patchcmd\\longtable{\\par}{\\mbox{}\\par}{}{}\\patchcmd\\tabular{x}{y}{}{}"
    found = document(f"{preamble}\n\\begin{{document}}{other}\n{text}\n{other}\\end{{document}}")
    assert [texts(one) for one in found.tables] == [READ] * 3
    assert [(one.label, one.caption) for one in found.tables] == [(None, ""), ("tab:y", "Dry"), (None, "")]
    assert found.problems == []


@pytest.mark.parametrize(
    ("macros", "call"),
    [
        ("\\expandafter\\def\\csname yield-1\\endcsname{3.25}", "\\csname yield-1\\endcsname"),
        ("\\expandafter\\newcommand\\csname yield:a\\endcsname{3.25}", "\\csuse{yield:a}"),
        ("\\makeatletter\\@namedef{yield@1}{3.25}\\def\\get#1{\\@nameuse{yield@#1}}\\makeatother", "\\get{1}"),
        ("\\def\\field{a}\\csdef{yield.a}{3.25}\\newcommand\\get[1]{\\csname yield.#1\\endcsname}", "\\get{\\field}"),
    ],
)
def test_macros_that_are_called_by_their_names(macros: str, call: str) -> None:
    """Numbers that a script wrote as macros, with names that only \\csname can spell."""
    assert cell_text(f"{macros}{call}") == "3.25"
