"""Tables that are data rather than print."""

from __future__ import annotations

from sealtrace.paper.reported import read_reported
from sealtrace.relations.auditing import MOST_ROWS, AuditSubject, audit


def test_a_table_of_thousands_of_rows_is_left_out_by_name() -> None:
    """Families set rows beside each other; what they leave out is said, and the verdict says that more could be."""
    text = "name,n,acc\n" + "".join(f"m{n},{50 + n},{n % 100}.5\n" for n in range(MOST_ROWS + 1))
    tables = list(read_reported(text, "big.csv", lambda _name: None).tables)
    found = audit(AuditSubject("big.csv", tables), version="0")
    assert found.verdict == "incomplete"
    assert [one.why for one in found.not_looked_at] == [
        f"big has {MOST_ROWS + 1} rows; automatic families look at tables of up to {MOST_ROWS}"
    ]
