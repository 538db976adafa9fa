"""What `audit` reads: a paper's source, a bundle, or a directory of table records and relations files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sealtrace.bundle.defects import BundleError, real_path
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.identity import MANIFEST
from sealtrace.bundle.model import Bundle, Progress
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.stores import without_nulls
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.paper.model import Paper, Table
from sealtrace.paper.papers import PAPERS, is_paper, merged, read_paper
from sealtrace.relations.auditing import AuditSubject, RelationsFile, Stored, unread
from sealtrace.relations.sealed import misshapen

MAX_BYTES = 8_000_000
"""How long a relations file or a table record may be."""


def read_subject(
    paths: Sequence[Path], progress: Progress | None = None, root: Path | None = None
) -> tuple[AuditSubject, list[RelationsFile]]:
    """What to audit, and the relations files that lie beside its records; a paper may put in files below `root`.

    Several papers are read as one.
    """
    if len(paths) > 1:
        if other := next((path for path in paths if not (path.is_file() and is_paper(path))), None):
            raise BundleError(f"{other}: not a paper ({', '.join(PAPERS)}); only papers are read together")
        together = merged([read_paper(path, root) for path in paths])
        return subject_of(together, " and ".join(path.name for path in paths)), []
    (path,) = paths
    if path.is_dir() and not (path / MANIFEST).is_file():
        return _directory(path)
    if path.is_file() and is_paper(path):
        return subject_of(read_paper(path, root), path.name), []
    if path.exists() and not path.is_dir() and not path.is_file():
        raise BundleError(f"{path}: neither a file nor a directory")
    if path.is_file() and not path.name.lower().endswith((".zip", ".tar.gz", ".tgz", ".tar")):
        raise BundleError(f"{path}: neither a paper ({', '.join(PAPERS)}) nor a bundle")
    return _sealed(read_bundle(path, progress=progress)), []


def read_source(path: Path) -> RelationsFile:
    """A relations file."""
    return RelationsFile(path.as_posix(), _text(path))


def subject_of(paper: Paper, name: str) -> AuditSubject:
    """A paper that was read, to be audited."""
    problems = [
        unread(found.message, found.source, found.line, hides=found.severity == "error") for found in paper.problems
    ]
    return AuditSubject(name, list(paper.tables), paper.prose, paper.texts, problems=problems, title=paper.title)


def _sealed(bundle: Bundle) -> AuditSubject:
    if not bundle.manifest_readable:
        raise BundleError("manifest.json cannot be read; `sealtrace verify` says why")
    subject = AuditSubject(bundle.name, [], root_sha256=bundle.root_sha256)
    for document in bundle.documents:
        if document.kind == "protocol" and document.fits and isinstance(title := document.value.get("title"), str):
            subject.title = title
        if document.kind == "table" and document.fits:
            _take(subject, Table.of(document.value, document.path), document.path)
        elif document.kind == "table":
            _refuse(subject, document.path, "the record does not fit its schema; `sealtrace verify` says where")
    parsed = {document.path for document in bundle.documents} | {store.path for store in bundle.stores}
    for entry in bundle.entries:
        if entry.kind in ("table", "relation") and entry.path not in parsed:
            _refuse(subject, entry.path, "cannot be read; `sealtrace verify` says why")
    for store in bundle.of_kind("relation"):
        if store.syntax.total or store.misfits.total:
            _refuse(subject, store.path, "has rows that cannot be read; `sealtrace verify` lists them")
        records = [without_nulls(row) for row in store.table.to_pylist()]
        subject.relations.append(Stored(store.path, records, list(map(int, store.rows))))
    if not subject.tables and not subject.problems:
        raise BundleError(f"{bundle.name}: the bundle has no table records to audit")
    return subject


def _directory(path: Path) -> tuple[AuditSubject, list[RelationsFile]]:
    try:
        names = sorted(file.name for file in path.iterdir())
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    records = [name for name in names if name.startswith("table.") and name.endswith(".json")]
    if not records:
        raise BundleError(f"{path}: neither a bundle nor a directory of table.*.json, as `sealtrace extract -o` writes")
    subject = AuditSubject(real_path(path).name, [])
    for name in records:
        try:
            record = parse(_text(path / name).encode())
        except StrictJSONError as error:
            raise BundleError(f"{path / name}: {error}") from None
        if misfits := misfits_of("table", record):
            pointer, expected, found = misfits[0]
            raise BundleError(f"{path / name}: {pointer or '/'}: expected {expected}, found {found}")
        _take(subject, Table.of(record, name), name)
    return subject, [read_source(path / name) for name in names if name.endswith(".relations")]


def _take(subject: AuditSubject, table: Table, source: str) -> None:
    if any(table.label == other.label for other in subject.tables):
        _refuse(subject, source, f"a second record of {table.label}")
    elif reason := misshapen(table):
        _refuse(subject, source, f"{table.label}: {reason}")
    else:
        subject.tables.append(table)


def _refuse(subject: AuditSubject, source: str, message: str) -> None:
    subject.problems.append(unread(message, source))


def _text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise BundleError(f"{path}: not a plain file")
        if path.stat().st_size > MAX_BYTES:
            raise BundleError(f"{path}: more than {MAX_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BundleError(f"{path}: not UTF-8 (byte {error.start + 1})") from None
    except (OSError, ValueError) as error:
        raise BundleError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
