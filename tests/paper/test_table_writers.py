"""Tables as statistical software writes them: every number under its name, as LaTeX prints it."""

from __future__ import annotations

from paper.reading import document, headers, table, tabular, texts
from sealtrace.paper.extracted import ExtractedTable
from sealtrace.paper.reported import read_reported

ERRORS = """
            &\\multicolumn{1}{c}{(1)}&\\multicolumn{1}{c}{(2)}\\\\
            &\\multicolumn{1}{c}{Yield}&\\multicolumn{1}{c}{Loss}\\\\
\\midrule
Rain        &       0.132\\sym{***}&      -0.045\\sym{*}  \\\\
            &     (0.021)         &     (0.024)         \\\\
            &      [6.29]         &     [-1.88]         \\\\
Constant    &       1.500\\sym{***}&       2.250         \\\\
            &     (0.100)         &     (0.200)         \\\\
"""
READ = [
    ["", "(1)", "(2)"],
    ["", "Yield", "Loss"],
    ["Rain", "0.132***", "-0.045*"],
    ["", "(0.021)", "(0.024)"],
    ["", "[6.29]", "[-1.88]"],
    ["Constant", "1.500***", "2.250"],
    ["", "(0.100)", "(0.200)"],
]
LABELS = ["Rain", "Rain (2)", "Rain (3)", "Constant", "Constant (2)"]


def labels(found: ExtractedTable) -> list[str]:
    """Labels of the rows that are no header."""
    return [found.row_label(row) for row in found.rows if not row.header]


def test_errors_below_estimates_belong_to_them() -> None:
    """Stata's esttab asks whether it sets mathematics, and writes errors below their row: they have its name."""
    macro = "\\def\\sym#1{\\ifmmode^{#1}\\else\\(^{#1}\\)\\fi}\n"
    found = table(macro + tabular("l*{2}{c}", ERRORS))
    assert texts(found) == READ
    assert headers(found) == [True] * 2 + [False] * 5
    assert labels(found) == LABELS


def test_ranges_that_name_rows_are_no_errors() -> None:
    """A bracket below a bracket in the first column is another name."""
    rows = "$[3.0,5.0]$ & 0.7257 \\\\ $[2.8,5.2]$ & 0.6891 \\\\ $[2.0,6.0]$ & 0.6049 \\\\"
    found = table(tabular("lr", f"Range & Bound \\\\ \\midrule {rows}"))
    assert labels(found) == ["[3.0,5.0]", "[2.8,5.2]", "[2.0,6.0]"]


def test_a_fragment_that_a_wrapper_puts_into_a_tabular() -> None:
    """The rows lie in a file without a tabular, which a macro of the document builds around them."""
    text = """
\\let\\estinput=\\input
\\newcommand{\\sym}[1]{\\rlap{#1}}
\\newcommand{\\estauto}[3]{\\vspace{.75ex}{\\begin{tabular}{l*{#2}{#3}}\\toprule\\estinput{#1}\\bottomrule\\end{tabular}}}
\\begin{table}\\caption{Fields}\\label{tab:f}\\estauto{fields}{2}{S[table-format=1.3]}\\caption*{Dry years left out.}
\\end{table}
"""
    found = table(text, {"fields.tex": ERRORS})
    assert (found.label, found.caption) == ("tab:f", "Fields")
    assert texts(found) == READ
    assert labels(found) == LABELS


def test_groups_tell_rows_of_one_name_apart() -> None:
    """kableExtra sets a group's title over its rows, others indent them: the group's name, not a number, tells."""
    titled = (
        "\\multicolumn{3}{l}{\\textbf{North}}\\\\ \\hspace{1em}Wheat & 1.5 & 2 \\\\ \\hspace{1em}Rye & 2.5 & 3 \\\\"
    )
    other = "South \\\\ Wheat & 3.5 & 4 \\\\ Oats & 4.5 & 5 \\\\"
    counted = "Hills & 9.5 & 9 \\\\ \\quad Wheat & 5.5 & 6 \\\\ \\quad Rye & 6.5 & 7 \\\\"
    found = document(tabular("lrr", f"Crop & Tons & Loss \\\\ \\midrule {titled}{other}{counted}")).tables[0]
    assert labels(found) == [
        *("North", "North / Wheat", "North / Rye", "South", "South / Wheat", "Oats"),
        *("Hills", "Hills / Wheat", "Hills / Rye"),
    ]


def test_a_column_that_no_row_has() -> None:
    """A specification with a letter too many prints nothing more, and is no reason for a warning."""
    found = table(tabular("lrrr", "Crop & Tons & Loss \\\\ \\midrule Wheat & 1.5 & 2 \\\\ Rye & 2.5 & 3 \\\\"))
    assert texts(found) == [["Crop", "Tons", "Loss"], ["Wheat", "1.5", "2"], ["Rye", "2.5", "3"]]


def test_what_siunitx_takes_for_a_number() -> None:
    """Its comma is a point, and spaces part nothing; words and braces stay as they are."""
    head = "{Crop, kind} & {Tons, dry} & Loss \\\\ \\midrule "
    body = head + "Rye & 12,345 & \\num{1,5 +- 0,2} \\\\ Oats & 1 234.5 & 3,5 \\\\"
    found = document(tabular("lS[table-format=2.3]l", body)).tables[0]
    assert texts(found)[1:] == [["Rye", "12.345", "1.5+-0.2"], ["Oats", "1234.5", "3,5"]]
    assert texts(found)[0] == ["Crop, kind", "Tons, dry", "Loss"]
    rounded = document(tabular("lS[round-mode=places]", "Crop & {Tons} \\\\ \\midrule Rye & 1.26 \\\\"))
    assert "S[round-mode] hides or changes" in rounded.problems[0].message


