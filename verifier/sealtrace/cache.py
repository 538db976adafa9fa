"""Reports of bundles that have not changed: `verify --cache DIR`.

A report is found again by a key over everything that it depends on: every byte of the bundle, hashed in this very run,
what was asked, the verifier's own code, and the libraries that it computes with. Nothing is believed because of a
name, a time or a length; an entry for other bytes cannot be found. What cannot be read is computed anew. Entries are as
trustworthy as the directory: one that others can write to is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path

from sealtrace.bundle.archives import open_container
from sealtrace.bundle.budget import INCIDENTS
from sealtrace.bundle.defects import BundleError, real_path
from sealtrace.bundle.identity import stream_digest
from sealtrace.bundle.placing import plain_bytes, replace_file
from sealtrace.contract.packs import GROUP
from sealtrace.contract.result import Result
from sealtrace.examination import Examination


def _installed() -> set[str]:
    """Every distribution with its version, by the names of their directories: to open each would take 0.2 s."""
    places = [Path(place) for place in sys.path if Path(place).is_dir()]
    return {name for place in places for name in os.listdir(place) if name.endswith((".dist-info", ".egg-info"))}


class Cache:
    """What is known of one bundle under one set of questions."""

    def __init__(self, directory: Path, bundle: Path, asked: dict[str, object]) -> None:
        self._directory, self._bundle, self._asked = directory, bundle, asked
        self._incidents = len(INCIDENTS)
        self._refuse_others()
        self._digests = self._hashed()

    def report(self) -> Result | None:
        """The report of these very bytes; None where there is none, or none that can be read."""
        if self._others:
            return None
        try:
            entry = json.loads(plain_bytes(self._place))
            return Result.model_validate_json(json.dumps(entry["report"])) if entry["key"] == self.key else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError, MemoryError):
            return None

    def keep(self, examination: Examination, report: Result) -> None:
        """Keeps a report, where what was examined is what was hashed before, and nothing was lost or ran out."""
        if len(INCIDENTS) > self._incidents:
            return
        read = examination.bundle.digests
        if self._bundle.is_dir() and any(self._digests.get(path) != digest for path, digest in read.items()):
            return
        if self._others or self._hashed() != self._digests:
            return
        entry = {"key": self.key, "report": json.loads(report.model_dump_json())}
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            replace_file(self._place, json.dumps(entry).encode())
        except OSError as error:
            raise BundleError(f"{error.filename or self._directory}: {error.strerror or error}") from None

    def _refuse_others(self) -> None:
        """Whoever can write an entry can write a verdict: the directory is the reader's own, and not the bundle's."""
        if real_path(self._directory).is_relative_to(real_path(self._bundle)):
            raise BundleError(f"{self._directory}: inside the bundle, which cannot keep its own reports")
        if os.name == "posix" and self._directory.exists():
            found = self._directory.stat()
            if found.st_uid != os.getuid() or found.st_mode & 0o022:
                message = "others can write there, and so write verdicts; `chmod go-w`, or take a directory of your own"
                raise BundleError(f"{self._directory}: {message}")

    @cached_property
    def _others(self) -> bool:
        """Whether other distributions offer study packs: their code is not hashed, so nothing is kept or taken."""
        return bool(entry_points(group=GROUP))

    @cached_property
    def key(self) -> str:
        """One digest over everything that the report depends on."""
        package = Path(__file__).parent
        # Schemas and templates too: they decide as much as the code does.
        code = {str(path.relative_to(package)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted(package.rglob("*")) if path.is_file() and path.suffix != ".pyc"}  # fmt: skip
        # All that is installed: an optional library decides whether a signature or a game is looked at at all.
        libraries = [*sorted(_installed()), sys.version]
        return hashlib.sha256(
            json.dumps([self._digests, self._asked, code, libraries], sort_keys=True).encode()
        ).hexdigest()

    @property
    def _place(self) -> Path:
        return self._directory / f"{self.key}.json"

    def _hashed(self) -> dict[str, str]:
        """Every file with its SHA-256; of what is no plain file, what it is."""
        found: dict[str, str] = {}
        with open_container(self._bundle) as container:
            if not self._bundle.is_dir():
                with self._bundle.open("rb") as file:
                    return {"": stream_digest(iter(lambda: file.read(2**20), b""))[0]}
            for member in container.members():
                found[member.path] = member.kind
                if member.kind == "file":
                    with container.open(member.path) as opened:
                        found[member.path] = stream_digest(opened.pieces())[0]
        return found
