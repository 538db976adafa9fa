"""What of a LaTeX document may change what it prints, and is not followed, is a doubt; the rest is none."""

from __future__ import annotations

import pytest

from sealtrace.paper.extracted import ReadingProblem
from sealtrace.paper.latex import read_document


def doubts(
    preamble: str, cell: str = "0.63", columns: str = "lr", files: dict[str, str] | None = None, begin: str = "tabular"
) -> list[ReadingProblem]:
    """What is doubted of a small paper."""
    text = (
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n\\begin{{table}}\\caption{{Scores.}}\n"
        f"\\begin{{{begin}}}{{{columns}}}\nSystem & Score \\\\ \\hline\nours & {cell} \\\\\n\\end{{{begin}}}\n"
        "\\end{table}\n\\end{document}\n"
    )
    return [one for one in read_document(text, "paper.tex", (files or {}).get).problems if not one.certain]


TRICKS = {
    "edef": ({"preamble": r"\def\a{0.58}\edef\b{\a}\def\a{0.63}", "cell": r"\b"}),
    "patchcmd": ({"preamble": r"\usepackage{etoolbox}\patchcmd{\tabular}{x}{y}{}{}"}),
    "a hook of an environment": ({"preamble": r"\AtBeginEnvironment{tabular}{\renewcommand\ours{x}}"}),
    "catcode": ({"preamble": "\\catcode`3=13 \\def3{8}"}),
    "active letter": ({"preamble": "\\begingroup\\lccode`~=`3\\lowercase{\\endgroup\\def~}{8}"}),
    "mathcode": ({"preamble": "\\mathcode`3=`8", "cell": "$0.63$"}),
    "lowercase": ({"preamble": "", "cell": r"\lowercase{0.63}"}),
    "a sign by two carets": ({"preamble": "", "cell": "0.6^^38"}),
    "an alphabet without digits": ({"preamble": "", "cell": r"$\mathcal{0.63}$"}),
    "uppercase": ({"preamble": "", "cell": r"\uppercase{0.63}"}),
    "ifmmode": ({"preamble": r"\newcommand\x{\ifmmode 0.63\else 0.58\fi}", "cell": r"\x"}),
    "ifdim": ({"preamble": "", "cell": r"\ifdim\width>1pt 0.58\else 0.63\fi"}),
    "a dimension that is known": ({"preamble": "", "cell": r"\ifdim 1pt>2pt 0.58\else 0.63\fi"}),
    "a file that may be there": ({"preamble": "", "cell": r"\IfFileExists{article.cls}{0.58}{0.63}"}),
    "a style beside it": (
        {"preamble": r"\usepackage{ours}", "files": {"ours.sty": r"\let\old\tabular \def\tabular{\old}"}}
    ),
    "a style with everypar": ({"preamble": r"\usepackage{ours}", "files": {"ours.sty": r"\everymath{9}"}}),
    "a style that nobody knows": ({"preamble": r"\usepackage{our-own-numbers}"}),
    "a known style that is another": (
        {"preamble": r"\usepackage{booktabs}", "files": {"booktabs.sty": r"\def\@tabacol{9}"}}
    ),
    "a class beside it": ({"preamble": "", "files": {"article.cls": r"\def\@arstrut{9}"}}),
    "siunitx rounds": ({"preamble": r"\sisetup{round-mode=places,round-precision=1}", "cell": r"\num{0.63}"}),
    "siunitx drops digits": ({"preamble": r"\sisetup{input-ignore={3}}", "cell": r"\num{0.63}"}),
    "siunitx parts by a point": ({"preamble": r"\sisetup{group-separator={.}}", "cell": r"\num{1063}"}),
    "siunitx by an option": ({"preamble": r"\usepackage[round-mode=places]{siunitx}", "cell": r"\num{0.63}"}),
    "siunitx in a column": ({"preamble": "", "columns": "lS[fixed-exponent=1]"}),
    "dcolumn": ({"preamble": "", "columns": "lD{.}{9}{2}"}),
    "tabularray commands": ({"preamble": "", "columns": r"colspec={lr},cell{2}{2}={cmd=\hide}", "begin": "tblr"}),
    "tabularray in white": ({"preamble": "", "columns": "colspec={lr},cell{2}{2}={fg=white}", "begin": "tblr"}),
    "noalign": ({"preamble": "", "cell": r"0.63 \\ \noalign{\hbox{ours 0.58}} & "}),
    "halign": ({"preamble": r"\newcommand\x{\halign{##\cr 0.58\cr}}", "cell": r"\x"}),
    "filecontents": ({"preamble": "\\begin{filecontents}{x.tex}\n0.58\n\\end{filecontents}"}),
    "a comment that names a file": (
        {"preamble": "%% file: main.tex\n\\input{x}\n%% file: x.tex\n\\newcommand\\x{1}\n%% file: main2.tex"}
    ),
    "includeonly": ({"preamble": r"\includeonly{other}"}),
    "ignorespaces": ({"preamble": r"\def\ignorespaces#1{}"}),
    "an environment that is not printed": ({"preamble": r"\newenvironment{comment}{}{}"}),
    "tabular by another name": ({"preamble": r"\newtheorem{tabular}{x}"}),
    "end of a tabular": ({"preamble": r"\let\endtabular\relax"}),
    "a box as a column": ({"preamble": "", "columns": r"l>{\setbox0=\hbox\bgroup}r<{\egroup}"}),
    "scantokens": ({"preamble": "", "cell": r"\scantokens{0.63}"}),
    "a letter of a font": ({"preamble": r"\font\x=cmsy10", "cell": r"\x 0.63"}),
    "macros of another language": ({"preamble": r"\directlua{tex.print(1)}"}),
    "expl3": ({"preamble": r"\ExplSyntaxOn"}),
    "collected cells": ({"preamble": "", "columns": r"l>{\collectcell\x}r<{\endcollectcell}"}),
    "a digit over another": ({"preamble": "", "cell": r"0.63\llap{8}"}),
    "a box without width": ({"preamble": "", "cell": r"0.6\makebox[0pt]{3}8"}),
    "mathematics without width": ({"preamble": r"\usepackage{mathtools}", "cell": r"$0.63\mathllap{8}$"}),
    "a box that cuts": ({"preamble": r"\usepackage{adjustbox}", "cell": r"\adjustbox{trim=0 0 5pt 0,clip}{0.63}"}),
    "a table that is cut": ({"preamble": r"\begin{adjustbox}{clip,trim=0 0 9pt 0}x\end{adjustbox}"}),
    "type that is not drawn": ({"preamble": "", "cell": r"\textpdfrender{TextRenderingMode=Invisible}{0.63}"}),
    "a font beside the document": ({"preamble": r"\usepackage{fontspec}\setmainfont{ours.ttf}"}),
    "a font with a mapping": ({"preamble": r"\usepackage{fontspec}\setmainfont[Mapping=ours]{Latin Modern}"}),
    "a caption of its own": ({"preamble": r"\renewcommand{\caption}[1]{Other}"}),
    "text laid over the page": ({"preamble": r"\usepackage{eso-pic}\AddToShipoutPicture{\put(9,9){0.58}}"}),
    "text at a place": ({"preamble": r"\usepackage{textpos}\begin{textblock}{1}(3,3)0.58\end{textblock}"}),
    "a command that the shell obeys": ({"preamble": r"\immediate\write18{x}"}),
    "a file that is written": ({"preamble": r"\newwrite\f\immediate\openout\f=x.tex\immediate\write\f{0.58}"}),
    "a sign by its number": ({"preamble": "", "cell": r"0.6\char56"}),
    "a body that is dropped": ({"preamble": r"\usepackage{environ}\NewEnviron{x}{}", "cell": r"0.6\begin{x}3\end{x}8"}),
    "a definition called by its name": (
        {"preamble": r"\newcommand\x{\catcode`3=13}", "cell": r"\csname x\endcsname 0.63"}
    ),
    "a definition called through another": (
        {"preamble": r"\newcommand\y{\x}\newcommand\x{\mathcode`3=`8}", "cell": r"\y $0.63$"}
    ),
    "a definition called by an environment": (
        {"preamble": r"\newenvironment{x}{\everymath{8}}{}", "cell": r"\begin{x}$0.63$\end{x}"}
    ),
    "a name that is put together": (
        {"preamble": r"\newcommand\ab{\everymath{8}}\newcommand\x[1]{\csname a#1\endcsname}", "cell": r"\x{b}$0.63$"}
    ),
    "new only where nothing is read": (
        {"preamble": r"\makeatletter\iffalse\newcommand{\@arstrut}{}\fi\renewcommand{\@arstrut}{9}"}
    ),
    "an environment that nobody knows": ({"preamble": "", "cell": r"\begin{hidden}0.63\end{hidden}"}),
    "a tie that prints": ({"preamble": r"\def~{8}", "cell": "0.6~3"}),
    "def by another name": ({"preamble": r"\let\x\def \x\textbf#1{0.58}", "cell": r"\textbf{0.63}"}),
    "a function named like a font": (
        {"preamble": r"\usepackage{algorithm2e}\SetKwFunction{textbf}{0.58}", "cell": r"\textbf{0.63}"}
    ),
    "a digit that begins verbatim": ({"preamble": r"\usepackage{fancyvrb}\DefineShortVerb{\3}"}),
    "a family of signs": ({"preamble": r"\fontfamily{pzd}\selectfont"}),
    "a family of signs by default": ({"preamble": r"\renewcommand{\rmdefault}{pzd}"}),
    "digits of mathematics from another font": (
        {"preamble": r"\SetSymbolFont{operators}{normal}{U}{psy}{m}{n}", "cell": "$0.63$"}
    ),
    "a command hidden by a letter's number": ({"preamble": "\\cat^^63ode`3=13"}),
    "another command in its place": ({"preamble": r"\LetLtxMacro\textbf\phantom", "cell": r"\textbf{0.63}"}),
    "another command by its name": ({"preamble": r"\cslet{textbf}\phantom", "cell": r"\textbf{0.63}"}),
    "a name made of an argument": (
        {"preamble": r"\newcommand\x[1]{\expandafter\pretocmd\csname #1\endcsname{0.58}{}{}}\x{tabular}"}
    ),
    "a part of a name made of an argument": (
        {
            "preamble": r"\newcommand\x[1]{\expandafter\def\csname text#1\endcsname##1{0.58}}\x{bf}",
            "cell": r"\textbf{0.63}",
        }
    ),
    "a hook of a command": ({"preamble": r"\AddToHook{cmd/textbf/before}{9}", "cell": r"\textbf{0.63}"}),
    "a digit of mathematics": ({"preamble": r"\DeclareMathSymbol{3}{\mathord}{letters}{56}", "cell": "$0.63$"}),
    "a strut that prints": ({"preamble": r"\makeatletter\g@addto@macro\@arstrut{8}"}),
    "a rule of a package that prints": ({"preamble": r"\makeatletter\def\@BTnormal{\noalign{8}}"}),
    "text between rows behind a length": ({"preamble": "", "cell": r"0.63 \\ \noalign{\vskip 2pt 99} & "}),
    "a style that redefines what a cell calls": (
        {"preamble": r"\def\x{0.63}\usepackage{ours}", "cell": r"\x", "files": {"ours.sty": r"\renewcommand\x{0.58}"}}
    ),
    "a style that does so when the title is set": (
        {
            "preamble": r"\usepackage{ours}\def\x{0.63}",
            "cell": r"\x",
            "files": {"ours.sty": r"\def\maketitle{\gdef\x{0.58}}"},
        }
    ),
    "a style that does so in an environment": (
        {
            "preamble": r"\usepackage{ours}\def\x{0.63}",
            "cell": r"\x",
            "files": {"ours.sty": r"\newenvironment{ack}{\gdef\x{0.58}}{}"},
        }
    ),
    "a style with another bold": (
        {
            "preamble": r"\usepackage{ours}",
            "cell": r"\textbf{0.63}",
            "files": {"ours.sty": r"\renewcommand{\textbf}[1]{0.58}"},
        }
    ),
    "a style with another sign": (
        {"preamble": r"\usepackage{ours}", "cell": r"$6\pm 3$", "files": {"ours.sty": r"\def\pm{\times}"}}
    ),
    "a definition that hangs on a file, called later": (
        {
            "preamble": r"\newcommand\x{0.63}\newcommand\y{}\IfFileExists{z}{\renewcommand\y{\gdef\x{0.58}}}{}\y",
            "cell": r"\x",
        }
    ),
    "the second condition of a name": (
        {"preamble": r"\def\x{0.63}\ifnum\time=1 a\fi\ifnum\time=1 \def\x{0.58}\fi", "cell": r"\x"}
    ),
    "a name that is handed on": (
        {
            "preamble": r"\newcommand\y[1]{\expandafter\pretocmd\csname tab#1\endcsname{0.58}{}{}}"
            r"\newcommand\x[1]{\y{u#1}}\x{lar}",
        }
    ),
    "what a file for one cell does": ({"preamble": "", "cell": r"\input{x}", "files": {"x.tex": r"\weird 0.63"}}),
    "a style that is called in a cell": (
        {"preamble": r"\usepackage{ours}", "cell": r"\ours", "files": {"ours.sty": r"\newcommand\ours{\number 3}"}}
    ),
}


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_what_may_change_the_print_is_doubted(trick: dict[str, object]) -> None:
    assert doubts(**trick)  # type: ignore[arg-type]


