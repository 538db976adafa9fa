"""Bundles behind addresses: an archive, or a directory whose manifest says what to ask for.

Each file is asked for once and copied to a temporary file without a name: what is hashed is what is decoded, whatever
the server would answer the next time. The copy stops at the length that the manifest gives and at the budget. A server
that sends the reader elsewhere is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from urllib.parse import quote, unquote

from sealtrace.bundle.archives import Container, Member, Opened, packed
from sealtrace.bundle.budget import Budget
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.identity import MANIFEST, SUMS, unsafe_path
from sealtrace.bundle.strict_json import StrictJSONError, parse

_ARCHIVES = (".zip", ".tar.gz", ".tgz")
_PIECE = 2**20
_HELD = 2**23
"""A longer file is copied to the disk."""
_LONGEST_MANIFEST = 2**28
_SILENCE = 30.0
"""Seconds that a server may say nothing."""
_ADDRESS = re.compile(r"(?P<chain>(?:\w+::)*)(?P<scheme>[a-z][a-z0-9+.-]+):/+(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True)
class Address:
    """Where a bundle lies, if not on the file system."""

    scheme: str
    rest: str
    """The host or bucket, and what follows it."""
    archive: bool
    """Whether one file holds the whole bundle."""

    def __str__(self) -> str:
        """For messages: without a password, and without a query, which may hold a key."""
        host, slash, path = self.rest.partition("?")[0].partition("#")[0].partition("/")
        return f"{self.scheme}://{host.rpartition('@')[2]}{slash}{path}"

    def below(self, name: str) -> Address:
        """The address of a file in this directory. The name is taken literally: nothing in it is syntax."""
        if self.scheme == "s3":
            return Address("s3", f"{self.rest.rstrip('/')}/{name}", True)
        place, mark, query = self.rest.partition("#")[0].partition("?")
        return Address(self.scheme, f"{place.rstrip('/')}/{quote(name)}{mark}{query}", True)


def address_of(path: Path) -> Address | None:
    """The address that a path spells, whose slashes it has run together; None for a path of the file system."""
    match = _ADDRESS.fullmatch(path.as_posix())
    if match is None:
        return None
    chain, scheme, rest = match["chain"], match["scheme"], match["rest"]
    if chain not in ("", "zip::") or scheme not in ("http", "https", "s3", "file"):
        if path.exists():
            return None
        raise BundleError(
            f"{chain}{scheme}://…: not an address that is read (https://, http://, s3://, file://, or zip:: before one)"
        )
    name = rest if scheme == "s3" else rest.partition("?")[0].partition("#")[0]
    return Address(scheme, rest, chain == "zip::" or name.lower().endswith(_ARCHIVES))


def local_path(path: Path) -> Path:
    """The path that a file:// address names; any other path as it is."""
    address = address_of(path)
    return path if address is None or address.scheme != "file" else Path("/" + unquote(address.rest))


def shown(path: Path) -> str:
    """A bundle's place for messages."""
    return str(address_of(path) or path)


def open_remote(address: Address, stack: ExitStack, budget: Budget) -> Container:
    """The container at an address, or `BundleError`."""
    try:
        if not address.archive:
            return RemoteDirectory(address, budget)
        file = stack.enter_context(_copied(address, budget.reading, budget, str(address)))
    except FileNotFoundError as error:
        wanted = "there" if address.archive else f"with a {MANIFEST} there"
        raise BundleError(f"{address}: no bundle {wanted} ({error.strerror})") from None
    except _LongAnswerError as error:
        raise BundleError(f"{address}: {error.strerror}") from None
    container = packed(file, str(address).lower(), stack, budget)
    if container is None:
        raise BundleError(f"{address}: not a bundle (a .zip or a .tar.gz)")
    return container


