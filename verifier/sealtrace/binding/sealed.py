"""What `bind` looks at in a bundle: the cells that have no recipe, and the rows that could give them."""

from __future__ import annotations

from sealtrace.binding.files import Listing, Rows
from sealtrace.binding.series import Grid
from sealtrace.bundle.model import Bundle
from sealtrace.paper.model import Table

_TABULAR = ("struct", "map", "list", "large_list", "fixed_size_list", "binary")
MAX_ROWS = 500_000


def rows_of(bundle: Bundle) -> Listing:
    """Every file of rows, with its plain columns."""
    listing = Listing()
    for store in bundle.stores:
        if store.kind == "relation" or store.table.num_rows > MAX_ROWS:
            listing.problems.append(f"{store.path}: not searched")
            continue
        columns: dict[str, list[object]] = {
            name: store.table.column(name).to_pylist()
            for name in store.table.column_names
            if not str(store.table.schema.field(name).type).startswith(_TABULAR)
        }
        listing.files += 1
        listing.tables.append(Rows(store.path, columns, [f"{store.path}:{row}" for row in store.rows]))
    return listing


def open_grids(bundle: Bundle) -> list[Grid]:
    """The tables of a bundle, with only the cells that no recipe serves."""
    grids: list[Grid] = []
    for document in bundle.documents_of("table"):
        table = Table.of(document.value, document.path)
        free = [
            (row, column, cell)
            for row, column, cell in table.numbers
            if cell.numbers and table.recipe is None and not table.columns[column].recipe
            and table.columns[column].label not in table.rows[row].recipes
        ]  # fmt: skip
        if free:
            grids.append(Grid.of(table, len(grids), free))
    return grids
