"""What sealtrace says of one commit of a public repository, and what that costs.

Clones lie in one directory, as `owner+name` (bare or not). The commit that a list names is read from the clone's
history, whatever is checked out, and only the paper's sources and the results are written to a temporary directory.
Answers are kept below `benchmarks/work/`, by the sources of the sealtrace that gave them: a run that was ended goes on
where it was, and a changed program is asked anew.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import sealtrace

CORPUS = Path(__file__).parent / "corpus"
SOURCES = (".tex", ".ltx", ".sty", ".cls", ".bbl", ".def")
TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx", ".xls", ".ods")
DATA = (*TABLES, ".dta", ".sav", ".rds", ".rda", ".rdata", ".log", ".txt")
MAX_FILE = 20_000_000
"""Bytes of one file that is taken along; larger ones are raw measurements, which no table of these papers prints."""


CPU_SECONDS = 600
"""Of one process, after which it is ended: more than ten times what `check` allows itself."""
WALL_SECONDS = 3600
"""For a process that waits; generous, so that a busy machine ends nothing that the processor's time would not."""


class NoAnswerError(RuntimeError):
    """A command that gave no JSON; `cause` is crash, time or unreadable."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


class NotAskedError(RuntimeError):
    """Nothing new is asked: there is no clone, its part is not measured, or the run is to end."""


@dataclass(frozen=True)
class Answer:
    """A command's JSON, and what the process took."""

    document: dict[str, Any]
    seconds: float
    """CPU seconds, user and system."""
    mebibytes: float
    """Peak resident memory."""

    @property
    def cut_short(self) -> bool:
        """Whether the clock ended a part of it, so that another run may say something else of that part."""
        return any("want of time" in one["why"] or "seconds" in one["why"] for one in self.document["not_looked_at"])


@dataclass
class Clones:
    """Where the user's clones are, and what was answered about them by this sealtrace before."""

    directory: Path
    work: Path = CORPUS.parent / "work" / "corpus"
    held_out: bool = False
    """Whether the held-out part is measured, too."""
    until: float | None = None
    """On the monotonic clock: nothing new is asked afterwards."""
    known: Path = field(init=False)

    def __post_init__(self) -> None:
        self.known = self.work / program()

    def find(self, repository: str) -> Path:
        """The clone of a repository. Raises NotAskedError where the user has none, or its part is not measured."""
        if is_held_out(repository) and not self.held_out:
            raise NotAskedError("held out")
        clone = clone_of(self.directory, repository)
        if clone is None:
            raise NotAskedError("no clone")
        return clone

    def keep(self, *key: str, compute: Callable[[], Any]) -> Any:
        """What was computed under this key (a purpose, a repository, details) before, or is computed now."""
        place = self.known / f"{hashlib.sha256(chr(0).join(key).encode()).hexdigest()[:24]}.json"
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))["answer"]
        if self.until is not None and time.monotonic() > self.until:
            raise NotAskedError("not run for want of time")
        answer = compute()
        self.known.mkdir(parents=True, exist_ok=True)
        beside = place.with_suffix(".new")
        beside.write_text(json.dumps({"key": key, "answer": answer}, ensure_ascii=False), encoding="utf-8")
        beside.replace(place)
        return answer

    def ask(self, command: str, repository: str, commit: str, paper: str, results: str | None = None) -> Answer:
        """What `check` or `audit` says of a paper at a commit. Raises NoAnswerError where it says nothing."""
        clone = self.find(repository)

        def answered() -> dict[str, Any]:
            try:
                with unpacked(clone, commit, paper, results) as root:
                    beside = ["--root", str(root)] if results is None else [str(root / results), "--allow-unexplained"]
                    return vars(ask(command, str(root / paper), *beside))
            except NoAnswerError as error:
                return {"cause": error.cause, "message": str(error)}

        kept = self.keep(command, repository, commit, paper, results or "", compute=answered)
        if "cause" in kept:
            raise NoAnswerError(kept["cause"], kept["message"])
        return Answer(**kept)

    def forget_held_out(self) -> None:
        """Single answers of the held-out part are not kept once its sums are written."""
        for place in self.known.glob("*.json"):
            purpose, repository, *_rest = json.loads(place.read_text(encoding="utf-8"))["key"]
            if purpose in ("check", "audit", "claims") and is_held_out(repository):
                place.unlink()


def clone_of(directory: Path, repository: str) -> Path | None:
    """The clone of a repository, where the user has it."""
    clone = directory / repository.replace("/", "+")
    return clone if clone.is_dir() else None


