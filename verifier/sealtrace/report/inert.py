"""Makes what a bundle says harmless: no name or value may act on a terminal, a build's log, a page or a document."""

from __future__ import annotations

import json
import re
import unicodedata

_LOG_COMMAND = re.compile(r"(?:^|(?<=\s))::|##(?=\w*\[)")
"""What build services obey in a log: `::name` where a line may begin, and `##[name]` or `##name[` anywhere."""


def harmless(text: str) -> str:
    """Text that cannot act on a terminal or in a build's log: what does not print is written as an escape.

    Spaces of other widths, as in `48 200`, are spaces.
    """
    printed = "".join(map(_printed, text))
    return _LOG_COMMAND.sub(lambda found: r"\x3a:" if found.group().startswith(":") else r"#\x23", printed)


def _printed(character: str) -> str:
    if unicodedata.category(character) == "Zs":
        return " "
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def json_text(document: object) -> str:
    """JSON in ASCII that no build's log obeys either; it reads back as the same values."""
    text = json.dumps(document, indent=2, ensure_ascii=True)
    # Outside strings JSON has no number signs, and its lines never begin with a colon.
    return _LOG_COMMAND.sub(lambda found: r"#\u0023" if found.group() == "##" else found.group(), text) + "\n"


_BREAK = "&#8203;"
"""A space without width, which keeps a service from seeing a name, a number or an address where it links them."""
_MARKDOWN = re.compile(
    r"(?P<escaped>[\\`*_{}\[\]~!^])|(?P<entity>[<>&|$])|(?P<after>[@#]|:(?=//))|(?P<before>(?<=www)\.|(?<=\bGH)-(?=\d))",
    re.IGNORECASE,
)


def markdown(text: str) -> str:
    """Text that Markdown prints as it is, in a table too: no markup, HTML, link, image or mention."""
    return _MARKDOWN.sub(_inert_markdown, harmless(text))


def _inert_markdown(found: re.Match[str]) -> str:
    character = found.group()
    match found.lastgroup:
        case "escaped":
            return f"\\{character}"
        case "entity":
            return f"&#{ord(character)};"
        case "after":
            return f"{'&#35;' if character == '#' else character}{_BREAK}"
        case _:
            return f"{_BREAK}{character}"


def fenced(text: str) -> str:
    """Lines that were made harmless, as a block of code that none of them can end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def clipped(text: str, length: int) -> str:
    """At most so many characters, and visibly so where some are left out."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"{\char96}",
    # After the end of a row these would be read as its options.
    "*": "{*}",
    "[": "{[}",
    "]": "{]}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "·": r"\ensuremath{\cdot}",
    "−": r"\ensuremath{-}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "≠": r"\ensuremath{\neq}",
    "≈": r"\ensuremath{\approx}",
    "∞": r"\ensuremath{\infty}",
    "↑": r"\ensuremath{\uparrow}",
    "↓": r"\ensuremath{\downarrow}",
    "→": r"\ensuremath{\rightarrow}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}
_ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u0327": "c", "\u030c": "v"}
_GREEK = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
"""Those that do not look like Latin letters: LaTeX has commands for them."""


def latex(text: str) -> str:
    """Text that LaTeX prints as it is: ASCII, and only commands that every document has."""
    printed = "".join(_LATEX.get(character) or _foreign(character) for character in harmless(text))
    # Two hyphens would be drawn as a dash.
    return re.sub("-(?=-)", "-{}", printed)


def _foreign(character: str) -> str:
    """A letter that LaTeX has a command for, or else the character's number."""
    if character.isascii():
        return character
    base, *marks = list(unicodedata.normalize("NFD", character))
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        # An accent goes on a letter without its dot.
        letter = rf"\{base}{{}}" if base in "ij" and marks[0] != "\u0327" else base
        return rf"\{_ACCENTS[marks[0]]}{{{letter}}}"
    if character in _GREEK:
        name = unicodedata.name(character).rpartition(" ")[2].replace("LAMDA", "LAMBDA")
        return rf"\ensuremath{{\{name.capitalize() if character.isupper() else name.lower()}}}"
    return f"U+{ord(character):04X}"
