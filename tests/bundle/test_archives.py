"""Directories and archives: one bundle whatever carries it, and nothing hostile gets in or out."""

from __future__ import annotations

import atexit
import gzip
import io
import os
import random
import stat
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import sealtrace
from sealtrace.bundle.archives import DirectoryContainer, Member
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.members import read_document
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.tar import tar_members
from sealtrace.contract.result import Result
from sealtrace.paper.papers import read_paper
from small_study import small_study
from support import LONG, copy_of

HELD = TemporaryDirectory(prefix="good-")
atexit.register(HELD.cleanup)
GOOD = small_study(Path(HELD.name) / "bundle", items=500)
"""The good bundle: what is in it does not matter here."""


def copy_of_good(directory: Path) -> Path:
    """A copy that may be broken."""
    return copy_of(GOOD, directory)


def fixture_files() -> Iterator[tuple[str, bytes]]:
    """Path and bytes of each file of the good bundle."""
    for path in sorted(GOOD.rglob("*")):
        if path.is_file():
            yield path.relative_to(GOOD).as_posix(), path.read_bytes()


TarExtra = tuple[tarfile.TarInfo, bytes]
ZipExtra = tuple[zipfile.ZipInfo, bytes]


def tar_bytes(top: str = "", extra: list[TarExtra] | None = None) -> bytes:
    """The good bundle as .tar.gz, with more members after it."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz", compresslevel=1) as archive:
        for path, data in fixture_files():
            info = tarfile.TarInfo(top + path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info, data in extra or []:
            archive.addfile(info, io.BytesIO(data))
    return sink.getvalue()


def zip_bytes(top: str = "", extra: list[ZipExtra] | None = None) -> bytes:
    """The good bundle as .zip, with more members after it."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in fixture_files():
            archive.writestr(top + path, data)
        for info, data in extra or []:
            archive.writestr(info, data)
    return sink.getvalue()


def written(path: Path, data: bytes) -> Path:
    """A file with these bytes."""
    path.write_bytes(data)
    return path


def listing(report: Result) -> list[tuple[str | None, str]]:
    """Source and message of what identity.listing found."""
    return [(one.source, one.message) for one in report.findings if one.check == "identity.listing"]


TWICE = "The archive holds this path more than once. Pack it again."
ABSENT = "The manifest lists this file, and the bundle does not hold it. Restore it, or seal again."
NO_SUMS = "The bundle has no SHA256SUMS. Seal again to write it."
SPECIAL = "This is a link or a special file, not a plain file. Replace it by the file itself."
NOTHING = "The file is empty. Fill it, or leave it out."
UNLISTED = "The manifest does not list this file. Remove it, or seal it."

CARRIERS: dict[str, Callable[[Path], Path]] = {
    "directory": copy_of_good,
    "zip": lambda path: written(path / "a.zip", zip_bytes()),
    "zip with a top directory": lambda path: written(path / "a.zip", zip_bytes("study/")),
    "zip by another name": lambda path: written(path / "artifact", zip_bytes()),
    "tar.gz": lambda path: written(path / "a.tar.gz", tar_bytes()),
    "tar.gz with a top directory": lambda path: written(path / "a.tar.gz", tar_bytes("study/")),
    "tar.gz of the current directory": lambda path: written(path / "a.tar.gz", tar_bytes("./")),
    "tgz": lambda path: written(path / "a.tgz", tar_bytes()),
}


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=CARRIERS)
def test_every_carrier_gives_the_same_bundle(carrier: Callable[[Path], Path], tmp_path: Path) -> None:
    """Packing changes neither the identity nor the verdict."""
    expected = sealtrace.verify(GOOD)
    path = carrier(tmp_path)
    actual = sealtrace.verify(path)
    assert expected.verdict == "verified"
    assert expected.subject == actual.subject
    assert expected.verdict == actual.verdict
    assert expected.summary == actual.summary
    assert [(one.id, one.status, one.inspected) for one in expected.checks] == [
        (one.id, one.status, one.inspected) for one in actual.checks
    ]
    assert actual.subject.root_sha256 == read_document(path)["root_sha256"]