def program() -> str:
    """Stands for the sources of the sealtrace that is asked, and for the Python that runs it."""
    package = Path(sealtrace.__file__).parent
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def listed(name: str, key: str) -> list[dict[str, Any]]:
    """The entries of one of the corpus's lists."""
    return list(tomllib.loads((CORPUS / name).read_text(encoding="utf-8"))[key])


def is_held_out(repository: str) -> bool:
    """Whether a repository is held out, by its name alone."""
    return int(hashlib.sha256(repository.encode()).hexdigest(), 16) % 3 == 0


@contextmanager
def unpacked(clone: Path, commit: str, paper: str, results: str | None) -> Iterator[Path]:
    """The sources and results of one commit, in a directory that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name).resolve()
        wanted = {}
        listing = _git(clone, "ls-tree", "-r", "-l", "-z", commit).decode("utf-8", "surrogateescape")
        for line in filter(None, listing.split("\0")):
            about, path = line.split("\t", 1)
            mode, _kind, digest, size = about.split()
            if mode != "120000" and size.isdigit() and int(size) <= MAX_FILE and _belongs(path, paper, results):
                wanted[path] = digest
        for path, content in zip(wanted, _blobs(clone, list(wanted.values())), strict=True):
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield root


def _belongs(path: str, paper: str, results: str | None) -> bool:
    ending = PurePosixPath(path).suffix.lower()
    if path == paper or (paper.endswith(SOURCES) and ending in SOURCES):
        return True
    return results is not None and ending in DATA and (results == "." or path.startswith(f"{results}/"))


def _git(clone: Path, *arguments: str, given: bytes = b"") -> bytes:
    return subprocess.run(["git", "-C", str(clone), *arguments], input=given, capture_output=True, check=True).stdout


def _blobs(clone: Path, digests: list[str]) -> Iterator[bytes]:
    found = _git(clone, "cat-file", "--batch", given="".join(f"{one}\n" for one in digests).encode())
    place = 0
    for digest in digests:
        end = found.index(b"\n", place)
        if found[place:end].endswith(b" missing"):
            raise NoAnswerError("unreadable", f"the clone lacks the object {digest}")
        size = int(found[place:end].split()[2])
        yield found[end + 1 : end + 1 + size]
        place = end + 1 + size + 1


def ask(*arguments: str) -> Answer:
    """Runs a command of the sealtrace that is installed beside this Python, and reads its JSON."""
    with tempfile.NamedTemporaryFile(suffix=".json") as output, tempfile.TemporaryFile() as errors:
        command = [sys.executable, "-m", "sealtrace", *arguments, "--quiet", "--output", f"json={output.name}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
        patience = threading.Timer(WALL_SECONDS, process.kill)
        patience.start()
        _pid, status, used = os.wait4(process.pid, 0)
        patience.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        text = Path(output.name).read_text(encoding="utf-8")
        if not text:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip()
            crashed = "Traceback" in said or "internal error" in said or process.returncode < 0
            ended = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
            cause = "time" if ended else "crash" if crashed else "unreadable"
            last = said.splitlines()[-1] if said else f"exit {process.returncode}"
            raise NoAnswerError(cause, re.sub(r"\S*/tmp\w+/", "", last))
    return Answer(json.loads(text), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def plain(printed: str) -> str:
    """A printed number without signs that only typography needs."""
    return re.sub(r"[\s%×$*†‡,+~≈]|\\", "", printed.replace("−", "-").replace("–", "-"))


def number_at(numbers: list[dict[str, Any]], place: dict[str, Any], slack: int) -> dict[str, Any] | None:
    """What an answer says of the number at a file, line and string; None where it does not speak of it.

    Sentences are reported at the line where they begin, so numbers of the text may be `slack` lines away. Where one
    line prints the same string twice, and the answers differ, the number is passed over.
    """
    name, wanted = PurePosixPath(place["file"]).name, plain(place["printed"])
    near = []
    for one in numbers:
        away = abs((one.get("line") or 0) - place["line"])
        text = plain(one["printed"])
        same = text == wanted or (
            one.get("table") is not None and text.startswith(wanted) and not text[len(wanted)].isdigit()
        )
        if same and away <= slack and PurePosixPath(one.get("source") or "").name == name:
            near.append((away, one))
    closest = [one for away, one in near if away == min(away for away, _one in near)]
    return closest[0] if len({one["word"] for one in closest}) == 1 else None


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson's interval of a share at 95 %."""
    if not total:
        return 0.0, 1.0
    z, share = 1.959964, hits / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def share(hits: int, total: int) -> str:
    """A share with its interval, as the page prints it."""
    if not total:
        return "–"
    low, high = wilson(hits, total)
    return f"{hits} of {total}, {100 * hits / total:.0f} % ({100 * low:.0f}–{100 * high:.0f})"
