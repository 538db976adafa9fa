"""What LaTeX commands print: symbols, styles, and which of their arguments a reader sees."""

from __future__ import annotations

from sealtrace.paper.extracted import THIN_SPACE
from sealtrace.paper.tex_tokens import names


def _words(text: str) -> list[str]:
    return text.split()


_GREEK = dict(
    zip(
        _words(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi "
            "psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega varepsilon vartheta varpi varrho "
            "varsigma varphi"
        ),
        "αβγδϵζηθικλμνξπρστυϕχψωΓΔΘΛΞΠΣΥΦΨΩεϑϖϱςφ",
        strict=True,
    )
)

# fmt: off
SYMBOLS: dict[str, str] = _GREEK | {
    "%": "%", "&": "&", "#": "#", "$": "$", "_": "_", "{": "{", "}": "}", " ": " ", "\n": " ", "\t": " ",
    ",": THIN_SPACE, ":": " ", ";": " ", ">": " ", "!": "", "-": "", "/": "", "|": "‖", "@": "",
    "quad": " ", "qquad": " ", "enspace": " ", "enskip": " ", "thinspace": THIN_SPACE, "space": " ",
    "nobreakspace": " ", "par": " ", "newline": " ", "linebreak": " ", "hfill": " ", "hfil": " ", "tab": " ",
    "tabularnewline": " ",
    "times": "×", "texttimes": "×", "pm": "±", "textpm": "±", "mp": "∓", "div": "÷", "cdot": "·",
    "textperiodcentered": "·", "ast": "*", "star": "⋆", "circ": "∘", "bullet": "•", "textbullet": "•", "degree": "°",
    "textdegree": "°",
    "dagger": "†", "dag": "†", "textdagger": "†", "ddagger": "‡", "ddag": "‡", "textdaggerdbl": "‡",
    "S": "§", "P": "¶", "textsection": "§", "textparagraph": "¶", "textasteriskcentered": "*", "prime": "′",
    "rightarrow": "→", "to": "→", "textrightarrow": "→", "leftarrow": "←", "gets": "←", "textleftarrow": "←",
    "uparrow": "↑", "textuparrow": "↑", "downarrow": "↓", "textdownarrow": "↓", "leftrightarrow": "↔",
    "Rightarrow": "⇒", "Leftarrow": "⇐", "Uparrow": "⇑", "Downarrow": "⇓", "Leftrightarrow": "⇔", "iff": "⇔",
    "implies": "⇒", "mapsto": "↦", "longrightarrow": "→", "nearrow": "↗", "searrow": "↘", "updownarrow": "↕",
    "leq": "≤", "le": "≤", "leqslant": "≤", "geq": "≥", "ge": "≥", "geqslant": "≥", "neq": "≠", "ne": "≠", "lt": "<",
    "gt": ">", "ll": "≪", "gg": "≫", "approx": "≈", "sim": "~", "simeq": "≃", "cong": "≅", "equiv": "≡", "propto": "∝",
    "textless": "<", "textgreater": ">", "textasciitilde": "~", "textasciicircum": "^", "textbackslash": "\\",
    "textbar": "|", "textunderscore": "_", "textdollar": "$", "textpercent": "%", "textminus": "-", "minus": "-",
    "textendash": "–", "textemdash": "—", "textellipsis": "…", "slash": "/", "textquoteright": "’",
    "textquoteleft": "‘", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "supset": "⊃",
    "supseteq": "⊇", "cup": "∪",
    "cap": "∩", "setminus": "∖", "emptyset": "∅", "varnothing": "∅", "forall": "∀", "exists": "∃", "neg": "¬",
    "land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨", "oplus": "⊕", "otimes": "⊗", "perp": "⊥", "bot": "⊥", "top": "⊤",
    "infty": "∞", "partial": "∂", "nabla": "∇", "sum": "∑", "prod": "∏", "int": "∫", "ell": "ℓ", "hbar": "ℏ", "Re": "ℜ",
    "Im": "ℑ", "aleph": "ℵ", "angle": "∠", "triangle": "△", "blacktriangle": "▲", "triangleup": "△",
    "triangledown": "▽", "blacktriangledown": "▼", "square": "□", "Box": "□", "blacksquare": "■", "checkmark": "✓",
    "ldots": "…", "dots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "textregistered": "®", "texttrademark": "™",
    "nodata": "…", "odot": "⊙", "vdash": "⊢", "models": "⊨",
    "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖", "parallel": "∥",
    "langle": "⟨", "rangle": "⟩", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋", "lbrace": "{",
    "rbrace": "}", "lbrack": "[", "rbrack": "]", "colon": ":", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å",
    "AA": "Å", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "i": "i", "j": "j", "pounds": "£", "euro": "€", "texteuro": "€",
    "copyright": "©", "LaTeX": "LaTeX", "TeX": "TeX", "bmod": " mod ", "mod": " mod ", "percent": "%",
    "textperthousand": "‰", "backslash": "\\", "surd": "√", "longleftrightarrow": "↔", "Checkmark": "✓",
    "textmu": "µ", "textohm": "Ω", "textcelsius": "°C", "textonehalf": "½", "officialeuro": "€",
    "textasciigrave": "`", "angstrom": "Å", "tablename": "Table", "figurename": "Figure",
    "permil": "‰", "perthousand": "‰", "texttildelow": "~", "llbracket": "⟦", "rrbracket": "⟧",
} | {
    name: name
    for name in _words(
        "min max inf sup lim log ln exp sin cos tan tanh arg det dim gcd ker Pr limsup liminf argmin argmax"
    )
}
# fmt: on

UNITS = {
    "milli": "m", "micro": "µ", "nano": "n", "pico": "p", "kilo": "k", "mega": "M", "giga": "G", "tera": "T",
    "centi": "c", "second": "s", "minute": "min", "hour": "h", "day": "d", "meter": "m", "metre": "m", "gram": "g",
    "kilogram": "kg", "byte": "B", "bit": "bit", "hertz": "Hz", "watt": "W", "joule": "J", "volt": "V", "ampere": "A",
    "kelvin": "K", "celsius": "°C", "degreeCelsius": "°C", "degree": "°", "percent": "%", "per": "/", "squared": "^2",
    "cubed": "^3", "mole": "mol", "pascal": "Pa", "newton": "N", "liter": "L", "litre": "L", "electronvolt": "eV",
    "ms": "ms", "us": "µs", "ns": "ns", "s": "s", "MB": "MB", "GB": "GB", "kg": "kg", "km": "km", "mm": "mm",
    "cm": "cm",
}  # fmt: skip
"""Unit names of siunitx, which mean this only inside its commands."""

DINGBATS = {"51": "✓", "52": "✔", "55": "✗", "56": "✘", "53": "✕", "54": "✖", "108": "●", "109": "❍", "110": "■"}

BOLD = names("textbf mathbf boldsymbol bm pmb mathbfit symbf textbfit bfseries bf boldmath")
UNDERLINE = names("underline uline ul uuline underbar dashuline")
UPRIGHT = names("textmd mdseries normalfont textnormal unboldmath")
"""Commands that end bold."""
TYPEWRITER = names("texttt ttfamily tt mathtt")
TEXT_IN_MATH = names(
    """
    text textrm textnormal mbox hbox textsf textit textup textsc makebox textbf texttt
    """
)
SWITCHES = names("bfseries bf boldmath mdseries normalfont unboldmath ttfamily tt")
"""Styles that hold until the group ends, rather than for an argument."""

ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323",
    "b": "\u0331", "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0305", "tilde": "\u0303",
    "widetilde": "\u0303", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "acute": "\u0301", "grave": "\u0300",
    "check": "\u030c", "breve": "\u0306", "mathring": "\u030a",
}  # fmt: skip

