"""Shards looked at by the workers of a dask cluster: `verify --scheduler ADDRESS`.

The same functions run there that threads run here. This process reads and hashes every byte, as ever; a worker reads
the row groups that it is given by itself, at the path or address of the bundle, and only decodes bytes whose SHA-256 is
the one that was computed here. So a worker that sees another file is found. Workers and scheduler are trusted as this
machine is (docs/adr/0019-workers.md): they run the verifier's code, and what they say of those bytes is believed.
"""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import isroutine
from threading import Thread
from types import TracebackType
from typing import Any, TypeVar, get_type_hints

from sealtrace import __version__
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.shards import LaidOut, LostShardError, Shard, give_memory_back

ATTEMPTS = 3
"""How often a shard is given to somebody else, after a worker was lost, before it is given up."""
SECONDS_TO_CONNECT = 10
PATIENCE = 30.0
"""Seconds for which lost workers may be replaced."""
_Given = TypeVar("_Given")


@dataclass(frozen=True)
class Piece:
    """One row group of a file, as a worker is told to find it."""

    shard: Shard
    """Without its bytes, where the file can be opened from elsewhere."""
    source: str | None
    start: int
    length: int
    sha256: str

    def found(self) -> Shard:
        """The row group with the bytes that were hashed, or `LostShardError`."""
        data = self.shard.data
        if self.source is not None:
            try:
                with self._opened() as file:
                    file.seek(self.start)
                    data = file.read(self.length)
            except Exception as error:  # each store has exceptions of its own
                raise LostShardError(f"a worker cannot read {self.source} ({error})") from None
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise LostShardError(f"a worker sees other bytes of {self.source} than the reader")
        return replace(self.shard, data=data)

    def _opened(self) -> Any:
        if self.source is None or "://" not in self.source:
            return open(str(self.source), "rb")
        import fsspec

        # A server that sends the reader elsewhere is refused there as it is here.
        options = {} if self.source.startswith("s3:") else {"allow_redirects": False}
        return fsspec.open(self.source, "rb", **options).open()


def look_at(look: Callable[..., _Given], pieces: Sequence[Piece], version: str) -> _Given:
    """What a worker does: reads its row groups, proves that they are the right ones, and looks at them.

    Whenever it came: workers that come later were not asked for their version before.
    """
    if version != __version__:
        raise LostShardError(f"a worker has sealtrace {__version__}, and this is {version}")
    return look(*(piece.found() for piece in pieces))


