"""Where a number stands in running text."""

from __future__ import annotations

import re

_PIECE = re.compile(r"[\d.,]+|\S")


def stands_on_line(literal: str, line: str) -> bool:
    """Whether a number is printed on a line, whole: not as a piece of a longer one, nor without its sign."""
    plain, text = _plain(literal), _plain(line)
    # LaTeX sources wrap numbers in dollars and braces, and write \pm.
    text = text.replace(r"\pm", "±").replace("{,}", ",")
    pattern = re.compile(r"[\s${}\\,]*?".join(re.escape(piece) for piece in _PIECE.findall(plain)))
    return any(_whole(text, match.start(), match.end(), plain) for match in pattern.finditer(text))


def where_it_stands(literal: str, lines: list[tuple[int, str]], near: int) -> str:
    """A hint: the nearest line on which the number does stand."""
    found = sorted({line for line, text in lines if stands_on_line(literal, text)}, key=lambda line: abs(line - near))
    return f"; it stands on line {found[0]}" if found else "; it stands on no line of the running text"


def _plain(text: str) -> str:
    return text.replace("−", "-").replace("\u2009", " ").replace("\u00a0", " ")


def _whole(text: str, start: int, end: int, literal: str) -> bool:
    before, after = text[:start], text[end:]
    if re.search(r"[\d.]$", before) or re.match(r"\d|\.\d", after):
        return False
    if "." not in literal and (re.match(r",\d{3}(?!\d)", after) or (len(literal) == 3 and re.search(r"\d,$", before))):
        return False
    # A minus in front belongs to the number unless it joins it to what stands before.
    return literal[:1] in "+-" or not re.search(r"(?:^|[^\w)\]])-$", before)