RAISED = frozenset("†‡*⋆∗§¶′°∘✓✗%♠♣♥♦")
"""Signs that are printed as they are when raised; anything else keeps a ^ before it, so that 10^-3 is not 10-3."""

ARGUMENTS = frozenset("*odsrcum")
"""A letter for each: * an optional star, o an optional argument that is not printed, d an argument that is not printed,
s one that is, r one that prints a reference, c a citation, u a unit of siunitx, m how many rows a cell spans."""
SIGNATURES: dict[str, str] = {
    name: signature
    for signature, names in {
        "": """
            centering raggedright raggedleft arraybackslash small footnotesize scriptsize tiny normalsize large Large
            LARGE huge Huge itshape slshape scshape upshape sffamily rmfamily em it sl sc rm sf selectfont strut
            noindent protect xspace relax null allowbreak nobreak displaystyle textstyle scriptstyle limits nolimits
            ignorespaces
            unskip clearpage newpage cleardoublepage FloatBarrier maketitle appendix tableofcontents indent smallskip
            medskip bigskip big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle hline toprule midrule
            bottomrule nonumber notag qed qedhere item fill linewidth textwidth columnwidth tabcolsep arraystretch
            sloppy fussy frenchspacing leavevmode makeatletter makeatother mathstrut egroup bgroup begingroup endgroup
            expandafter noexpand global long outer pagebreak nopagebreak goodbreak break mathrel mathbin mathop mathord
            mathpunct mathopen mathclose vfill onecolumn twocolumn flushbottom raggedbottom nolinenumbers linenumbers
            thefootnote hss vss phantomsection crcr @ thetable thefigure RaggedRight RaggedLeft Centering
            currtabletypesize
            """,
        "s": """
            emph textit textsl textsc textup textrm textsf mbox hbox text mathrm mathit mathsf mathcal mathbb mathfrak
            mathscr mathnormal ensuremath fbox llap rlap clap smash MakeUppercase uppercase lowercase MakeLowercase
            colhead enquote substack mathllap mathrlap mathclap vcenter vbox vtop centerline sout cancel overbrace
            underbrace overrightarrow hl uwave dcolhead COMMENT
            """,
        "*s": "operatorname",
        "os": "num tablenum shortstack thead hyperref numlist numproduct complexnum numprint added",
        "sd": "texorpdfstring",
        "osd": "replaced",
        "oos": "makebox framebox",
        "*os": "makecell section subsection subsubsection chapter part paragraph subparagraph caption",
        "ds": "tabincell foreignlanguage adjustbox href hyperlink hypertarget",
        "dos": "scalebox",
        "ods": "textcolor colorbox rotatebox pbox",
        "ooods": "parbox",
        "odds": "fcolorbox",
        "doos": "raisebox",
        "*dds": "resizebox",
        "dd": """
            setlength addtolength setcounter addtocounter fontsize settowidth markboth PassOptionsToPackage
            PassOptionsToClass
            """,
        "dddd": "@setsize",
        "d": """
            label bibliographystyle bibliography nocite phantom hphantom vphantom thispagestyle pagestyle captionsetup
            sisetup graphicspath includeonly stepcounter refstepcounter thanks hypersetup lhead chead rhead lfoot cfoot
            rfoot title author date extracolsep addvspace tikzset pgfplotsset pgfkeys newlength index cline hhline tag
            markright typeout KOMAoptions zihao
            """,
        "*d": "hspace vspace footref fnref tablefootref tnotex tnoteref",
        "od": """
            color cellcolor rowcolor columncolor arrayrulecolor usepackage RequirePackage documentclass usetikzlibrary
            bibitem setlist addbibresource geometry deleted RowStyle UseMicrotypeSet
            """,
        "*od": "includegraphics",
        "odd": "rule",
        "ddd": "addcontentsline definecolor rowcolors specialrule @setfontsize",
        "o": "printbibliography addlinespace footnotemark fnmark",
        "*r": "ref pageref eqref autoref cref Cref nameref vref Vref labelcref subref",
        "*ooc": """
            cite citep citet citealp citealt citeauthor citeyear citeyearpar parencite textcite autocite Cite
            Citep Citet
            """,
    }.items()
    for name in names.split()
}