HARMLESS = {
    "files and lengths of every TeX": r"\input{glyphtounicode}\lefthyphenmin=3 \rightleftarrows\Needspace{3cm}",
    "packages and lengths": r"\usepackage{booktabs}\setlength{\tabcolsep}{4pt}\renewcommand{\arraystretch}{1.1}",
    "own commands": r"\newcommand{\ours}[1]{\textbf{#1}}\def\eg{e.g.}\let\x\eg\edef\y{12}",
    "siunitx that aligns": r"\sisetup{table-format=1.2, detect-all, group-separator={,}, output-decimal-marker={.}}",
    "mathematics in both": r"\newcommand{\sq}{\ifmmode m^2\else $m^2$\fi}",
    "at the beginning": r"\AtBeginDocument{\providecommand\BibTeX{Bib\TeX}}",
    "a file with layout": r"\IfFileExists{microtype.sty}{\usepackage{microtype}}{\setlength{\parskip}{2pt}}",
    "titles": r"\makeatletter\renewcommand{\@makefnmark}{}\def\@maketitle{x}\makeatother",
    "what nothing calls": r"\newcommand\unused{\catcode`3=13}\newenvironment{notused}{\everymath{8}}{}",
    "own names with a sign": r"\makeatletter\newcommand{\@own}{}\renewcommand{\@own}{x}\makeatother",
    "an engine": r"\ifpdftex\usepackage[T1]{fontenc}\fi",
    "a sign by its name": r"\newcommand\x{\texttt{\char`\~}}\section{\x}",
    "a wide table": r"\usepackage{adjustbox}\newenvironment{wide}{\adjustbox{max width=\textwidth}}{\endadjustbox}",
    "theorems of a class": r"\newcommand\p{x}\begin{Proposition}It holds by \p.\end{Proposition}",
    "a picture that may be there": r"\newcommand\pic[1]{\IfFileExists{#1}{\includegraphics{#1}}{not there}}\pic{x}",
    "references": "\\begin{filecontents}{x.bib}\n@a{b}\n\\end{filecontents}",
    "commands that nobody knows, outside tables": r"\cormark[1]\credit{Data}\titlecontents{section}[1em]{\bfseries}",
    "classes that set other things": r"\makeatletter\def\@shortjnl{x}\@mparswitchtrue\setbox\@tempboxa\hbox{x}",
    "a patch of another environment": r"\usepackage{etoolbox}\newcommand\p[1]{\expandafter\pretocmd\csname #1\endcsname"
    r"{\linenomath}{}{}}\p{equation}\apptocmd{\thebibliography}{\small}{}{}",
    "codes of signs that no number has": "\\catcode`\\@=11 \\catcode`\\^^M=13 \\catcode`\\:=12",
    "a thick rule": r"\newlength\w\newcommand\thickhline{\noalign{\global\w\arrayrulewidth"
    r"\global\arrayrulewidth 2pt}\hline\noalign{\global\arrayrulewidth\w}}",
    "a condition around words": r"\newcommand\x{\ifnum\time=1 one\else two\fi}\x",
    "a name that is handed on to what no table calls": r"\newcommand\y[1]{\expandafter\let\csname old#1\expandafter"
    r"\endcsname\csname #1\endcsname}\newcommand\x[1]{\y{#1}\y{#1*}}\x{equation}",
    "a body that is dropped, and holds no table": r"\usepackage{environ}\NewEnviron{x}{}\begin{x}3\end{x}",
    "counts and lengths of LaTeX": r"\makeatletter\advance\@listdepth\@ne \@tempdima\z@\makeatother",
    "a drawing": r"\newcommand\d{\begin{tikzpicture}\foreach \q/\r in {1/2} {\draw (\q,\r);}\end{tikzpicture}}",
    "what converters write": "\\makeatletter\n\\def\\maxwidth{\\ifdim\\Gin@nat@width>\\linewidth\\linewidth\n"
    "\\else\\Gin@nat@width\\fi} % scaled\n\\makeatother",
}


