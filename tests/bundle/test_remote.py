"""Bundles at addresses: the report of the copy on disk, each file asked for once, and no server holds a reader up."""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import sealtrace as package
from bundle.test_archives import GOOD, fixture_files, tar_bytes, zip_bytes
from cli.runner import sealtrace
from large_bundle import make
from results.small_results import sealed_study
from sealtrace.bundle import blocks, remote
from sealtrace.contract.result import Result
from sealtrace.examination import examine
from small_study import small_study


class Server(ThreadingHTTPServer):
    """Answers with the pages that it was given; some paths misbehave."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.broken = ""
        """A path whose file breaks off."""
        self.stopping = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def put(self, directory: Path, at: str) -> None:
        """Serves the files of a directory."""
        for path in directory.rglob("*"):
            if path.is_file():
                self.pages[f"{at}/{quote(path.relative_to(directory).as_posix())}"] = path.read_bytes()


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        page = self.server.pages.get(self.path)
        misbehave = getattr(self, "_" + self.path.replace("/", ".").split(".")[1], None)
        if self.path == self.server.broken:
            misbehave = self._truncated
        if misbehave is not None:
            misbehave()
        elif page is None:
            self.send_error(404)
        else:
            self._begin(200, len(page))
            self.wfile.write(page)

    def _begin(self, status: int, length: int | None, **headers: str) -> None:
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _elsewhere(self) -> None:
        self._begin(302, 0, Location="/good.zip")

    def _home(self) -> None:
        self._begin(302, 0, Location="file:///etc/hostname")

    def _angry(self) -> None:
        self.send_error(503)

    def _truncated(self) -> None:
        self._begin(200, 1000)
        self.wfile.write(b"PK")

    def _endless(self) -> None:
        self._begin(200, None)
        try:
            while not self.server.stopping.is_set():
                self.wfile.write(bytes(2**16))
        except OSError:
            self.close_connection = True  # the reader has left, as it should

    def _silent(self) -> None:
        self.server.stopping.wait(60)

    def _chatty(self) -> None:
        self.wfile.write(b"{\n" + b"secret " * 1000)
        self.close_connection = True

    def _dripping(self) -> None:
        """A header that never ends, a byte at a time."""
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            while not self.server.stopping.wait(0.05):
                self.wfile.write(b"x")
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing: the test looks at what was asked."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.stopping.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return small_study(tmp_path / "small")


def said(report: Result, *but: str) -> dict[str, Any]:
    """A report without its times, and without some checks."""
    value: dict[str, Any] = json.loads(report.model_dump_json())
    value["checks"] = [{**check, "seconds": None} for check in value["checks"] if check["id"] not in but]
    return value


UNSEEN = ("identity.listing", "witness.outside")


def test_an_archive_at_an_address_gives_the_report_of_the_directory(server: Server) -> None:
    """Whatever carries the bundle, and by one request."""
    server.pages |= {"/good.zip": zip_bytes(), "/good.tar.gz": tar_bytes("top/"), "/17?x=1": zip_bytes()}
    wanted = said(package.verify(GOOD))
    for address in (f"{server.address}/good.zip", f"{server.address}/good.tar.gz", f"zip::{server.address}/17?x=1"):
        assert said(package.verify(address)) == wanted
    assert server.asked == ["/good.zip", "/good.tar.gz", "/17?x=1"]
    assert said(package.verify(GOOD.as_uri())) == wanted


def test_a_directory_at_an_address_gives_the_report_but_for_what_it_cannot_list(server: Server) -> None:
    """Every file is asked for once. What cannot be looked for is missing, and the verdict says so."""
    server.put(GOOD, "/a%20b")
    report = package.verify(f"{server.address}/a%20b/")
    there, here = said(report, *UNSEEN), said(package.verify(GOOD), *UNSEEN)
    assert there["checks"] == here["checks"]
    assert there["findings"] == here["findings"]
    assert there["subject"] == here["subject"]
    assert {check.id for check in report.checks if check.status == "missing"} == set(UNSEEN)
    assert (report.verdict, report.exit_code) == ("incomplete", 3)
    lengths = sum(len(data) for _, data in fixture_files())
    assert lengths <= examine(f"{server.address}/a%20b").bundle.budget.done < 2 * lengths
    assert sorted(server.asked) == sorted(2 * [f"/a%20b/{path}" for path, _ in fixture_files()])


def test_large_rows_at_an_address_are_streamed(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row group at a time, as from the disk; the digest is that of the one copy."""
    monkeypatch.setattr(blocks, "SMALL", 500)
    monkeypatch.setattr(blocks, "BLOCK", 300)
    make(tmp_path / "large", 120)
    server.put(tmp_path / "large", "/large")
    there = examine(f"{server.address}/large")
    assert there.bundle.streamed
    assert said(there.report, *UNSEEN)["checks"] == said(package.verify(tmp_path / "large"), *UNSEEN)["checks"]
    assert sorted(server.asked) == sorted(server.pages)