def test_decimal_commas() -> None:
    """Where the tables have them, 12,345 is twelve and a bit, also in the text; pairs in brackets are no sign."""
    head = "Crop & Tons & Loss \\\\ \\midrule "
    rows = "Rye & 12,345 & 62,5 \\\\ Oats & 1.234,50 & 0,132 \\\\ Wheat & $-3{,}4$ & (0,2) \\\\"
    text = f"Rye gives 12,345 tons, of 1.500 in 2, 3 fields.\n\n{tabular('lrr', head + rows)}"
    found = read_reported(text, "paper.tex", lambda _name: None)
    assert [problem.message.split(":")[0] for problem in found.problems] == ["numbers are printed with a decimal ','"]
    assert [list(row.texts) for row in found.tables[0].rows] == [
        ["Rye", "12.345", "62.5"],
        ["Oats", "1234.50", "0.132"],
        ["Wheat", "-3.4", "(0.2)"],
    ]
    assert found.prose[0].text == "Rye gives 12.345 tons, of 1500 in 2, 3 fields."
    pairs = "Rye & [1,20] & 1,234 \\\\ Oats & [1,10] & 0.5 \\\\ Wheat & (2,5) & 12,345 \\\\"
    assert read_reported(tabular("lrr", head + pairs), "paper.tex", lambda _name: None).problems == ()


def test_decimal_middle_dots() -> None:
    """Some journals raise the decimal point; a product with a power of ten has such a dot as well."""
    head = "Crop & Tons & Loss \\\\ \\midrule "
    rows = "Rye & 1·17 & 0·64–1·06 \\\\ Oats & 4·5 & 12 \\\\ Wheat & 2·10$^5$ & 3·2 \\\\"
    found = read_reported(tabular("lrr", head + rows), "paper.tex", lambda _name: None)
    assert [list(row.texts) for row in found.tables[0].rows] == [
        ["Rye", "1.17", "0.64–1.06"],
        ["Oats", "4.5", "12"],
        ["Wheat", "2.10^5", "3.2"],
    ]
    products = "Rye & $3\\cdot10^4$ & 0.5 \\\\ Oats & $2\\cdot10^{5}$ & 0.6 \\\\ Wheat & $4\\cdot10^{6}$ & 0.7 \\\\"
    assert read_reported(tabular("lrr", head + products), "paper.tex", lambda _name: None).problems == ()


def test_answers_between_rules_are_no_header() -> None:
    """fixest sets its fixed effects, yes or no, between rules: the models below keep the header of the first."""
    effects = "\\midrule \\emph{Effects} & & \\\\ Farm & Yes & Yes \\\\ Year & Yes & No \\\\ "
    text = tabular(
        "lcc",
        "Model: & (1) & (2) \\\\ \\midrule Rain & 0.5 & 0.6 \\\\ & (0.1) & (0.2) \\\\ "
        f"{effects} \\midrule Fields & 1,000 & 990 \\\\ "
        "\\midrule Sown & late & late \\\\ \\midrule Farms & 10 & 9 \\\\ \\bottomrule",
    )
    found = table(text)
    assert found.panels == 1
    assert found.column_labels() == ["Model:", "(1)", "(2)"]
    assert labels(found) == ["Rain", "Rain (2)", "Effects", "Farm", "Year", "Fields", "Sown", "Farms"]


def test_numbers_that_name_rows_hold_for_blank_cells() -> None:
    """A number that is printed once, before words, names the rows below it as a word would."""
    rows = "5 & 50 & OLS & 0.1 \\\\ & & FE & 0.2 \\\\ & 100 & OLS & 0.3 \\\\ & & FE & 0.4 \\\\"
    found = table(tabular(">{\\hsize=0.5\\hsize}Xrlr", f"T & N & By & Bias \\\\ \\midrule {rows}"))
    assert labels(found) == ["5 / 50 / OLS", "5 / 50 / FE", "5 / 100 / OLS", "5 / 100 / FE"]


def test_words_beyond_the_last_column() -> None:
    """A note with a cell too many begins a row, as TeX does it; a number there is in no column, and refused."""
    head = "Crop & Tons \\\\ \\midrule Rye & 1.5 \\\\ "
    found = document(tabular("lr", f"{head} Note: & dry & and wet"))
    assert texts(found.tables[0])[2:] == [["Note:", "dry"], ["and wet", ""]]
    assert "a row of its own" in found.problems[0].message
    assert texts(document(tabular("lr", f"{head} Oats & 2.5 & \\\\")).tables[0])[2:] == [["Oats", "2.5"]]
    assert document(tabular("lr", f"{head} Oats & 2.5 & 3.5")).tables == []


def test_a_longtable_whose_head_ends_its_row() -> None:
    """kableExtra scales by a question of widths, and ends the foot with a blank; \\endhead alone ends a row."""
    body = (
        "Crop & Tons \\endfirsthead Crop & Tons \\\\ \\midrule \\endhead \\ \n\\endfoot \\bottomrule \\endlastfoot "
        "& 1.5 \\\\ \\multirow{-2}{*}{Rye} & 2.5 \\\\*"
    )
    scale = "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}"
    found = table(f"{scale}{{\\begin{{longtable}}{{lr}}{body}\\end{{longtable}}}}")
    assert texts(found) == [["Crop", "Tons"], ["Rye", "1.5"], ["·", "2.5"]]
    assert headers(found) == [True, False, False]
