"""What `bind` looks at in a bundle: the cells that have no recipe, and the rows that could give them."""

from __future__ import annotations

from typing import Any

from sealtrace.binding.files import Listing, Rows
from sealtrace.binding.series import Grid, PrintedCell
from sealtrace.binding.slots import is_wordy, slots_of
from sealtrace.bundle.model import Bundle

_TABULAR = ("struct", "map", "list", "large_list", "fixed_size_list", "binary")
MAX_ROWS = 500_000


def rows_of(bundle: Bundle) -> Listing:
    """Every file of rows, with its plain columns."""
    listing = Listing()
    for store in bundle.stores:
        if store.kind == "relation" or store.table.num_rows > MAX_ROWS:
            listing.problems.append(f"{store.path}: not searched")
            continue
        columns: dict[str, list[Any]] = {
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
        grid = _grid(document.value, document.path, len(grids))
        if grid.cells:
            grids.append(grid)
    return grids


def _grid(record: dict[str, Any], path: str, number: int) -> Grid:
    headers = [column["label"] for column in record["columns"]]
    served = {column["label"] for column in record["columns"] if column.get("recipe")}
    named = {
        column["label"] for column in record["columns"] if (column.get("recipe") or {}).get("classification") == "name"
    }
    labels = [place for place, header in enumerate(headers) if place == 0 or header in named]
    cells: dict[tuple[int, int], PrintedCell] = {}
    row_labels: dict[int, list[str]] = {}
    for row, entry in enumerate(record["rows"]):
        texts = entry["cells"]
        row_labels[row] = [texts[place] for place in labels]
        for column, text in enumerate(texts):
            header = headers[column]
            known = header in served or header in entry.get("recipes", {}) or record.get("recipe") is not None
            slots = slots_of(text)
            if column not in labels and slots and not known:
                line = entry.get("line") or (entry["lines"][column] if entry.get("lines") else row + 1)
                cells[row, column] = PrintedCell(row, column, text, line, path, slots, is_wordy(text))
    return Grid(number, record["label"], record.get("caption") or "", path, 1, headers, row_labels, labels, cells)