def test_a_changed_a_longer_and_an_absent_file_are_found(server: Server, small: Path) -> None:
    """The length that the manifest gives bounds what is fetched."""
    server.put(small, "/s")
    place = "/s/declare/label.test.jsonl"
    good = server.pages[place]

    def found(data: bytes | None) -> list[tuple[str, str | None]]:
        server.pages.pop(place, None)
        if data is not None:
            server.pages[place] = data
        report = package.verify(f"{server.address}/s")
        assert report.exit_code == 1
        return [(one.message, one.field) for one in report.findings if one.check == "identity.bytes"]

    assert found(good.replace(b"cat", b"dog", 1))[0][1] == "/sha256"
    assert "longer than" in found(good + b"\n")[0][0]
    assert "the server answers 404" in found(None)[0][0]


def test_a_manifest_cannot_ask_for_what_lies_outside(server: Server, small: Path) -> None:
    """Neither by dots nor by characters that mean something in an address."""
    manifest = json.loads((small / "manifest.json").read_text())
    for number, path in enumerate(["../secret", "/secret", "a/../../secret", "%2e%2e/secret", "x?y", "x#y"]):
        manifest["files"].append({**manifest["files"][0], "path": path, "bytes": number + 1})
    (small / "manifest.json").write_text(json.dumps(manifest))
    server.put(small, "/s")
    report = package.verify(f"{server.address}/s")
    assert report.exit_code == 1
    files = {quote(f"/s/{path}") for path in ["%2e%2e/secret", "x?y", "x#y"]}
    assert set(server.asked) == server.pages.keys() | files


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nothing.zip", "no bundle there (the server answers 404)"),
        ("nothing", "no bundle with a manifest.json there (the server answers 404)"),
        ("elsewhere.zip", "sends the reader elsewhere"),
        ("home.zip", "sends the reader elsewhere"),
        ("angry.zip", "the server answers 503"),
        ("truncated.zip", "cannot be fetched"),
        ("text.zip", "not a bundle (a .zip or a .tar.gz)"),
        ("text.tar.gz", "the archive is damaged"),
        ("silent.zip", "said nothing for 0.2 seconds"),
        ("chatty.zip", "chatty.zip: cannot be fetched ("),
    ],
)
def test_what_cannot_be_fetched_is_one_sentence(
    server: Server, monkeypatch: pytest.MonkeyPatch, path: str, sentence: str
) -> None:
    """Exit code 2, no traceback; and a redirection is not followed."""
    monkeypatch.setattr(remote, "_SILENCE", 0.2)
    server.pages |= {"/good.zip": zip_bytes(), "/text.zip": b"text", "/text.tar.gz": b"text"}
    run = sealtrace("verify", f"{server.address}/{path}")
    assert (run.code, run.output) == (2, "")
    assert sentence in run.errors
    assert (run.errors.count("\n"), len(run.errors) < 300) == (1, True)
    assert len(server.asked) == 1


@pytest.mark.parametrize("address", ["http://[::1", "http://127.0.0.1:99999", "https://a b"])
def test_what_is_no_address_cannot_be_fetched(address: str) -> None:
    """No archive is damaged where none was reached."""
    run = sealtrace("verify", address)
    assert (run.code, run.errors.count("\n")) == (2, 1)
    assert run.errors.startswith(f"sealtrace: {address}/manifest.json: cannot be fetched (")


