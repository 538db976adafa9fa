"""Relations files: loops, declarations, and mistakes with their places."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relations.papers import formula_of, paper_facts
from sealtrace.contract.printed import Relation
from sealtrace.relations.decide import decide
from sealtrace.relations.decision import Status
from sealtrace.relations.reading import Reading, read_relations
from sealtrace.relations.stored import claims_of, record_of
from sealtrace.relations.syntax import formula_text
from support import LONG

GOOD = """\
# what the paper says of itself
let step = 1/80 from section 2
fact text.weak = 4.4936 at 3
fact text.gain = 0.0862 at 3
fact text.wtl = 54.86/2.82/42.32 at paper.tex:4
unknown w in [0, 1]
unknown integer size in 100..600
print tab:main[*, Rate] truncated
print text.gain loosely

relation same
  says    The text prints what the table prints of {r}.
  because section 1
  for r in [B]
  holds   tab:main[{r}, Weak EV] == text.weak

relation gain
  says    The gain is the difference.
  because section 1
  assumes both are means over the same states
  assumes nothing else
  holds   text.gain ==
            tab:main[B, Weak EV]
            - tab:main[A, Weak EV]
  repaired by a factor: text.gain == 2 * tab:main[B, Weak EV]
  ask     What was
    subtracted?

relation rates
  says    Rates of {r} are k/n of {c}.
  because caption
  for r in tab:main except A
  for c in columns of tab:sizes except Share; n; Score
  holds   some integer k in 0..size: tab:main[{r}, Rate] == k / size
      and tab:sizes[32, {c}] + w * step >= 2

relation parts
  says    Parts make the whole.
  because text
  for n in [100; 100.01]
  holds   text.wtl.1 + text.wtl.2 + text.wtl.3 == {n}
"""


def read(text: str) -> Reading:
    """A file's reading."""
    return read_relations(text, "a.relations", paper_facts())


def test_a_good_file() -> None:
    """Loops make one claim each; what speaks of n/a is left out, and told."""
    reading = read(GOOD)
    assert reading.problems == []
    assert [claim.name for claim in reading.claims] == [
        "same (B)",
        "gain",
        "rates (B, Groups)",
        "parts (100)",
        "parts (100.01)",
    ]
    assert reading.left_out == [("rates (C, tuned, Groups)", "tab:main[C, tuned, Rate] says n/a")]
    same, gain, rates, *_ = reading.claims
    assert same.sentence == "The text prints what the table prints of B."
    assert (gain.assumes, gain.question) == (
        ("both are means over the same states", "nothing else"),
        "What was subtracted?",
    )
    assert [repair.says for repair in gain.repairs] == ["a factor"]
    assert gain.place == "a.relations:17"
    assert [decide(claim).status for claim in reading.claims] == [Status.HOLDS] * 5
    rate = next(fact for fact in rates.facts if fact.column == "Rate")
    assert rate.high - rate.low == rate.unit
    assert rate.low == rate.value


def test_records_say_the_same() -> None:
    """A claim survives being stored: constants and declared unknowns go with it."""
    facts = paper_facts()
    claims = read_relations(GOOD, "a.relations", facts).claims
    records = [record_of(claim) for claim in claims]
    for record in records:
        Relation.model_validate(record)
    back, problems = claims_of(records, "relation.jsonl", facts)
    assert problems == []
    assert [record_of(claim) for claim in back] == records
    assert [decide(claim).status for claim in back] == [Status.HOLDS] * 5


def test_wrong_records_have_lines() -> None:
    """A record that cannot be read is told with its line; the others are kept."""
    good = {"relation": "a", "formula": "1 == 1", "sentence": "s", "source": "p"}
    claims, problems = claims_of([good, {**good, "formula": "1 == x"}], "relation.jsonl", paper_facts())
    assert [claim.name for claim in claims] == ["a"]
    assert [str(problem) for problem in problems] == ["relation.jsonl:2:6: 'x' is not known; there is none"]