def test_archives_are_not_extracted(tmp_path: Path) -> None:
    """Verifying writes nothing, beside the archive or anywhere below it."""
    for name, data in (("a.zip", zip_bytes("study/")), ("a.tar.gz", tar_bytes("study/"))):
        read_bundle(written(tmp_path / name, data))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.tar.gz", "a.zip"]


NO_BUNDLE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "empty zip": ("a.zip", lambda: b""),
    "empty tar.gz": ("a.tar.gz", lambda: b""),
    "garbage zip": ("a.zip", lambda: b"garbage" * 100),
    "garbage tar.gz": ("a.tar.gz", lambda: b"garbage" * 100),
    "zip called tar.gz": ("a.tar.gz", zip_bytes),
    "half a zip": ("a.zip", lambda: zip_bytes()[:2000]),
    "half a tar.gz": ("a.tar.gz", lambda: tar_bytes()[:2000]),
    "gzip of no tar": ("a.tar.gz", lambda: gzip.compress(b"not a tar" * 100)),
    "gzip of half a tar": ("a.tar.gz", lambda: gzip.compress(gzip.decompress(tar_bytes())[:10_100])),
    "zip without a manifest": ("a.zip", lambda: _zip_of({"x.txt": b"x"})),
    "zip of nothing": ("a.zip", lambda: _zip_of({})),
    "zip with a manifest two levels down": ("a.zip", lambda: zip_bytes("a/b/")),
    "zip for a later reader": (
        "a.zip",
        lambda: zip_bytes().replace(b"PK\x01\x02\x14\x03\x14", b"PK\x01\x02\x14\x03\xc8"),
    ),
    "text": ("a.txt", lambda: b"hello"),
}


