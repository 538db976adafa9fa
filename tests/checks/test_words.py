"""Every message of the package is read: findings are sentences, sources name their document."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.recipes.metrics import all_metrics
from support import ROOT

PACKAGE = ROOT / "verifier" / "sealtrace"
ROOMS = ("bundle", "checks", "studies", "witnesses")
MESSAGE = {"error": 1, "warning": 1, "note": 1, "rows": 3, "compare": 6, "say": 2, "Defect": 0}
"""Where a call has its message."""
RIDDLES = ("stands twice", "decides otherwise", "print so", "says otherwise", "goes so")


def messages() -> Iterator[tuple[str, str]]:
    """Every message that is written where it is said, with its place; what is filled in is a brace."""
    for path in sorted(one for room in ROOMS for one in (PACKAGE / room).rglob("*.py")):
        if path.name == "certifying.py":
            continue  # Its notes are clauses of a table.
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                place = MESSAGE.get(name, 99)
                for said in _texts(node.args[place]) if len(node.args) > place else ():
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", said
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "message":
                for said in _texts(node.value):
                    yield f"{path.relative_to(PACKAGE)}:{node.lineno}", said


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case ast.IfExp(body=first, orelse=second):
            yield from _texts(first)
            yield from _texts(second)


def test_findings_are_sentences() -> None:
    """They begin with a capital or with what they are about, end with a stop, and hold no riddle."""
    found = list(messages())
    assert len(found) > 150
    wrong = [
        (place, said)
        for place, said in found
        if said[0].islower() or not said.endswith((".", "?", "{}")) or any(riddle in said for riddle in RIDDLES)
    ]
    assert wrong == []


def test_sources_name_their_document() -> None:
    """An appendix of what? A reader may not know the paper."""
    sources = {check.source for check in CATALOGUE} | {metric.source for metric in all_metrics()}
    bare = [source for source in sources if source.startswith(("appendix", "section", "equation", "design"))]
    assert bare == []


def test_no_finding_is_said_in_words_of_the_code() -> None:
    """A value is shown as people write it: no message holds what only Python says."""
    assert [said for _, said in messages() if "None" in said or "True" in said or "[]" in said] == []


def test_the_package_is_where_it_is_read() -> None:
    """The messages that are read here are those of the package that is tested."""
    import sealtrace

    assert Path(sealtrace.__file__).parent == PACKAGE