def test_a_file_that_breaks_off_within_a_directory_ends_the_run(server: Server, small: Path) -> None:
    """The network failed, not the authors: there is no verdict."""
    server.put(small, "/s")
    server.broken = "/s/declare/label.test.jsonl"
    run = sealtrace("verify", f"{server.address}/s")
    assert (run.code, run.output) == (2, "")
    assert "label.test.jsonl: cannot be fetched" in run.errors


def test_what_an_address_holds_in_secret_is_not_said() -> None:
    """Messages end up in logs."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    run = sealtrace("verify", f"http://someone:word@127.0.0.1:{port}/x.zip?key=1")
    assert run.code == 2
    assert "Connection refused" in run.errors
    invalid = sealtrace("verify", "http://someone:word@host:99999/x.zip?key=1")
    assert invalid.code == 2
    assert "word" not in run.errors + invalid.errors
    assert "key" not in run.errors + invalid.errors


@pytest.mark.parametrize(
    ("path", "option"),
    [("endless.zip", "--max-bytes=1MiB"), ("endless", "--max-bytes=1MiB"), ("dripping.zip", "--max-seconds=1")],
)
def test_a_server_that_never_ends_is_stopped_by_the_budget(server: Server, path: str, option: str) -> None:
    """Whether it sends too much or too slowly."""
    run = sealtrace("verify", f"{server.address}/{path}", option)
    assert run.code == 2
    assert option.partition("=")[0] in run.errors


def test_buckets_are_read_where_their_library_is_there(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store in memory stands for s3fs; without one, the sentence says what to install."""
    run = sealtrace("verify", "s3://bucket/small.zip") if not _has_s3fs() else None
    assert run is None or (run.code == 2 and "pip install 'sealtrace[remote]' s3fs" in run.errors)
    store = MemoryFileSystem()
    monkeypatch.setattr(fsspec, "filesystem", lambda _: store)
    packed = shutil.make_archive(str(small), "zip", small)
    store.pipe("/bucket/small.zip", Path(packed).read_bytes())
    for path in small.rglob("*"):
        if path.is_file():
            store.pipe(f"/bucket/small/{path.relative_to(small).as_posix()}", path.read_bytes())
    wanted = said(package.verify(small))
    assert said(package.verify("s3://bucket/small.zip")) == wanted
    assert said(package.verify("s3://bucket/small"), *UNSEEN)["findings"] == wanted["findings"]
    assert "the bucket holds no such file" in sealtrace("verify", "s3://bucket/other").errors


def _has_s3fs() -> bool:
    from importlib.util import find_spec

    return find_spec("s3fs") is not None


@pytest.mark.parametrize("address", ["ftp://h/x.zip", "simplecache::https://h/x.zip", "zip://a::https://h/x.zip"])
def test_other_addresses_are_refused_by_name(address: str) -> None:
    """They would reach further than one file of one server."""
    run = sealtrace("verify", address)
    assert run.code == 2
    assert "not an address that is read" in run.errors


def test_a_cache_takes_no_address(tmp_path: Path) -> None:
    """It hashes everything first, which would be a second reading."""
    run = sealtrace("verify", "https://example.org/x.zip", "--cache", tmp_path)
    assert run.code == 2
    assert "--cache" in run.errors


def test_a_dataset_at_an_address_is_streamed_from_one_read(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checks, metrics and queries of its rows read what was hashed: no file is asked for twice."""
    monkeypatch.setattr(blocks, "SMALL", 30)
    monkeypatch.setattr(blocks, "BLOCK", 20)
    bundle = sealed_study(tmp_path / "study", "parquet")
    server.put(bundle, "/results")
    server.asked.clear()
    found = examine(f"{server.address}/results")
    asked = [path for path in server.asked if path.startswith("/results/")]
    assert set(found.bundle.streamed["results"].frames) == {"answers"}
    assert (len(asked), "/results/report/rows.answers.parquet" in asked) == (len(set(asked)), True)
    assert {cell.status for cell in found.report.numbers} == {"exact", "attested"}
