"""`verify --scheduler`: workers of a real cluster give the report that a thread gives, and what is lost is missing."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import pytest

from large_bundle import make
from results.test_streaming import judged, study
from sealtrace import examination
from sealtrace.bundle import blocks, cluster
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.shards import LostShardError, Shard, Threads

distributed = pytest.importorskip("distributed")

SMALL = "from sealtrace.bundle import blocks; blocks.SMALL, blocks.BLOCK = 10, 8\n"
"""A worker cuts blocks as the tests do."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of more than ten rows counts as large here."""
    monkeypatch.setattr(blocks, "SMALL", 10)
    monkeypatch.setattr(blocks, "BLOCK", 8)


class Started:
    """A scheduler and two workers on the loopback interface, each a process of its own."""

    def __init__(self, directory: Path) -> None:
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.directory = directory
        (directory / "small.py").write_text(SMALL)
        port = self.address.rpartition(":")[2]
        self.processes = [self._run("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")]
        self.workers = [self.worker(), self.worker()]

    def worker(self) -> subprocess.Popen[bytes]:
        options = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard", "--memory-limit", "0")
        place = ("--local-directory", str(self.directory), "--preload", str(self.directory / "small.py"))
        process = self._run("worker", self.address, *options, *place)
        self.processes.append(process)
        return process

    def _run(self, *arguments: str) -> subprocess.Popen[bytes]:
        module = f"dask_{arguments[0]}"
        program = f"import sys; from distributed.cli import {module}; {module}.main(args=sys.argv[1:])"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MALLOC_ARENA_MAX": "2"}
        return subprocess.Popen(
            [sys.executable, "-c", program, *arguments[1:]],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.directory,
        )  # fmt: skip

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait(30)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    found = Started(tmp_path_factory.mktemp("cluster"))
    try:
        with distributed.Client(found.address, timeout=120, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield found
    finally:
        found.close()


def report(bundle: Path, address: str | None, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What is found with workers, or without."""
    real = examination.examine
    with monkeypatch.context() as patched:
        patched.setattr(examination, "examine", lambda *a, **k: real(*a, **k, scheduler=address))
        return judged(bundle, patched)[0]


def test_the_report_is_the_same(started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last field; both workers were given glibc's settings, and rows were looked at there and not here."""
    bundle = study(tmp_path / "study")
    with_workers = report(bundle, started.address, monkeypatch)
    assert with_workers == report(bundle, None, monkeypatch)
    assert with_workers["verdict"] == "verified"
    with distributed.Client(started.address, set_as_default=False) as client:
        settings = client.run(lambda dask_worker: dask_worker.sealtrace_malloc)
        logs = client.run(lambda dask_worker: dask_worker.state.tasks.keys() or 1)
    assert (len(settings), set(settings.values())) == (2, {(1, 1, 1)})
    assert len(logs) == 2


def test_traces_and_scores_too(started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Policies are replayed by workers, who are sent the records beside the traces."""
    monkeypatch.setattr(blocks, "SMALL", 500)
    monkeypatch.setattr(blocks, "BLOCK", 300)
    make(tmp_path / "policies", 120)
    each = Threads.each

    def only_tables(threads: Threads, look: Any, files: Any, shards: Any) -> Iterator[Any]:
        assert not files, "shards were looked at here"
        return each(threads, look, files, shards)

    monkeypatch.setattr(Threads, "each", only_tables)
    with_workers = report(tmp_path / "policies", started.address, monkeypatch)
    monkeypatch.undo()
    monkeypatch.setattr(blocks, "SMALL", 500)
    monkeypatch.setattr(blocks, "BLOCK", 300)
    assert with_workers == report(tmp_path / "policies", None, monkeypatch)
    assert with_workers["verdict"] == "verified"


def test_an_archive_is_sent(started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers cannot open a member of an archive by itself, so they are given its bytes."""
    bundle = study(tmp_path / "study", queries=False)
    packed = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", bundle))
    assert report(packed, started.address, monkeypatch)["verdict"] == "verified"


def test_a_worker_that_sees_another_file_is_found(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are missing, not passed and not an error of the bundle; what does not need them is judged."""
    bundle = study(tmp_path / "study", queries=False)
    other = tmp_path / "other"
    shutil.copytree(bundle, other)
    path = other / "report/rows.answers.parquet"
    path.write_bytes(b"PAR1" + bytes(1000) + path.read_bytes()[1004:])
    real = cluster._piece
    monkeypatch.setattr(
        cluster,
        "_piece",
        lambda file, shard: replace(real(file, shard), source=str(file.source).replace("study", "other")),
    )
    found = report(bundle, started.address, monkeypatch)
    status = {check["id"]: check for check in found["checks"]}
    assert (found["verdict"], status["identity.bytes"]["status"]) == ("incomplete", "missing")
    assert "sees other bytes" in status["dataset.complete"]["reason"]
    assert {cell["status"] for cell in found["numbers"]} == {"missing"}
    assert not [one for one in found["findings"] if one["severity"] == "error" and one["check"] != "table.cells"]


def test_a_killed_worker_is_survived(started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is killed in the middle of the pass; the other takes its shards, and the report is the same."""
    bundle = study(tmp_path / "study", queries=False)
    expected = report(bundle, None, monkeypatch)
    seen: list[int] = []
    real = cluster._piece

    def kill_at_the_third(file: Any, shard: Any) -> Any:
        seen.append(shard.place)
        if len(seen) == 3:
            started.workers[0].send_signal(signal.SIGKILL)
        return real(file, shard)

    monkeypatch.setattr(cluster, "_piece", kill_at_the_third)
    assert report(bundle, started.address, monkeypatch) == expected
    started.workers[0].wait(30)
    assert len(seen) > 3


def test_without_any_worker_nothing_is_passed(started: Started, tmp_path: Path) -> None:
    """The last worker is killed: the rows are missing, or there is nobody to ask in the first place."""
    bundle = study(tmp_path / "study", queries=False)
    with cluster.Cluster(started.address) as workers, pytest.MonkeyPatch.context() as patched:
        patched.setattr(blocks, "SMALL", 10)
        patched.setattr(blocks, "BLOCK", 8)
        patched.setattr(cluster, "PATIENCE", 1.0)
        for process in started.workers:
            process.kill()
            process.wait(30)
        patched.setattr(examination, "_workers", lambda *_: cluster_of(workers))
        found = examination.examine(bundle).report
    assert found.verdict == "incomplete"
    assert {check.status for check in found.checks if check.id.startswith("dataset.")} == {"missing"}
    with pytest.raises(BundleError, match="has no workers"):
        examination.examine(bundle, scheduler=started.address)


def cluster_of(workers: cluster.Cluster) -> Any:
    """A cluster that is open already."""
    return nullcontext(workers)


def test_a_port_that_says_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """It lets everybody connect and never answers, for which dask alone would wait for ever."""
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(BundleError, match=r"no dask scheduler answers there \(nothing was said for 2 s\)"):
            cluster.Cluster(address).__enter__()


@pytest.mark.parametrize(
    "said",
    [
        bytes(4096),
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        struct.pack("<Q", 2**62),
        struct.pack("<QQ", 8, 2**40) + bytes(99),
        struct.pack("<QQQ", 20, 1, 4) + b"\x83abc",
    ],
    ids=["nothing but zeros", "a web server", "a length without end", "a frame without end", "a message cut off"],
)
def test_a_port_that_says_something_else_is_no_scheduler(
    said: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What dask makes of it is no fault of the verifier's, and no lack of memory; it says nothing of its own."""
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    dask = logging.getLogger("distributed")
    monkeypatch.setattr(dask, "handlers", [caplog.handler])

    class Saying(BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.sendall(said)
                while self.request.recv(2**16):
                    pass

    with ThreadingTCPServer(("127.0.0.1", 0), Saying) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(BundleError, match="no dask scheduler answers there"):
            cluster.Cluster(f"tcp://127.0.0.1:{server.server_address[1]}").__enter__()
        server.shutdown()
    assert caplog.records == []


def test_no_scheduler_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong address is told as such."""
    monkeypatch.setattr(cluster, "SECONDS_TO_CONNECT", 1)
    with pytest.raises(BundleError, match="no dask scheduler answers there"):
        examination.examine(study(tmp_path / "study", queries=False), scheduler="tcp://127.0.0.1:9")


class Answering:
    """A cluster whose workers answer with the same thing, whatever they are asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __call__(self, *_: object, **__: object) -> Answering:
        return self

    submit = scatter = __call__

    def nthreads(self) -> dict[str, int]:
        return {"worker": 1}

    def result(self, **_: object) -> object:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [None, "rows", {}, 7, RuntimeError("out of sorts"), TypeError("cannot unpickle")])
def test_nonsense_is_a_lost_shard(answer: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run goes on without what that worker should have said; nothing passes, and nothing crashes."""
    bundle = study(tmp_path / "bundle")
    workers = cluster.Cluster("tcp://127.0.0.1:1")
    workers._client, workers._threads = Answering(answer), 1
    monkeypatch.setattr(examination, "_workers", lambda *_: nullcontext(workers))
    report = examination.examine(bundle).report
    assert report.verdict == "incomplete"
    assert any("a worker answered with" in (check.reason or "") for check in report.checks)


def test_a_worker_of_another_version_is_found_whenever_it_came() -> None:
    """Those that come in the place of lost ones were not there to be asked."""
    with pytest.raises(LostShardError, match="a worker has sealtrace"):
        cluster.look_at(lambda: None, [], "0.0.0")


def test_workers_are_not_sent_elsewhere() -> None:
    """The server of the bundle decides nothing about which hosts a worker talks to."""
    met: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            met.append(self.path)
            self.send_response(302)
            self.send_header("Location", "/other")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815 - the name that the library looks for

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        source = f"http://127.0.0.1:{server.server_port}/rows.parquet"
        with pytest.raises(LostShardError):
            cluster.Piece(Shard(0, 0, 1, b""), source, 0, 4, "0" * 64).found()
        server.shutdown()
    assert set(met) == {"/rows.parquet"}