@pytest.mark.parametrize("preamble", HARMLESS.values(), ids=HARMLESS)
def test_what_papers_do_everyday_is_not(preamble: str) -> None:
    assert doubts(preamble) == []


def test_a_class_may_set_authors_and_sizes_as_it_likes() -> None:
    """Tables of its own, such as those of a title page, are none of the paper's."""
    own = r"\def\@maketitle{\begin{tabular}{c}\@author\romannumeral\@tempcnta\end{tabular}}\def\maketitle{\@maketitle}"
    sizes = r"\renewcommand{\small}{\@setfontsize\small{9}{10}\abovedisplayskip 6\p@}"
    assert doubts(r"\usepackage{ours}\maketitle", r"\small 0.63", files={"ours.sty": own + sizes}) == []


def test_a_style_may_define_floats_with_other_distances() -> None:
    plain = r"\renewenvironment{table}{\setlength{\abovecaptionskip}{2pt}\@float{table}}{\end@float}"
    assert doubts(r"\usepackage{ours}", files={"ours.sty": plain}) == []
    assert doubts(r"\usepackage{ours}", files={"ours.sty": plain.replace("{2pt}", "{2pt}0.58")}) != []


def test_a_doubt_stands_on_its_line() -> None:
    (doubt,) = doubts("\\usepackage{booktabs}\n\\catcode`3=13")
    assert (doubt.line, doubt.severity) == (3, "note")


def read(preamble: str, cell: str) -> str:
    """What the cell of a small paper is read as."""
    text = f"{preamble}\\begin{{tabular}}{{lr}}a & {cell} \\\\\\end{{tabular}}"
    (table,) = read_document(text, "paper.tex", lambda _name: None).tables
    return str(table.rows[0].cells[1] and table.rows[0].cells[1].text)


@pytest.mark.parametrize(
    ("preamble", "printed"),
    [
        (r"\def\x{1}{\global\def\x{2}}", "2"),
        (r"\def\x{1}{\global\long\def\x{2}}", "2"),
        (r"\gdef\x{1}{\def\x{2}}", "1"),
        (r"\def\x{1}{{\def\x{3}\gdef\x{2}}}", "2"),
        (r"\def\x{1}\AtBeginDocument{\def\x{2}}\begin{document}", "2"),
        (r"\AtBeginDocument{\def\x{1}}\def\x{2}\begin{document}", "1"),
    ],
)
def test_definitions_hold_as_far_as_tex_lets_them(preamble: str, printed: str) -> None:
    assert printed == read(preamble, r"\x")