def _zip_of(files: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return sink.getvalue()


@pytest.mark.parametrize(("name", "data"), NO_BUNDLE.values(), ids=NO_BUNDLE)
def test_what_is_no_bundle_is_refused(name: str, data: Callable[[], bytes], tmp_path: Path) -> None:
    """Input that cannot be opened is a `BundleError`, which the command line turns into exit code 2."""
    with pytest.raises(BundleError):
        sealtrace.verify(written(tmp_path / name, data()))


def test_paths_that_are_no_bundle_are_refused(tmp_path: Path) -> None:
    """Nothing there, nothing in it, or something that is not a file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    for name in ("absent", "empty", "pipe"):
        with pytest.raises(BundleError, match=name):
            sealtrace.verify(tmp_path / name)


def test_damaged_members_of_a_zip_are_findings(tmp_path: Path) -> None:
    """A readable directory with unreadable contents is a bundle with something wrong, not a crash."""
    data = bytearray(zip_bytes())
    start = data.index(b"declare/label.test.jsonl") + 200
    data[start : start + 64] = bytes(64)
    report = sealtrace.verify(written(tmp_path / "a.zip", bytes(data)))
    assert report.verdict == "findings"
    assert "declare/label.test.jsonl" in {one.source for one in report.findings if one.check == "identity.bytes"}


def _tar(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", data: bytes = b"") -> TarExtra:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, len(data)
    return info, data


def _zip(name: str, mode: int = stat.S_IFREG | 0o644, data: bytes = b"evil") -> ZipExtra:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info, data


TAR_MEMBERS: dict[str, tuple[TarExtra, str, str]] = {
    "outside": (_tar("../evil", data=b"x"), "../evil", UNLISTED),
    "outside from within": (_tar("trace/../../evil", data=b"x"), "trace/../../evil", UNLISTED),
    "absolute": (_tar("/tmp/sealtrace-evil", data=b"x"), "/tmp/sealtrace-evil", UNLISTED),
    "symbolic link": (_tar("link", tarfile.SYMTYPE, "/etc/passwd"), "link", SPECIAL),
    "hard link": (_tar("link", tarfile.LNKTYPE, "manifest.json"), "link", SPECIAL),
    "pipe": (_tar("pipe", tarfile.FIFOTYPE), "pipe", SPECIAL),
    "device": (_tar("device", tarfile.CHRTYPE), "device", SPECIAL),
    "duplicate": (_tar("declare/protocol.json", data=b"{}"), "declare/protocol.json", TWICE),
    "duplicate, written differently": (
        _tar("declare/./protocol.json", data=b"{}"), "declare/protocol.json", TWICE,
    ),
    "duplicate manifest": (
        _tar("manifest.json", data=(GOOD / "manifest.json").read_bytes()), "manifest.json", TWICE,
    ),
    "duplicate as a link": (
        _tar("declare/protocol.json", tarfile.SYMTYPE, "/etc/passwd"), "declare/protocol.json", TWICE,
    ),
    "directory with the name of a file": (
        _tar("declare/protocol.json", tarfile.DIRTYPE), "declare/protocol.json", TWICE,
    ),
    "file with the name of a directory": (_tar("declare", data=b"x"), "declare", TWICE),
    "name that is not UTF-8": (_tar("bad\udcff", data=b"x"), "bad\\udcff", UNLISTED),
}  # fmt: skip

ZIP_MEMBERS: dict[str, tuple[ZipExtra, str, str]] = {
    "outside": (_zip("../evil"), "../evil", UNLISTED),
    "absolute": (_zip("/tmp/sealtrace-evil"), "/tmp/sealtrace-evil", UNLISTED),
    "backslashes": (_zip("..\\evil"), "..\\evil", UNLISTED),
    "symbolic link": (_zip("link", stat.S_IFLNK | 0o777, b"/etc/passwd"), "link", SPECIAL),
    "pipe": (_zip("pipe", stat.S_IFIFO | 0o644), "pipe", SPECIAL),
    "device": (_zip("device", stat.S_IFCHR | 0o644), "device", SPECIAL),
    "directory with the name of a file": (_zip("manifest.json/", stat.S_IFDIR | 0o755, b""), "manifest.json", TWICE),
    "file with the name of a directory": (_zip("declare"), "declare", TWICE),
    "unlisted": (_zip("trace/extra.jsonl"), "trace/extra.jsonl", UNLISTED),
}


@pytest.mark.parametrize(("extra", "source", "message"), TAR_MEMBERS.values(), ids=TAR_MEMBERS)
def test_hostile_tar_members_are_findings(extra: TarExtra, source: str, message: str, tmp_path: Path) -> None:
    """Each is named by identity.listing; the report can be written; nothing lands on the disk."""
    path = written(tmp_path / "a.tar.gz", tar_bytes(extra=[extra]))
    report = sealtrace.verify(path)
    _assert_listed(report, source, message, tmp_path)


@pytest.mark.parametrize(("extra", "source", "message"), ZIP_MEMBERS.values(), ids=ZIP_MEMBERS)
def test_hostile_zip_members_are_findings(extra: ZipExtra, source: str, message: str, tmp_path: Path) -> None:
    """The same for .zip."""
    path = written(tmp_path / "a.zip", zip_bytes(extra=[extra]))
    report = sealtrace.verify(path)
    _assert_listed(report, source, message, tmp_path)


def test_a_duplicate_member_of_a_zip_is_a_finding(tmp_path: Path) -> None:
    """Two readers of such a file would see two bundles."""
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zip_bytes(extra=[_zip("declare/protocol.json")])
    report = sealtrace.verify(written(tmp_path / "a.zip", data))
    _assert_listed(report, "declare/protocol.json", TWICE, tmp_path)


def _assert_listed(report: Result, source: str, message: str, directory: Path) -> None:
    assert (source, message) in listing(report)
    assert report.verdict == "findings"
    assert source.replace("\\", "\\\\") in report.model_dump_json()
    assert len(list(directory.iterdir())) == 1
    assert not (directory.parent / "evil").exists()
    assert not Path("/tmp/sealtrace-evil").exists()


def test_a_member_outside_the_top_directory_leaves_no_bundle(tmp_path: Path) -> None:
    """With a stranger beside the top directory there is no single root, so nothing is guessed."""
    for name, data in (
        ("a.tar.gz", tar_bytes("study/", [_tar("../evil", data=b"x")])),
        ("a.zip", zip_bytes("study/", [_zip("/evil")])),
    ):
        with pytest.raises(BundleError, match="not a bundle itself, but its study/"):
            sealtrace.verify(written(tmp_path / name, data))


def test_a_negative_length_in_a_tar_does_not_hang(tmp_path: Path) -> None:
    """tarfile before 3.11.14 reads such a member for ever (CVE-2025-8194)."""
    info = tarfile.TarInfo("x")
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = (-512).to_bytes(12, "big", signed=True)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    data = gzip.compress(gzip.decompress(tar_bytes())[:-10240] + bytes(block) + bytes(1024))
    with pytest.raises(BundleError):
        sealtrace.verify(written(tmp_path / "a.tar.gz", data))


def _header(name: bytes, size: bytes = b"00000000000", kind: bytes = b"0", **fields: bytes) -> bytes:
    """A header of a tar, as somebody writes it who means no good."""
    block = bytearray(512)
    given = {0: name, 124: size, 156: kind, 257: fields.get("form", b"ustar\00000"), 345: fields.get("prefix", b"")}
    for place, data in given.items():
        block[place : place + len(data)] = data
    block[148:156] = b" " * 8
    block[148:156] = fields.get("checksum", b"%06o\0 ") % sum(block)
    return bytes(block)


def _record(key: bytes, value: bytes) -> bytes:
    rest = len(key) + len(value) + 3
    length = next(one for one in range(rest, rest + 9) if one == rest + len(str(one)))
    return b"%d %b=%b\n" % (length, key, value)


def _before(kind: bytes, data: bytes) -> bytes:
    """A header that says something of the next member, with what it says."""
    return _header(b"./before", b"%011o" % len(data), kind) + data.ljust(-(-len(data) // 512) * 512, b"\0")


A, B = b"report/a.csv", b"report/b.csv"
TWO_TELLINGS = {
    "a long name and a record": _before(b"L", A + b"\0") + _before(b"x", _record(b"path", B)) + _header(A),
    "a record and a long name": _before(b"x", _record(b"path", B)) + _before(b"L", A + b"\0") + _header(A),
    "two long names": _before(b"L", A + b"\0") + _before(b"L", B + b"\0") + _header(A),
    "two lists of records": _before(b"x", _record(b"path", A)) + _before(b"x", _record(b"path", B)) + _header(A),
    "two records": _before(b"x", _record(b"path", A) + _record(b"path", B)) + _header(A),
    "a name for all": _before(b"g", _record(b"path", A)) + _header(B),
    "a record with a sign": _before(b"x", _record(b"size", b"+0")) + _header(A),
    "a record with a line": _before(b"x", _record(b"size", b"0_0")) + _header(A),
    "a record with other digits": _before(b"x", _record(b"size", "\u0660".encode())) + _header(A),
    "another length in a record": _before(b"x", _record(b"size", b"512")) + _header(A) + bytes(512),
    "a record that stops early": _before(b"x", b"12 path=a.csv\n") + _header(A),
    "a name that ends within": _before(b"x", _record(b"path", A + b"\0b")) + _header(A),
    "holes": _before(b"x", _record(b"GNU.sparse.name", B)) + _header(A),
    "a real size": _before(b"x", _record(b"SCHILY.realsize", b"9")) + _header(A),
    "a length with a prefix": _header(A, b"0o0\0"),
    "a length with a sign": _header(A, b"+0\0"),
    "a length with a line": _header(A, b"0_0\0"),
    "a length of bytes": _header(A, b"\x80" + bytes(11)),
    "no length": _header(A, bytes(12)),
    "a checksum with a sign": _header(A, checksum=b"+%05o\0 "),
    "a first part that GNU tar does not read": _header(b"a.csv", form=b"ustar  \0", prefix=b"report"),
    "a first part that Unix does not read": _header(b"a.csv", form=bytes(8), prefix=b"report"),
    "a form of nobody": _header(b"a.csv", form=b"USTAR\00000"),
    "a file that some take for a directory": _header(b"report/a.csv/"),
    "a directory with data": _header(b"report/", b"00000001000", b"5") + bytes(512),
}


@pytest.mark.parametrize("blocks", TWO_TELLINGS.values(), ids=TWO_TELLINGS)
def test_a_tar_that_programs_unpack_differently_is_refused(blocks: bytes, tmp_path: Path) -> None:
    """Nothing is said of an archive where another program may find other files."""
    data = gzip.compress(gzip.decompress(tar_bytes())[:-10240] + blocks + bytes(1024), 1)
    with pytest.raises(BundleError, match="the archive is damaged"):
        sealtrace.verify(written(tmp_path / "a.tar.gz", data))
    # The source of a paper is such an archive, too.
    source = gzip.compress(_header(b"main.tex", b"%011o" % 24) + b"\\documentclass{article}\n".ljust(512) + blocks)
    with pytest.raises(BundleError, match="the archive is damaged"):
        read_paper(written(tmp_path / "paper.tar.gz", source))


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_ordinary_programs_pack_is_read(form: int) -> None:
    """Long names, times with fractions, other alphabets, a comment for all, and blocks of every form."""
    sink = io.BytesIO()
    names = [
        "report/a.csv",
        "a" * 90 + "/" + "b" * 90 + "/c.csv",
        *([] if form == tarfile.USTAR_FORMAT else ["é" * 99]),
    ]
    with tarfile.open(fileobj=sink, mode="w", format=form, pax_headers={"comment": "0f" * 20}) as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(name), 1.5
            archive.addfile(info, io.BytesIO(name.encode()[: len(name)]))
    sink.seek(0)
    found = [(one.name, b"".join(one.pieces)) for one in tar_members(sink.read)]
    assert found == [(name, name.encode()[: len(name)]) for name in names]


DIRECTORY_MEMBERS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "symbolic link": (lambda root: (root / "link").symlink_to("/etc/passwd"), "link", SPECIAL),
    "linked directory": (lambda root: (root / "link").symlink_to(root / "declare"), "link", SPECIAL),
    "dangling link": (lambda root: (root / "link").symlink_to("nowhere"), "link", SPECIAL),
    "pipe": (lambda root: os.mkfifo(root / "declare" / "pipe"), "declare/pipe", SPECIAL),
    "unlisted file": (lambda root: (root / "declare" / "x").write_bytes(b"x"), "declare/x", UNLISTED),
    "hidden file": (lambda root: (root / ".hidden").write_bytes(b"x"), ".hidden", UNLISTED),
    "name that is not UTF-8": (
        lambda root: Path(os.fsdecode(os.fsencode(root) + b"/bad\xff")).write_bytes(b"x"), "bad\\udcff", UNLISTED,
    ),
    "name with a newline": (lambda root: (root / "a\nb").write_bytes(b"x"), "a\nb", UNLISTED),
    "emptied file": (
        lambda root: (root / "declare" / "label.test.jsonl").write_bytes(b""),
        "declare/label.test.jsonl", NOTHING,
    ),
    "missing file": (
        lambda root: (root / "declare" / "label.test.jsonl").unlink(),
        "declare/label.test.jsonl", ABSENT,
    ),
    "missing sums": (lambda root: (root / "SHA256SUMS").unlink(), "SHA256SUMS", NO_SUMS),
    "file replaced by a link to itself elsewhere": (
        lambda root: _moved(root / "declare" / "label.test.jsonl", root.parent / "label.jsonl"),
        "declare/label.test.jsonl", SPECIAL,
    ),
    "file replaced by a pipe": (
        lambda root: _piped(root / "declare" / "label.test.jsonl"), "declare/label.test.jsonl", SPECIAL,
    ),
    "file replaced by a directory": (
        lambda root: _directory(root / "declare" / "label.test.jsonl"),
        "declare/label.test.jsonl", ABSENT,
    ),
}  # fmt: skip


def _moved(path: Path, elsewhere: Path) -> None:
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _piped(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(("change", "source", "message"), DIRECTORY_MEMBERS.values(), ids=DIRECTORY_MEMBERS)
def test_strange_members_of_a_directory_are_findings(
    change: Callable[[Path], object], source: str, message: str, tmp_path: Path
) -> None:
    """Links are not followed, pipes are not waited for, and all of them are named."""
    root = copy_of_good(tmp_path)
    change(root)
    report = sealtrace.verify(root)
    assert (source, message) in listing(report)
    assert report.verdict == "findings"
    report.model_dump_json()


def _concatenated_tar(*members: TarExtra) -> bytes:
    """The good bundle, its end, and then another archive."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        for info, data in members:
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(gzip.decompress(tar_bytes()) + sink.getvalue(), 1)


def _zip_with_comment(comment: bytes) -> bytes:
    sink = io.BytesIO(zip_bytes())
    with zipfile.ZipFile(sink, "a") as archive:
        archive.comment = comment
    return sink.getvalue()


def _zip_with_a_gap() -> bytes:
    """A member that the directory at the end no longer names."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("hidden", b"x" * 100)
        for path, data in fixture_files():
            archive.writestr(path, data)
        archive.filelist.pop(0)
        archive._didModify = True  # type: ignore[attr-defined]
    return sink.getvalue()


def _patched(place: int, new: bytes) -> bytes:
    """The good bundle, with other bytes in its first member's head or, counted from behind, in its last record."""
    data, place = zip_bytes(), place % len(zip_bytes())
    return data[:place] + new + data[place + len(new) :]


TWO_READERS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a second tar after the end": (
        "a.tar.gz", lambda: _concatenated_tar(_tar("declare/protocol.json", data=b"{}")), "follow the end",
    ),
    "garbage after the end of a tar": (
        "a.tar.gz", lambda: gzip.compress(gzip.decompress(tar_bytes()) + b"x" * 700, 1), "follow the end",
    ),
    "a second gzip with a tar": (
        "a.tar.gz", lambda: tar_bytes() + _concatenated_tar(_tar("evil", data=b"x")), "follow the end",
    ),
    "one zip before another": ("a.zip", lambda: _zip_of({"x": b"x"}) + zip_bytes(), "bytes before this member"),
    "a program before a zip": ("a.zip", lambda: b"#!/bin/sh\n" + zip_bytes(), "bytes before this member"),
    "a zip in the comment of a zip": (
        "a.zip", lambda: _zip_with_comment(_zip_of({"x": b"x"})[:-22] + b"."), "looks like another archive",
    ),
    "a zip without its first bytes": ("a.zip", lambda: zip_bytes()[5:], "begins after this member"),
    "a member that the directory hides": ("a.zip", _zip_with_a_gap, "bytes before this member"),
    "a directory that says it ends early": ("a.zip", lambda: _patched(-14, b"\1\0\1\0"), "another number of members"),
    "a length that only its member tells": ("a.zip", lambda: _patched(18, b"\1\0\0\0"), "tell different things"),
    "a name that some readers end earlier": (
        "a.zip", lambda: zip_bytes().replace(b"declare/label.test.jsonl", b"declare/label.test.jso\0l"), "another name",
    ),
    "names that are encoded otherwise in a member": ("a.zip", lambda: _patched(6, b"\0\x08"), "tell different things"),
    "strong encryption that only its member tells": ("a.zip", lambda: _patched(6, b"\x40\0"), "tell different things"),
    "a member on another disk": (
        "a.zip", lambda: _patched(zip_bytes().index(b"PK\1\2") + 34, b"\1\0"), "tell different things",
    ),
    "a method that only its member tells": ("a.zip", lambda: _patched(8, b"\x63\0"), "tell different things"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "data", "message"), TWO_READERS.values(), ids=TWO_READERS)