RELATION = "relation r\n  says s\n  because b\n  holds "
WRONG = {
    "lte x = 1": (1, 1, "'lte' starts nothing here; did you mean 'let'?"),
    "let x = one": (1, 1, "expected: let NAME"),
    "let x = 1\nlet x = 2": (2, 1, "declared twice"),
    "let some = 1": (1, 1, "a word of the language"),
    "fact a = 4.4936 at 5": (1, 1, "does not stand on line 5 of paper.tex; it stands on line 3"),
    "fact a = 9.9999 at 5": (1, 1, "it stands on no line"),
    "fact a = 4.4936": (1, 1, "expected: fact NAME"),
    "fact a = word at 3": (1, 1, "is not a number"),
    "unknown integer k in [0, 1]": (1, 1, "expected: unknown NAME"),
    "unknown k in [0, x]": (1, 1, "'x' is not a number"),
    "print tab:main sideways": (1, 1, "expected: print PLACE and one of rounded"),
    "print tab:mian up": (1, 1, "did you mean 'tab:main'?"),
    "print tab:main[*, Rat] up": (1, 1, "did you mean 'Rate'?"),
    "  holds 1 == 1": (1, 3, "outside a relation"),
    "relation r\n  says s": (1, 1, "no line 'because' and no line 'holds'"),
    "relation r\n  says s\n  because b\n  hold 1 == 1": (4, 3, "did you mean 'holds'?"),
    RELATION + "1 == 1\n  holds 2 == 2": (5, 3, "a second 'holds'"),
    RELATION + "1 ==\n     tab:main[A, Rat]": (5, 6, "did you mean 'Rate'?"),
    RELATION + "1 == {q}": (4, 14, "nothing gives {q}"),
    RELATION + "1 == 1\n  repaired by nobody": (5, 15, "expected: repaired by NAME: FORMULA"),
    RELATION + "1 == 1\n  repaired by some: 1 == y": (5, 26, "'y' is not known"),
    RELATION + "1 == 1\n  for r over tab:main": (5, 7, "expected: for NAME in"),
    RELATION + "1 == 1\n  for r in tab:mian": (5, 12, "did you mean 'tab:main'?"),
    RELATION + "1 == 1\n  for r in tab:main except D": (5, 12, "nothing labelled 'D'"),
    RELATION + "1 == 1\n" + "".join(f"  for r{n} in tab:main\n" for n in range(9)): (1, 1, "5000 are allowed"),
    RELATION + "1 == 1\n" + RELATION + "1 == 1": (5, 1, "a second relation named 'r'"),
    RELATION + "tab:main[C, tuned, Rate] == 1": (4, 9, "has no row 'C'"),
    RELATION + 'tab:main["C, tuned", Rate] == 1': (4, 9, "says n/a"),
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[-40:])
def test_mistakes_have_places(text: str) -> None:
    """File, line, column and what to do about it."""
    reading = read(text)
    line, column, message = WRONG[text]
    found = [(problem.line, problem.column) for problem in reading.problems if message in problem.message]
    assert found == [(line, column)], reading.problems


def test_loops_of_something_long_end() -> None:
    """A short file may say a lot: what its loops make of it is counted, too."""
    for long in (
        "  says s" + 60 * ("\n    " + "s" * 15_000) + "\n  holds 1 == 1",
        "  says s\n  holds 1" + 1200 * "\n    + 1" + " == 1",
    ):
        labels = ";".join(map(str, range(1000)))
        reading = read(
            f"relation r\n  because b\n  for a in [{labels}]\n{long}\n{RELATION.replace(' r', ' other')}1 == 1"
        )
        assert 0 < len(reading.claims) < 1000
        assert [problem.message.split(";")[0] for problem in reading.problems] == [
            "relation 'r': its loops make it too long"
        ]


def test_all_mistakes_in_one_run() -> None:
    """Nothing stops at the first."""
    text = "\n".join(text for text in WRONG if "relation" not in text and not text.startswith(" "))
    assert len(read(text).problems) >= 11


@settings(max_examples=3000 if LONG else 60, deadline=None)
@given(st.data())
def test_garbage_is_a_list_of_problems(data: st.DataObject) -> None:
    """A file with anything cut, doubled or put in is read, or refused with places; nothing is raised."""
    text = GOOD
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(place, min(len(text), place + 30)))
        put = data.draw(
            st.sampled_from(["", text[place:end] * 2, "\n", "  ", "[", "]", "{", '"', ":", "1e99", "\x00", "é"])
        )
        text = text[:place] + put + text[end:]
    reading = read(text)
    lines = text.split("\n")
    for problem in reading.problems:
        assert 1 <= problem.line <= len(lines)
        assert problem.message
    for claim in reading.claims:
        assert formula_text(claim.formula)


def test_a_table_may_be_looped_over() -> None:
    """A placeholder may stand for the table, too."""
    text = RELATION.replace("holds ", "for t in [tab:main; tab:sizes]\n  holds ") + "max({t}[*, Groups]) >= 2"
    reading = read(text)
    assert [problem.message.split(" has")[0] for problem in reading.problems] == ["tab:main"]
    assert [claim.formula for claim in reading.claims] == [formula_of("max(tab:sizes[*, Groups]) >= 2")]
