"""Table records as facts: numbers of the text by name, and the way that numbers were printed."""

from __future__ import annotations

import pytest

from sealtrace.paper.model import Table
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.reading import read_relations
from sealtrace.relations.sealed import cells_of_facts, facts_of_tables, misshapen
from sealtrace.relations.stored import claims_of, record_of
from support import Row

TABLE: Row = {
    "label": "tab:x",
    "columns": [{"label": "Name"}, {"label": "Rate"}],
    "rows": [
        {"label": "a", "cells": ["a", "0.25"]},
        {"label": "b", "cells": ["b", "0.10"], "printing": {"Rate": "exact"}},
    ],
}
TEXT: Row = {
    "label": "text",
    "source": "p.tex",
    "columns": [{"label": "Number"}],
    "rows": [
        {"label": "intro.range", "cells": ["[0.1, 0.3]"], "line": 4},
        {"label": "intro.rate", "cells": ["0.25"], "line": 4, "printing": {"Number": "truncated"}},
        {"label": "line 9: 0.5", "cells": ["0.5"], "line": 9},
        {"label": "word", "cells": ["none"], "line": 9},
    ],
}
RELATION: Row = {"relation": "r", "sentence": "s", "source": "p", "formula": "intro.rate == tab:x[a, Rate]"}


def test_numbers_of_the_text_have_names() -> None:
    """Rows whose label is a name, with a number; parts of them, too."""
    facts = facts_of_tables([Table.of(TABLE), Table.of(TEXT)])
    assert facts.declared == ("intro.range", "intro.rate")
    assert facts.rows("text") == ("line 9: 0.5", "word")
    high = facts.named("intro.range", "high")
    assert (high.text, high.line, high.source) == ("0.3", 4, "p.tex")


def test_what_cannot_be_declared_has_no_name() -> None:
    """A number that is not written as it would stand on a line is left to itself."""
    odd = TEXT | {"rows": [{"label": "odd", "cells": ["1{,}000"], "line": 4}, *TEXT["rows"]]}
    assert "intro.rate" in facts_of_tables([Table.of(odd)]).declared


def test_printing() -> None:
    """Exactly, cut off, or as usual."""
    facts = facts_of_tables([Table.of(TABLE), Table.of(TEXT)])
    assert facts.cell("tab:x", "b", "Rate").exact
    assert not facts.cell("tab:x", "a", "Rate").exact
    rate = facts.named("intro.rate")
    assert (rate.low, rate.high) == (rate.value, rate.value + rate.unit)


def test_a_relations_file_may_declare_them_itself() -> None:
    """Then the names are free, and the numbers stand on their lines."""
    facts = facts_of_tables([Table.of(TABLE), Table.of(TEXT)], called=False)
    assert facts.declared == ()
    reading = read_relations(
        "fact rate = 0.5 at 9\nrelation r\n  says s\n  because b\n  holds rate == 2 * tab:x[a, Rate]\n", "r", facts
    )
    assert reading.problems == []
    assert decide(reading.claims[0]).status is Status.HOLDS


def test_cells_of_facts() -> None:
    """Cells of tables and rows of the text, also where a part of one is called."""
    claims, problems = claims_of(
        [RELATION, RELATION | {"relation": "p", "formula": "intro.range.low <= rounded(tab:x[b, Rate])"}],
        "r",
        facts_of_tables([Table.of(TABLE), Table.of(TEXT)]),
    )
    assert problems == []
    bound = cells_of_facts((fact for claim in claims for fact in claim.facts), [Table.of(TABLE), Table.of(TEXT)])
    assert {("tab:x", "a", "Rate"), ("tab:x", "b", "Rate"), ("text", "intro.rate", "Number")} <= set(bound)
    assert ("text", "intro.range", "Number") in bound
    assert ("text", "line 9: 0.5", "Number") not in bound


def test_shared_unknowns_survive() -> None:
    """An unknown is stored with its range, and is the same in every record that names it."""
    file = "unknown integer n in 3..9\nunknown w in [-1/3, inf]\nrelation r\n  says s\n  because b\n  holds n <= w\n"
    (claim,) = read_relations(file, "r", facts_of_tables([])).claims
    record = record_of(claim)
    assert record["unknowns"] == [{"name": "n", "low": "3", "high": "9", "integer": True}, {"name": "w", "low": "-1/3"}]
    ((back,), problems) = claims_of([record], "r", facts_of_tables([]))
    assert (back.formula, problems) == (claim.formula, [])


def test_an_unknown_may_not_take_a_name() -> None:
    """Neither a word of the language nor that of a number."""
    record = RELATION | {"unknowns": [{"name": "intro.rate"}, {"name": "some"}]}
    claims, problems = claims_of([record], "r", facts_of_tables([Table.of(TABLE), Table.of(TEXT)]), lines=[7])
    assert claims == []
    assert [str(one) for one in problems] == [
        "r:7:1: 'intro.rate' cannot name an unknown",
        "r:7:1: 'some' cannot name an unknown",
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rows": [{"label": "a", "cells": ["1"]}]}, "row 'a' does not have one cell per column"),
        ({"rows": [{"label": "a", "cells": ["1", "2"], "lines": [1]}]}, "row 'a' does not have one cell per column"),
        ({"rows": [TABLE["rows"][0]] * 2}, "two rows have one label"),
        ({"columns": [{"label": "Rate"}] * 2}, "two columns have one label"),
        (
            {"rows": [{"label": "a", "cells": ["1", "2"], "printing": {"Gone": "exact"}}]},
            "row 'a' tells how 'Gone' was printed, which is no place that can be named",
        ),
    ],
)
def test_misshapen_tables(change: Row, reason: str) -> None:
    """Their cells have no addresses."""
    assert misshapen(Table.of(TABLE)) is None
    assert misshapen(Table.of(TABLE | change)) == reason