def prepare(dask_worker: Any) -> str:
    """Gives a worker the settings without which glibc keeps what threads have freed; its version of the verifier."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    dask_worker.sealtrace_malloc = give_memory_back()
    return __version__


def _within(seconds: float, ask: Callable[[], Any]) -> Any:
    """What is answered within a time: dask waits for ever for a peer that lets it connect and then says nothing."""
    answers: list[tuple[Any, BaseException | None]] = []

    def wait() -> None:
        try:
            answers.append((ask(), None))
        except BaseException as error:
            answers.append((None, error))

    # A thread that still waits when the process ends does not hold it up.
    thread = Thread(target=wait, daemon=True)
    thread.start()
    thread.join(seconds)
    if not answers:
        raise TimeoutError(f"nothing was said for {seconds:g} s")
    answer, error = answers[0]
    if error is not None:
        raise error
    return answer


class Cluster:
    """The workers of a dask scheduler, for as long as it is open."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __enter__(self) -> Cluster:
        try:
            dask: Any = import_module("distributed")
        except ImportError:
            raise BundleError(f"{self.address}: read with dask: pip install 'sealtrace[cluster]'") from None
        # It writes a traceback for each message that it cannot read, beside the sentence here that says so.
        logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
        try:
            self._client = _within(
                2 * SECONDS_TO_CONNECT,
                lambda: dask.Client(self.address, timeout=SECONDS_TO_CONNECT, set_as_default=False),
            )
            found = _within(PATIENCE, lambda: self._client.run(prepare))
        # What is no scheduler says anything, which dask takes for lengths that no memory has, and for frames.
        except Exception as error:
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise BundleError(f"{self.address}: no dask scheduler answers there ({reason})") from None
        try:
            if not found:
                raise BundleError(f"{self.address}: the scheduler has no workers; start some with `dask worker`")
            for worker, version in found.items():
                if version != __version__:
                    raise BundleError(f"{worker}: the worker has sealtrace {version}, and this is {__version__}")
            # Those that come later, in the place of lost ones, too.
            plugin = type("Prepared", (dask.WorkerPlugin,), {"setup": lambda _, worker: prepare(worker)})
            self._client.register_plugin(plugin(), name="sealtrace")
            self._threads = sum(self._client.nthreads().values())
        except BaseException:
            self._client.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._client.close()

    def each(
        self, look: Callable[..., _Given], files: Sequence[LaidOut], shards: Iterable[tuple[Shard, ...]]
    ) -> Iterator[_Given]:
        """What workers give for each shard, in order. `LostShardError` where nobody could be had for one."""
        shared = self._shared(look)
        waiting: deque[tuple[Any, list[Piece]]] = deque()
        for some in shards:
            pieces = [_piece(file, shard) for file, shard in zip(files, some, strict=True)]
            waiting.append((self._client.submit(look_at, shared, pieces, __version__, pure=False), pieces))
            if len(waiting) > 2 * self._threads:
                yield self._result(look, *waiting.popleft())
        while waiting:
            yield self._result(look, *waiting.popleft())

    def _shared(self, look: Callable[..., _Given]) -> Any:
        """What looks at shards, sent to every worker once."""
        try:
            return self._client.scatter(look, broadcast=True, hash=False, timeout=PATIENCE)
        except Exception as error:
            raise LostShardError(f"no worker of {self.address} can be reached ({error})") from None

    def _result(self, look: Callable[..., _Given], future: Any, pieces: list[Piece]) -> _Given:
        from distributed import KilledWorker

        reason = "no worker is left"
        for _ in range(ATTEMPTS):
            try:
                return _answer_of(look, self._awaited(future))
            except (KilledWorker, CancelledError, OSError) as error:
                reason = str(error).partition("\n")[0] or type(error).__name__
                # What every worker was given is gone where all that had it are.
                future = self._client.submit(look_at, self._shared(look), pieces, __version__, pure=False)
            except Exception as error:
                # What the verifier's own functions say of the rows; anything else is no answer to the question.
                if type(error).__module__.partition(".")[0] == "sealtrace":
                    raise
                raise LostShardError(f"a worker answered with {type(error).__name__}") from None
        first = pieces[0].shard
        rows = f"rows {first.first + 1} to {first.first + first.rows}"
        raise LostShardError(f"the workers that looked at {rows} were lost ({reason})")

    def _awaited(self, future: Any) -> Any:
        """Waits for a result as long as a worker is there or may come back."""
        alone = 0.0
        while True:
            try:
                return future.result(timeout=PATIENCE / 10)
            except TimeoutError:
                alone = 0.0 if self._client.nthreads() else alone + PATIENCE / 10
                if alone >= PATIENCE:
                    raise LostShardError(f"no worker of {self.address} is left") from None


def _answer_of(look: Callable[..., _Given], found: Any) -> _Given:
    """What a worker gave, where it is what the function gives."""
    wanted = get_type_hints(look if isroutine(look) else type(look).__call__).get("return")
    if isinstance(wanted, type) and not isinstance(found, wanted):
        raise LostShardError(f"a worker answered with {type(found).__name__}, not with what it was asked for")
    given: _Given = found
    return given


def _piece(file: LaidOut, shard: Shard) -> Piece:
    start, stop = file.extent(shard.place)
    bare = replace(shard, data=b"") if file.source is not None else shard
    return Piece(bare, file.source, start, stop - start, hashlib.sha256(shard.data).hexdigest())
