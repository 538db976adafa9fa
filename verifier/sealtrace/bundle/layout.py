"""Where files of a bundle lie: the place of a file says its kind and its format."""

from __future__ import annotations

from pathlib import PurePosixPath

from sealtrace.bundle.identity import SEALS, Entry
from sealtrace.contract.kinds import KINDS, STAGES, Form

ATTACHMENTS = "attachments"
_FORMATS = {".json": "json", ".jsonl": "jsonl", ".parquet": "parquet", ".csv": "csv"}


def seal_path(stage: str) -> str:
    """Where a stage's seal lies."""
    return f"{SEALS}/{STAGES.index(stage) + 1}-{stage}.json"


class LayoutError(ValueError):
    """The place of a file says nothing that can be sealed."""


def kind_and_format(path: str) -> tuple[str, str]:
    """`stage/kind[.label...].ext`, or anything below `stage/attachments/`."""
    parts = path.split("/")
    if len(parts) > 2 and parts[1] == ATTACHMENTS:
        return "attachment", "bytes"
    name = parts[-1]
    kind = name.partition(".")[0]
    if len(parts) == 2 and kind == "manuscript":
        return "manuscript", "bytes"
    file_format = _FORMATS.get(PurePosixPath(name).suffix, "")
    known = KINDS.get(kind)
    if len(parts) != 2 or known is None or known.form is Form.BYTES or not known.stages or kind == "seal":
        raise LayoutError(
            f"not named after a record kind (such as trace.calibration.jsonl); "
            f"other files go below {parts[0]}/{ATTACHMENTS}/"
        )
    formats = ("json",) if known.form is Form.DOCUMENT else ("jsonl", "parquet", "csv")[: 3 if kind == "rows" else 2]
    if kind in ("dataset", "rows") and name.count(".") != 2:
        raise LayoutError(f"{kind}.NAME.{file_format or formats[0]} says which dataset it is")
    if file_format not in formats:
        raise LayoutError(f"{kind} records are written as {' or '.join(formats)}")
    return kind, file_format


def dataset_of(path: str) -> str:
    """The dataset that a declaration or a file of rows is about."""
    return path.rpartition("/")[2].split(".")[1]


def misplaced(entry: Entry) -> tuple[str, str, str] | None:
    """(field, expected, found) where a manifest's entry says something else than the file's place does."""
    if entry.path.startswith(f"{SEALS}/"):
        kind, file_format = "seal", "json"
    else:
        try:
            kind, file_format = kind_and_format(entry.path)
        except LayoutError as error:
            return "path", "a place that says the kind", str(error)
    if entry.kind != kind:
        return "kind", kind, entry.kind
    if entry.format != file_format:
        return "format", file_format, entry.format
    if KINDS[kind].form is Form.BYTES:
        for name in ("rows", "content_sha256", "split"):
            if getattr(entry, name) is not None:
                return name, "nothing: the file is kept as bytes", str(getattr(entry, name))
    return None