COMPOSED = {
    "frac": "s/s", "dfrac": "s/s", "tfrac": "s/s", "nicefrac": "s/s", "sfrac": "s/s", "sqrt": "o√s", "SI": "os u",
    "qty": "os u", "si": "ou", "unit": "ou", "numrange": "os–s", "SIrange": "os–s u", "qtyrange": "os–s u",
    "Block": "ods", "SetCell": "od", "multirow": "omodos", "multirowcell": "moos", "multirowthead": "moos",
    "ang": "os°", "stackanchor": "os s", "diagbox": "os / s", "backslashbox": "oos / s", "slashbox": "oos / s",
}  # fmt: skip
"""Arguments of commands that print signs between them, or that only tables and siunitx have."""

NUMBERS = names("num tablenum numlist numproduct numrange SI SIrange qty qtyrange")
"""Commands of siunitx that set numbers, in which a comma is a point."""
HIDING = {"sout": "", "cancel": "", "num": "round|scientific|exponent"}
"""Commands that strike out or change what stands there, by such an argument; `tex_visible` knows what is not seen."""


TITLE_PAGE = names("author affil affiliation institute address email icmlauthor IEEEauthorblockN orcid")
"""What they hold is set on the title page, often in a tabular that is no table."""
DIMENSION_FOLLOWS = names("hskip vskip kern mkern mskip vrule hrule hsize")

SECTIONS = names("chapter part section subsection subsubsection paragraph subparagraph")

