"""Numbers beside the names of fields: which values of a table's rows stand together."""

from __future__ import annotations

import pyarrow as pa

from sealtrace.recipes.printed_counts import standing_together


def test_values_that_stand_together_are_told_apart_however_many_there_are() -> None:
    """Five fields of 65,535 values have more combinations than 64 bits tell, and two rows differ in the first alone."""
    values = [f"v{place}" for place in range(2**16 - 1)]
    fields = {f"field{at}": [*values, values[at == 0], values[0]] for at in range(5)}
    table = pa.table({**fields, "run": ["a"] * len(values) + ["a", None]})
    expected = {(value,) * 5 for value in values} | {("v1", "v0", "v0", "v0", "v0")}
    assert standing_together([table], {"run": {"a"}}, fields=5) == expected
    coded = pa.table({name: table[name].dictionary_encode() for name in table.column_names})
    assert standing_together([coded, coded], {"run": {"a"}}, fields=5) == expected
