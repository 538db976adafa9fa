"""The title of a paper, so that a reader sees what a report is about."""

from __future__ import annotations

from collections.abc import Mapping

from sealtrace.paper.tex_text import Cursor, render
from sealtrace.paper.tex_tokens import SourceText, match_braces, tokenize

_LONGEST = 300
_COMMAND = "\\title"


def title_of(texts: Mapping[str, str]) -> str | None:
    """The title that the sources of a paper give; None where none does."""
    found = (_in_markdown(text) if name.lower().endswith((".md", ".markdown")) else _in_tex(text)
             for name, text in texts.items())  # fmt: skip
    return next((title[:_LONGEST] for title in found if title), None)


def _in_markdown(text: str) -> str:
    """The first heading of the first level."""
    first = next((line for line in text.splitlines() if line.startswith("# ")), "")
    return first[2:].strip()


def _in_tex(text: str) -> str:
    """What the first `\\title` sets, without what it says for running heads."""
    start = text.find(_COMMAND)
    while start >= 0 and text[start + len(_COMMAND) : start + len(_COMMAND) + 1].isalpha():
        start = text.find(_COMMAND, start + 1)
    if start < 0:
        return ""
    begin = start + len(_COMMAND)
    tokens, _ = match_braces(tokenize(SourceText("title", text), begin, min(len(text), begin + 10 * _LONGEST))[0])
    cursor = Cursor(tokens)
    cursor.option()
    return " ".join(render(cursor.argument()).text().split())