# Arguments of environments: o and d as above.
ENVIRONMENTS: dict[str, str] = {
    "table": "o", "table*": "o", "figure": "o", "figure*": "o", "sidewaystable": "o", "sidewaysfigure": "o",
    "sidewaystable*": "o", "sidewaysfigure*": "o", "wraptable": "odod", "wrapfigure": "odod", "subtable": "ood",
    "subfigure": "ood", "threeparttable": "o", "tablenotes": "o", "minipage": "ooood", "itemize": "o", "enumerate": "o",
    "description": "o", "multicols": "d", "array": "od", "adjustbox": "d", "spacing": "d", "list": "dd",
    "algorithm": "o", "algorithm*": "o", "algorithmic": "o", "subequations": "", "alignat": "d", "alignat*": "d",
    "thebibliography": "d", "adjustwidth": "dd", "tcolorbox": "o", "mdframed": "o", "scope": "o", "landscape": "",
    "tabular": "od", "tabular*": "dod", "tabularx": "dod", "tabulary": "dod", "longtable": "od", "xltabular": "odod",
    "supertabular": "d", "xtabular": "d", "mpsupertabular": "d", "supertabular*": "dd", "xtabular*": "dd",
    "mpsupertabular*": "dd", "NiceTabular": "odo", "NiceTabular*": "dodo", "NiceTabularX": "dodo",
    "tabu": "d", "longtabu": "d", "tblr": "od", "longtblr": "od", "talltblr": "od", "booktabs": "od", "+tblr": "od",
    "deluxetable": "d", "deluxetable*": "d", "measuredfigure": "", "tabbing": "",
}  # fmt: skip

HEADED_TABULARS = names("supertabular supertabular* xtabular xtabular* mpsupertabular mpsupertabular*")
"""Tables whose head and caption are given before they begin."""
KEYED_TABULARS = names("tblr longtblr talltblr booktabs")
"""Tables of tabularray: columns, spans and rules are keys."""
TABULARS = (
    KEYED_TABULARS
    | HEADED_TABULARS
    | names(
        """
    tabular tabular* tabularx tabulary longtable xltabular NiceTabular NiceTabular* NiceTabularX tabu longtabu
    deluxetable deluxetable* tabbing
    """
    )
)
FLOATS = names(
    """
    table table* figure figure* sidewaystable sidewaystable* sidewaysfigure sidewaysfigure* wraptable
    wrapfigure subtable subfigure
    """
)
TABLE_FLOATS = names("table table* sidewaystable sidewaystable* wraptable subtable")
GRAPHICS = names(
    """
    tikzpicture pgfpicture picture pspicture axis thebibliography forest
    """
)
"""Environments that print no running text."""
DISPLAYS = names(
    """
    equation equation* align align* alignat alignat* gather gather* multline multline* eqnarray eqnarray*
    displaymath math flalign flalign*
    """
)

# Rules and other things that stand between rows; p is an argument in round brackets.
BETWEEN_ROWS: dict[str, str] = {
    "hline": "", "toprule": "o", "midrule": "o", "bottomrule": "o", "specialrule": "ddd", "firsthline": "",
    "lasthline": "", "Xhline": "d", "hdashline": "o", "hhline": "d", "cmidrule": "opd", "cline": "d",
    "cdashline": "do", "morecmidrules": "", "addlinespace": "o", "noalign": "d", "arrayrulecolor": "od",
    "rowcolor": "odoo", "rowcolors": "*oddd", "hiderowcolors": "", "showrowcolors": "", "pagebreak": "o",
    "nopagebreak": "o", "newpage": "", "global": "", "belowrulesepcolor": "d", "aboverulesepcolor": "d",
    "endhead": "", "endfirsthead": "", "endfoot": "", "endlastfoot": "", "caption": "*os", "label": "d",
    "noindent": "", "setlength": "dd", "RowStyle": "od", "SetRow": "od",
    "SetHline": "odd", "tablebreak": "", "tableline": "", "Hline": "o", "tabucline": "od", "botrule": "", "colrule": "",
    "topline": "", "midline": "", "bottomline": "", "thickhline": "",
}  # fmt: skip
FULL_RULES = names(
    """
    hline toprule midrule bottomrule specialrule firsthline lasthline Xhline hdashline hhline Hline tableline botrule
    colrule topline midline bottomline thickhline
    """
)

STRUCTURAL = (
    TABULARS
    | SECTIONS
    | frozenset(BETWEEN_ROWS)
    | names(
        """
    begin end multicolumn multirow \\ tabularnewline item input include def newcommand let fi else
    """
    )
)
"""Commands whose meaning a document may not change here: a redefinition in plain TeX would hide what they do."""
OF_TABLES = (
    TABULARS
    | FLOATS
    | FULL_RULES
    | names("begin end multicolumn multirow \\\\ tabularnewline cline cmidrule noalign caption")
)
"""Those of them that make tables what they are."""