def test_archives_that_two_readers_see_differently_are_findings(
    name: str, data: Callable[[], bytes], message: str, tmp_path: Path
) -> None:
    """Nobody may be shown another bundle than the one that was verified."""
    report = sealtrace.verify(written(tmp_path / name, data()))
    assert report.verdict == "findings"
    assert any(message in text for _, text in listing(report))


def test_data_in_the_entry_of_a_directory_is_a_finding(tmp_path: Path) -> None:
    """A directory holds no bytes; an entry that does is a hiding place."""
    empty, full = zipfile.ZipInfo("trace/"), zipfile.ZipInfo("select/")
    data = zip_bytes(extra=[(empty, b""), (full, b"hidden")])
    report = sealtrace.verify(written(tmp_path / "a.zip", data))
    assert ("select/", SPECIAL) in listing(report)
    assert all(source != "trace/" for source, _ in listing(report))


@pytest.mark.parametrize("comment", [b"", b"4b825dc642cb6eb9a060e54bf8d69288fbee4904"])
def test_ordinary_archives_have_no_stray_bytes(comment: bytes, tmp_path: Path) -> None:
    """A commit in the comment, as git writes it, and lengths behind the data, as pipes need them, are fine."""
    sink = io.BytesIO()

    class Pipe(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any, /) -> int:
            return sink.write(data)

    with zipfile.ZipFile(Pipe(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("trace")
        for path, data in fixture_files():
            with archive.open(path, "w", force_zip64=path.startswith("bank")) as file:
                file.write(data)
        archive.comment = comment
    assert sealtrace.verify(written(tmp_path / "a.zip", sink.getvalue())).verdict == "verified"


def test_what_macos_adds_is_a_warning_that_says_so(tmp_path: Path) -> None:
    """The archiver puts attributes beside the directory; the records are as they were."""
    extra = [_zip(f"__MACOSX/study/._{name}", data=b"\0\5\x16\7") for name in ("manifest.json", "trace")]
    report = sealtrace.verify(written(tmp_path / "a.zip", zip_bytes("study/", extra)))
    warnings = [one for one in report.findings if one.check == "identity.listing"]
    assert [(one.severity, one.source, one.found) for one in warnings] == [("warning", "__MACOSX/", "2 files")]
    assert "macOS" in warnings[0].message
    assert report.verdict == "verified"
    assert sealtrace.verify(tmp_path / "a.zip", strict=True).verdict == "findings"


def test_a_directory_swapped_for_a_link_after_the_listing_is_not_followed(tmp_path: Path) -> None:
    """Every component of a path is opened by itself, so what was listed is what is read, or nothing is."""
    root = copy_of_good(tmp_path)
    container = DirectoryContainer(root)
    assert Member("declare/label.test.jsonl", "file") in container.members()
    (root / "declare").rename(tmp_path / "elsewhere")
    (root / "declare").symlink_to(tmp_path / "elsewhere")
    assert (root / "declare" / "label.test.jsonl").read_bytes()
    with pytest.raises(OSError, match=r"irectory|symbolic"), container.open("declare/label.test.jsonl"):
        pass
    for path in ("../bundle/manifest.json", "trace//x", "./manifest.json"):
        with pytest.raises(OSError, match="leaves the directory"), container.open(path):
            pass


def test_directories_without_end_are_a_finding(tmp_path: Path) -> None:
    """Neither the stack nor the open files run out."""
    root = copy_of_good(tmp_path)
    descriptor = os.open(root, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    report = sealtrace.verify(root)
    assert ("/".join("d" * 101), SPECIAL) in listing(report)
    subprocess.run(["rm", "-rf", str(root / "d")], check=True)


def test_a_file_that_grows_while_it_is_read_is_a_defect(tmp_path: Path) -> None:
    """As many bytes are read as were there when it was opened, and one more tells."""
    root = copy_of_good(tmp_path)
    with DirectoryContainer(root).open("manifest.json") as opened:
        with (root / "manifest.json").open("ab") as file:
            file.write(b" ")
        with pytest.raises(OSError, match="another length"):
            opened.whole()


def test_a_zip_that_holds_more_than_it_claims_is_a_finding(tmp_path: Path) -> None:
    """The claimed length bounds what is unpacked, so a false claim gains nothing."""
    path = "declare/label.test.jsonl"
    data = bytearray(zip_bytes())
    length = (GOOD / path).stat().st_size.to_bytes(4, "little")
    assert data.count(length) >= 2
    report = sealtrace.verify(written(tmp_path / "a.zip", bytes(data.replace(length, (10).to_bytes(4, "little")))))
    assert path in {one.source for one in report.findings if one.check == "identity.bytes"}


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "headers.tar.gz"])
def test_damaged_archives_never_raise_anything_else(name: str, tmp_path: Path) -> None:
    """Flipped bytes in an archive, or in a tar's headers, give a bundle with findings or a `BundleError`."""
    data = zip_bytes() if name == "a.zip" else tar_bytes()
    if name == "headers.tar.gz":
        data = gzip.decompress(data)
    generator = random.Random(name)
    refused = 0
    for _ in range(1200 if LONG else 100):
        damaged = _damaged_header(data, generator) if name.startswith("headers") else _damaged(data, generator)
        try:
            read_bundle(written(tmp_path / name, damaged))
        except BundleError:
            refused += 1
    assert refused > 0


def _damaged(data: bytes, generator: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(generator.choice([1, 1, 4])):
        # The directory of a .zip lies at its end; half of the damage goes there.
        last = generator.choice([len(data), min(len(data), 2500)])
        damaged[len(data) - 1 - generator.randrange(last)] = generator.randrange(256)
    return bytes(damaged)


def _damaged_header(data: bytes, generator: random.Random) -> bytes:
    damaged = bytearray(data)
    headers = [start for start in range(0, len(data), 512) if data[start + 257 : start + 262] == b"ustar"]
    start = generator.choice(headers)
    field = generator.choice([0, 100, 124, 125, 135, 156, 156, 257, 345])
    damaged[start + field] = generator.choice([*b"\0013457LxgS", 0x80, 0xFF, generator.randrange(256)])
    damaged[start + 148 : start + 156] = b" " * 8
    damaged[start + 148 : start + 156] = b"%06o\0 " % sum(damaged[start : start + 512])
    return gzip.compress(bytes(damaged), 1)


@pytest.mark.parametrize(("name", "found"), [(b"declare/protocol.json", False), (b"declare/other.json", True)])
def test_a_second_name_of_a_zip_member_is_found(tmp_path: Path, name: bytes, found: bool) -> None:
    """`unzip` goes by the field for Unicode paths, where there is one, and would unpack another bundle."""
    bundle, archive = small_study(tmp_path / "bundle"), tmp_path / "bundle.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
            info = zipfile.ZipInfo(path.relative_to(bundle).as_posix())
            if info.filename == "declare/protocol.json":
                field = b"\1" + zlib.crc32(info.filename.encode()).to_bytes(4, "little") + name
                info.extra = b"\x75\x70" + len(field).to_bytes(2, "little") + field
            packed.writestr(info, path.read_bytes())
    report = sealtrace.verify(archive, check=["identity"])
    assert any("another name" in finding.message for finding in report.findings) == found
