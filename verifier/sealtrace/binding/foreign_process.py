"""The process that opens files of foreign formats: confined, one answer per line, ended by its parent.

Their libraries are large and are given bytes that nobody vouches for, so a crash or a file without end must cost one
file only. Nothing is unpickled here, and no answer is a pickle: it is JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import date
from datetime import time as clock_time
from pathlib import Path
from typing import Any, Required, TypedDict
from urllib.parse import quote

from sealtrace.bundle.child_process import allow_time, confine, own_output

MEMORY = 2**31
"""Bytes that reading one file may take."""
MOST_VALUES = 2_000_000
"""Values of one file."""
MOST_IN_ARRAY = 20_000
"""Numbers of an array within a larger file: longer ones are weights or inputs, and are left out."""
MOST_DEPTH = 16
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""How old workbooks begin, and the envelopes of encrypted ones."""
_MISSING = {
    "pyreadstat": "pyreadstat",
    "pyreadr": "pyreadr",
    "pandas": "pyreadr",
    "h5py": "h5py",
    "tensorboard": "tensorboard",
}
"""Modules of the extra `formats`, and the package to name."""


class Part(TypedDict, total=False):
    """A table or a nested document of a file, with its name there."""

    part: Required[str]
    columns: dict[str, list[object]]
    rows: list[list[object]]
    document: object


class UnreadableError(Exception):
    """Why a file gives nothing."""


def serve() -> None:
    """Answers one request per line until the input ends."""
    answers = own_output()
    confine(MEMORY)
    counted = time.process_time()
    for line in sys.stdin:
        request = json.loads(line)
        allow_time(request["seconds"])
        answer = _answer(Path(request["path"]), request["kind"])
        # Below a limit Linux adds a short run to this clock when the process next waits: here, for the next file.
        before, counted = counted, time.process_time()
        answer["spent"] = counted - before
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _answer(path: Path, kind: str) -> dict[str, object]:
    left_out: list[str] = []
    try:
        return {"parts": list(_counted(READERS[kind](path, left_out))), "left_out": left_out}
    except ModuleNotFoundError as error:
        if package := _MISSING.get((error.name or "").partition(".")[0]):
            return {"error": f"{package} reads it: pip install 'sealtrace[formats]'"}
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"it needs more than {MEMORY >> 20} MB"}
    except Exception as error:  # each library has errors of its own, and none may end the check
        reason = str(error).strip().splitlines()
        return {"error": reason[0][:120] if reason else type(error).__name__}


def _counted(parts: Iterable[Part]) -> Iterator[Part]:
    left = MOST_VALUES
    for part in parts:
        left -= sum(map(len, part["columns"].values())) if "columns" in part else 0
        if left < 0:
            raise UnreadableError("too many values")
        yield part


class _Plain:
    """Values of any library as what JSON can say; each is counted, because aliases can repeat one without end."""

    def __init__(self, left_out: list[str]) -> None:
        self.left = MOST_VALUES
        self.left_out = left_out

    def value(self, value: object, place: str = "", depth: int = 0) -> object:
        self.left -= 1
        if self.left < 0 or depth > MOST_DEPTH:
            raise UnreadableError("too many values")
        if value is None or isinstance(value, (str, bool, int, float)):
            return value
        if isinstance(value, bytes):
            return value.decode("utf-8", "replace")
        if isinstance(value, (date, clock_time)):
            return value.isoformat()
        if isinstance(value, dict):
            return {str(key): self.value(it, f"{place}/{key}", depth + 1) for key, it in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(it, place, depth + 1) for it in value]
        return self.array(value, place, depth)

    def array(self, value: Any, place: str, depth: int) -> object:
        """A number or an array of numpy; anything else is None."""
        if not hasattr(value, "tolist") or not hasattr(value, "dtype"):
            return None
        if value.dtype.names:
            return {name: self.value(value[name], f"{place}/{name}", depth + 1) for name in value.dtype.names}
        if value.dtype.kind not in "biufSUO":
            return None
        if value.size > MOST_IN_ARRAY:
            self.left_out.append(f"{place.strip('/') or 'an array'} ({value.size} numbers)")
            return None
        return self.value(value.tolist(), place, depth + 1)

    def columns(self, names: Iterable[str], columns: Iterable[Iterable[object]]) -> dict[str, list[object]]:
        return {str(name): [self.value(value) for value in column] for name, column in zip(names, columns, strict=True)}


