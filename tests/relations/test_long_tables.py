"""Tables that are data rather than print."""

from __future__ import annotations

from sealtrace.paper.reported import read_csv, records_of
from sealtrace.relations.auditing import MOST_ROWS, Subject, audit


def test_a_table_of_thousands_of_rows_is_left_out_by_name() -> None:
    """Families set rows beside each other; what they leave out is said, and the verdict says that more could be."""
    text = "name,n,acc\n" + "".join(f"m{n},{50 + n},{n % 100}.5\n" for n in range(MOST_ROWS + 1))
    tables = read_csv(text, "big.csv", "big").tables
    found = audit(Subject("big.csv", records_of(tables[0], "big"), tables), version="0")
    assert found.verdict == "incomplete"
    assert [one.message for one in found.left_out] == [
        f"big has {MOST_ROWS + 1} rows; automatic families look at tables of up to {MOST_ROWS}"
    ]