class RemoteDirectory(Container):
    """A directory that cannot be listed: its manifest says what is there."""

    unseen = (
        "files that the manifest does not list, and witnesses, cannot be looked for at an address; "
        "an archive or a copy of the directory shows them"
    )

    def __init__(self, address: Address, budget: Budget) -> None:
        self._address, self._budget = address, budget
        with _copied(address.below(MANIFEST), _LONGEST_MANIFEST, budget, MANIFEST) as file:
            self._manifest = file.read()
        budget.hold(len(self._manifest), MANIFEST)
        self._lengths = {SUMS: _LONGEST_MANIFEST} | self._listed()

    def _listed(self) -> dict[str, int]:
        """Paths and lengths that the manifest gives; none where it is not sound, which the reader will say."""
        try:
            manifest = parse(self._manifest)
        except StrictJSONError:
            return {}
        if misfits_of("manifest", manifest):
            return {}
        entries = {entry["path"]: int(entry["bytes"]) for entry in manifest["files"]}
        return {path: length for path, length in entries.items() if not unsafe_path(path) and path != SUMS}

    def members(self) -> list[Member]:
        return [Member(path, "file") for path in sorted({MANIFEST, *self._lengths})]

    @contextmanager
    def open(self, path: str) -> Iterator[Opened]:
        if path == MANIFEST:
            length, copy = len(self._manifest), _spool(self._manifest)
        elif path not in self._lengths:
            raise OSError(0, "the manifest does not list it")
        else:
            copy = _copied(self._address.below(path), self._lengths[path], self._budget, path)
            length = copy.seek(0, 2)
            copy.seek(0)
            # Whoever opens a file counts its length: it is the same reading.
            self._budget.done -= length
        with copy:
            yield Opened(length, copy)

    def source(self, path: str) -> str | None:
        address = self._address.below(path)
        return f"{address.scheme}://{address.rest}"


class _LongAnswerError(OSError):
    pass


def _spool(data: bytes = b"") -> IO[bytes]:
    file: Any = SpooledTemporaryFile(max_size=_HELD)  # noqa: SIM115 - whoever asked for it closes it
    file.write(data)
    file.seek(0)
    return file  # type: ignore[no-any-return]


def _copied(address: Address, limit: int, budget: Budget, what: str) -> IO[bytes]:
    """The bytes at an address. `FileNotFoundError` where there are none; `BundleError` where they cannot be had."""
    copy = _spool()

    def take(piece: bytes) -> None:
        budget.read(len(piece), what)
        if copy.tell() + len(piece) > limit:
            raise _LongAnswerError(0, f"it is longer than the {limit} bytes that it may have")
        copy.write(piece)

    try:
        budget.on_time(what)
        (_from_bucket if address.scheme == "s3" else _from_server)(address, take, budget)
    except (BundleError, FileNotFoundError, _LongAnswerError):
        copy.close()
        raise
    except TimeoutError:
        copy.close()
        budget.on_time(what)
        raise BundleError(f"{address}: the server said nothing for {_SILENCE:g} seconds") from None
    except Exception as error:  # each store has exceptions of its own, which are not known here
        copy.close()
        cause = getattr(error, "os_error", error)
        reason = os.strerror(cause.errno) if isinstance(cause, ConnectionError) and cause.errno else error
        # What a server said is in some of them, of any length.
        said = str(getattr(error, "message", reason)).replace(address.rest, "…").partition("\n")[0][:200].rstrip(":")
        raise BundleError(f"{address}: cannot be fetched ({said or type(error).__name__})") from None
    copy.seek(0)
    return copy


def _from_server(address: Address, take: Callable[[bytes], None], budget: Budget) -> None:
    try:
        import aiohttp
        from fsspec.asyn import get_loop, sync
    except ImportError:
        raise BundleError(f"{address}: read with fsspec and aiohttp: pip install 'sealtrace[remote]'") from None

    async def fetch() -> None:
        # A little more than is left, so that the budget's own sentence says what happened.
        waiting = aiohttp.ClientTimeout(budget.seconds_left() + 0.1, sock_connect=_SILENCE, sock_read=_SILENCE)
        # The bytes as they are stored: a server that calls a .tar.gz an encoding must not have it unpacked.
        async with (
            aiohttp.ClientSession(
                timeout=waiting, auto_decompress=False, headers={"Accept-Encoding": "identity"}
            ) as session,
            session.get(f"{address.scheme}://{address.rest}", allow_redirects=False) as response,
        ):
            if response.status in (404, 410):
                raise FileNotFoundError(2, f"the server answers {response.status}")
            if 300 <= response.status < 400:
                raise BundleError(f"{address}: the server sends the reader elsewhere; name the final address")
            if response.status != 200:
                raise BundleError(f"{address}: the server answers {response.status}")
            async for piece in response.content.iter_chunked(_PIECE):
                take(piece)

    sync(get_loop(), fetch)


def _from_bucket(address: Address, take: Callable[[bytes], None], _: Budget) -> None:
    try:
        import fsspec

        store = fsspec.filesystem("s3")
    except ImportError:
        raise BundleError(f"{address}: read with s3fs: pip install 'sealtrace[remote]' s3fs") from None
    try:
        with store.open(address.rest, "rb") as file:
            while piece := file.read(_PIECE):
                take(piece)
    except FileNotFoundError:
        raise FileNotFoundError(2, "the bucket holds no such file") from None