def _table(part: str, columns: dict[str, list[object]]) -> Part:
    return {"part": part, "columns": columns}


def _workbook(path: Path, left_out: list[str]) -> Iterator[Part]:
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    plain = _Plain(left_out)
    with path.open("rb") as file:
        if path.suffix.lower() != ".xls" and file.read(len(_OLE)) == _OLE:
            raise UnreadableError("encrypted with a password, or an .xls of another name")
    workbook = CalamineWorkbook.from_path(path)
    for sheet in workbook.sheets_metadata:
        if sheet.typ == SheetTypeEnum.WorkSheet:
            rows = workbook.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
            yield {"part": sheet.name, "rows": [[plain.value(cell) for cell in row] for row in rows]}


def _yaml(path: Path, left_out: list[str]) -> Iterator[Part]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with path.open("rb") as file:
        documents = list(yaml.load_all(file, loader))
    document = documents[0] if len(documents) == 1 else documents
    if not isinstance(document, (dict, list)):
        raise UnreadableError("a single text")
    yield {"part": "", "document": _Plain(left_out).value(document)}


def _sqlite(path: Path, left_out: list[str]) -> Iterator[Part]:
    import sqlite3

    plain = _Plain(left_out)
    # Immutable: no journal is looked for, and none is written beside the file.
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        wanted = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        for (name,) in database.execute(wanted).fetchall():
            quoted = '"' + name.replace('"', '""') + '"'
            found = database.execute(f"SELECT * FROM {quoted}")
            columns = [column for column, *_ in found.description]
            rows = found.fetchmany(MOST_VALUES // max(1, len(columns)) + 1)
            values = ([None if isinstance(row[at], bytes) else row[at] for row in rows] for at in range(len(columns)))
            yield _table(name, plain.columns(columns, values))


def _statistical(path: Path, left_out: list[str]) -> Iterator[Part]:
    import pyreadstat

    readers: dict[str, Callable[..., Any]] = {
        ".dta": pyreadstat.read_dta,
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".por": pyreadstat.read_por,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    plain = _Plain(left_out)
    data, about = readers[path.suffix.lower()](str(path), output_format="dict", row_limit=MOST_VALUES + 1)
    columns = plain.columns(data.keys(), data.values())
    for name, labels in about.variable_value_labels.items():
        # Codes are numbers and may be averaged; what they stand for selects.
        columns[f"{name} label"] = [labels.get(value) for value in columns[name]]
    yield _table("", columns)


def _r(path: Path, left_out: list[str]) -> Iterator[Part]:
    import pyreadr

    plain = _Plain(left_out)
    for name, frame in pyreadr.read_r(str(path)).items():
        columns = [frame[column].astype(object).where(frame[column].notna(), None).tolist() for column in frame]
        yield _table(name or "", plain.columns(map(str, frame.columns), columns))


def _matlab(path: Path, left_out: list[str]) -> Iterator[Part]:
    from scipy.io import loadmat

    try:
        found = loadmat(path, simplify_cells=True)
    except NotImplementedError:  # MATLAB 7.3 writes HDF5.
        yield from _hdf5(path, left_out)
        return
    document = {name: value for name, value in found.items() if not name.startswith("__")}
    yield {"part": "", "document": _Plain(left_out).value(document)}


def _hdf5(path: Path, left_out: list[str]) -> Iterator[Part]:
    import h5py

    plain = _Plain(left_out)

    def group(given: Any, place: str, depth: int) -> dict[str, object]:
        if depth > MOST_DEPTH:
            raise UnreadableError("too many levels")
        found = {str(key): plain.value(value, place) for key, value in given.attrs.items() if key.islower()}
        for name in given:
            # Links may lead to other files, or back.
            if isinstance(given.get(name, getlink=True), h5py.HardLink):
                member, inner = given[name], f"{place}/{name}"
                found[name] = (
                    group(member, inner, depth + 1) if isinstance(member, h5py.Group) else values(member, inner)
                )
        return found

    def values(dataset: Any, place: str) -> object:
        if dataset.external or dataset.is_virtual or dataset.shape is None:
            left_out.append(f"{place.strip('/')} (not in this file)")
            return None
        if dataset.dtype.names:
            rows = dataset[: MOST_VALUES // len(dataset.dtype.names) + 1]
            tables.append(
                _table(place.strip("/"), plain.columns(rows.dtype.names, (rows[it] for it in rows.dtype.names)))
            )
            return None
        if dataset.size > MOST_IN_ARRAY:
            left_out.append(f"{place.strip('/')} ({dataset.size} numbers)")
            return None
        array = dataset[()]
        kind = dataset.attrs.get("MATLAB_class")
        if kind == b"char":
            return "".join(map(chr, array.T.ravel()))
        # MATLAB counts columns first, and calls a number a matrix of one.
        array = array.T.squeeze() if kind is not None else array
        return plain.value(array, place) if dataset.dtype.kind in "biufSO" else None

    tables: list[Part] = []
    with h5py.File(path, "r") as file:
        document = group(file, "", 0)
    yield from tables
    yield {"part": "", "document": document}


def _array(path: Path, left_out: list[str]) -> Iterator[Part]:
    import numpy as np

    array = np.load(path, mmap_mode="r", allow_pickle=False)
    if isinstance(array, np.lib.npyio.NpzFile):
        plain = _Plain(left_out)
        yield {"part": "", "document": {name: plain.value(array[name], name) for name in array.files}}
        return
    if array.size > MOST_VALUES:
        raise UnreadableError("too many values")
    plain = _Plain(left_out)
    if array.dtype.names:
        yield _table("", plain.columns(array.dtype.names, (array[name].tolist() for name in array.dtype.names)))
    elif array.ndim == 2 and array.shape[1] <= 100:
        names = (f"column {place}" for place in range(1, array.shape[1] + 1))
        yield _table("", plain.columns(names, array.T.tolist()))
    elif array.ndim == 1:
        yield _table("", plain.columns(["value"], [array.tolist()]))
    else:
        yield {"part": "", "document": {path.stem: plain.value(array, path.stem)}}


def _arrow(path: Path, left_out: list[str]) -> Iterator[Part]:
    from pyarrow import feather

    table = feather.read_table(path, memory_map=False)
    plain = _Plain(left_out)
    yield _table("", plain.columns(table.column_names, (column.to_pylist() for column in table.columns)))


def _events(path: Path, left_out: list[str]) -> Iterator[Part]:
    """Scalars of TensorBoard: every step, and the last value of each tag."""
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.util.tensor_util import make_ndarray

    plain = _Plain(left_out)
    rows: list[tuple[str, int, object]] = []
    last: dict[str, list[object]] = {}
    events = 0
    for event in EventFileLoader(str(path)).Load():
        events += 1
        for summary in event.summary.value:
            if summary.WhichOneof("value") == "tensor" and summary.metadata.plugin_data.plugin_name == "scalars":
                value = plain.value(make_ndarray(summary.tensor).item())
                rows.append((summary.tag, event.step, value))
                last[summary.tag] = [value]
    if not events:
        raise UnreadableError("no events can be read from it")
    if rows:
        yield _table("scalars", dict(zip(("tag", "step", "value"), map(list, zip(*rows, strict=True)), strict=True)))
        yield _table("last", last)


READERS: dict[str, Callable[[Path, list[str]], Iterator[Part]]] = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), _workbook),
    **dict.fromkeys((".yaml", ".yml"), _yaml),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), _sqlite),
    **dict.fromkeys((".dta", ".sav", ".zsav", ".por", ".sas7bdat", ".xpt"), _statistical),
    **dict.fromkeys((".rds", ".rdata", ".rda"), _r),
    **dict.fromkeys((".h5", ".hdf5"), _hdf5),
    **dict.fromkeys((".feather", ".arrow"), _arrow),
    ".mat": _matlab,
    **dict.fromkeys((".npy", ".npz"), _array),
    "tfevents": _events,
}
"""What opens a file of each kind."""
