"""Tables that are data rather than print."""

from __future__ import annotations

from sealtrace.paper.reported import read_reported
from sealtrace.relations.auditing import MOST_ROWS, AuditSubject, audit
from sealtrace.relations.families.paper import MOST_LETTERS
from sealtrace.relations.subjects import subject_of


def test_a_table_of_thousands_of_rows_is_left_out_by_name() -> None:
    """Families set rows beside each other; what they leave out is said, and the verdict says that more could be."""
    text = "name,n,acc\n" + "".join(f"m{n},{50 + n},{n % 100}.5\n" for n in range(MOST_ROWS + 1))
    tables = list(read_reported(text, "big.csv", lambda _name: None).tables)
    found = audit(AuditSubject("big.csv", tables))
    assert found.verdict == "incomplete"
    assert [one.why for one in found.not_looked_at] == [
        f"big has {MOST_ROWS + 1} rows; automatic families look at tables of up to {MOST_ROWS}"
    ]


def test_a_text_that_is_too_long_is_said_to_be_read_from_its_beginning() -> None:
    """A book has more letters than families read; the result says how many, and that more could be judged."""
    sentence = "The trees of the old wood stand in rows, and nobody has counted them for a hundred winters.\n\n"
    paper = read_reported(sentence * (MOST_LETTERS // 80), "book.md", lambda _name: None)
    found = audit(subject_of(paper, "book.md"), families=[])
    assert found.verdict == "incomplete"
    (left,) = found.not_looked_at
    assert f"automatic families read the first {MOST_LETTERS:,} letters" in left.why
