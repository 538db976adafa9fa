"""Damages every file of a bundle in every way, and has each damaged copy verified in a child of this process.

    PYTHONPATH=benchmarks .venv/bin/python tests/faults/damages.py LOG bundles/leduc/bundle ...

Start-up would cost more than most verdicts. So this process imports everything and verifies the sound bundle once;
each damaged copy is then verified by a fork of it, with a limit of CPU time. Files that a copy shares with the sound
bundle are the same files on disk, and their rows are not parsed again.
"""

from __future__ import annotations

import faulthandler
import functools
import gc
import hashlib
import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from campaign.known import evidence_of_other
from remembering import remembering
from sealtrace import examination
from sealtrace.bundle import documents, reading
from sealtrace.bundle.child_process import allow_time
from sealtrace.bundle.model import Bundle
from sealtrace.cli import main as command_line
from sealtrace.evidence import Evidence
from sealtrace.paper import pdf
from sealtrace.recipes import sql
from sealtrace.studies.games.mathematics import association, evaluation, hands
from sealtrace.studies.policies.checks import leaks
from sealtrace.studies.policies.evidence import deployment
from sealtrace.studies.policies.mathematics.partitions import search

Damage = Callable[[bytes], bytes | None]


def _flip(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


DAMAGES: dict[str, Damage] = {
    "remove": lambda _: None,
    "truncate": lambda data: data[: len(data) // 2],
    "append": lambda data: data + b"\n{",
    "empty": lambda _: b"",
    "flip": _flip,
}
MOST_WALL = 900
MOST_CPU = 60
"""Seconds that a verdict may take."""
FEW_REPEATS = 3
FEW_COMPARED = 2**8
"""Repeated splits and compared states: two hundred of them take the same way as three, and most of the time."""


class Verdict(NamedTuple):
    """What became of one damage."""

    path: str
    damage: str
    code: int
    seconds: float
    wrong: str
    """What is wrong with it; empty where it is a verdict as documented."""


def damaged(bundle: Path, target: Path, path: str, damage: Damage) -> Path:
    """A copy with one file damaged; the others are the same files."""
    shutil.copytree(bundle, target, copy_function=lambda source, place: Path(place).hardlink_to(source))
    data = damage((target / path).read_bytes())
    (target / path).unlink()
    if data is not None:
        (target / path).write_bytes(data)
    return target


def files_of(bundle: Path) -> list[str]:
    """Every file, in order."""
    return sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file())


PURE: tuple[Callable[..., Any], ...] = (
    pdf.pages_of,
    association.bootstrap_interval,
    association.permutation_share,
    evaluation.expected_return,
    hands.draw,
    documents.fitted,
    search.best_partition,
)
"""What gives the same of the same arguments, and takes most of the time of a sound study."""


def written(value: Any) -> object:
    """Everything that a value holds, so that two values are the same in it if they are the same."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if is_dataclass(value):
        return (type(value), *(written(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, dict):
        return (dict, *((key, written(item)) for key, item in value.items()))
    return (type(value), *map(written, value)) if isinstance(value, (list, tuple)) else value


def asked_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which answers a question again that it answered before."""
    known: dict[object, Any] = {}

    @functools.wraps(function)
    def answer(*args: Any, **named: Any) -> Any:
        key = written([list(args), named])
        if key not in known:
            known[key] = function(*args, **named)
        return known[key]

    return answer


def records(bundle: Bundle) -> object:
    """Everything that checks of records can see: which files they lie in, and what was read of each."""
    listed = [entry for entry in bundle.entries if entry.kind not in ("attachment", "seal", "source")]
    return bundle.name, [(entry, bundle.digests.get(entry.path)) for entry in listed]


def of_same_records(evidence_of: Callable[..., Evidence]) -> Callable[..., Evidence]:
    """What was computed of the first bundle, for bundles with the same records: one in three damages touches none."""
    first: dict[str, Evidence] = {}

    def answer(bundle: Bundle, *args: Any, **named: Any) -> Evidence:
        known = first.get(bundle.name)
        if known is not None and records(known.bundle) == records(bundle):
            return evidence_of_other(known, bundle, "attachment")
        first.setdefault(bundle.name, found := evidence_of(bundle, *args, **named))
        return found

    return answer


def make_cheap() -> None:
    """Leaves out repetition, and remembers what was parsed or computed of the same bytes before."""
    for function in PURE:
        answering = asked_once(function)
        for module in [module for name, module in sys.modules.items() if name.startswith("sealtrace.")]:
            for name in [name for name, value in vars(module).items() if value is function]:
                setattr(module, name, answering)
    splits, parsed, relation = deployment.repeated_splits, reading._BundleReader._parsed, leaks._Comparing.relation
    known: dict[object, Any] = {}

    def few(*args: Any) -> Any:
        return splits(*args)[:FEW_REPEATS]

    def remembered(self: Any, entry: Any, form: Any, data: bytes) -> Any:
        key = (entry.path, entry.sha256, str(form), self.bundle.table_convention, self._anonymous(), data)
        if key not in known:
            known[key] = parsed(self, entry, form, data)
        return known[key]

    def held(each: Any) -> object:
        if "written" not in vars(each):
            parts = each if is_dataclass(each) else [each._level, each._comparisons, each._parts]
            vars(each)["written"] = hashlib.sha256(repr(written(parts)).encode()).digest()
        return vars(each)["written"]

    def compared(self: Any, *columns: Any) -> Any:
        # Each column is compared with many, so what it holds is written down once.
        key = tuple(map(held, (self, *columns)))
        if key not in known:
            known[key] = relation(self, *columns)
        return known[key]

    type.__setattr__(leaks._Comparing, "relation", compared)
    vars(examination)["evidence_of"] = of_same_records(examination.evidence_of)
    vars(deployment)["repeated_splits"] = few
    leaks.MOST_COMPARED = FEW_COMPARED
    type.__setattr__(reading._BundleReader, "_parsed", remembered)


def verify(bundle: Path, output: Path) -> int:
    """The exit code of `sealtrace verify`, whose report and complaints go to files."""
    sys.argv = ["sealtrace", "verify", str(bundle), "-o", f"json={output / 'report.json'}"]
    try:
        command_line.main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def in_a_child(bundle: Path, output: Path) -> tuple[int, float]:
    """The exit code and CPU seconds of a verification by a fork of this process; a code below zero is a signal."""
    output.mkdir()
    child = os.fork()
    if not child:
        try:
            # It stays open for as long as the child lives.
            stack = os.fdopen(os.open(output / "stack", os.O_WRONLY | os.O_CREAT), "w")
            faulthandler.dump_traceback_later(MOST_WALL, exit=True, file=stack)
            allow_time(MOST_CPU)
            for number, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(output / name, os.O_WRONLY | os.O_CREAT), number)
                setattr(sys, name, os.fdopen(number, "w", buffering=1, closefd=False))
            code = verify(bundle, output)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        except BaseException:
            traceback.print_exc()
            os._exit(99)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def judged(path: str, damage: str, code: int, output: Path) -> str:
    """What is wrong with how a damaged bundle was judged; empty where nothing is."""
    said = (output / "stderr").read_text(errors="replace")
    if (output / "stack").exists() and (output / "stack").stat().st_size:
        return (output / "stack").read_text()
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    if "Traceback" in said or "internal error" in said:
        return said[-600:]
    if (path, damage) == ("manifest.json", "remove"):
        return "" if code == 2 and said.startswith("sealtrace: ") else f"exit {code}: {said[-300:]}"
    if code != 1:
        return f"exit {code}: {said[-300:]}"
    report = json.loads((output / "report.json").read_bytes())
    if report["verdict"] != "findings":
        return f"verdict {report['verdict']}"
    if not any(finding["check"].startswith("identity") for finding in report["findings"]):
        return "no finding says that the file was changed"
    return ""


def in_round(turn: int, paths: list[str]) -> Iterator[tuple[str, str]]:
    """Every file with one damage, each in the next way; after as many rounds as there are ways, all were tried."""
    names = list(DAMAGES)
    for place, path in enumerate(paths):
        yield path, names[(place + turn) % len(names)]


def verdicts(bundle: Path, wanted: Callable[[str, str], bool] = lambda *_: True) -> Iterator[Verdict]:
    """The verdict on each damage, or on those that are wanted."""
    with TemporaryDirectory(prefix="damages-") as work:
        place = Path(work)
        sound = place / "sound"
        shutil.copytree(bundle, sound)
        for path, name in product(files_of(sound), DAMAGES):
            if wanted(path, name):
                broken = damaged(sound, place / "broken", path, DAMAGES[name])
                code, seconds = in_a_child(broken, place / "said")
                yield Verdict(path, name, code, seconds, judged(path, name, code, place / "said"))
                shutil.rmtree(broken)
                shutil.rmtree(place / "said")


def main(log: str, *bundles: str) -> int:
    """Appends a line for each verdict to the log, and goes on where it ended; 1 where a verdict is wrong."""
    make_cheap()
    with remembering({}):
        return _all_verdicts(log, *bundles)


def _all_verdicts(log: str, *bundles: str) -> int:
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    Path(log).touch()
    known = [json.loads(line) for line in Path(log).read_text().splitlines()]
    # In rounds over all of them: a run that is ended early has then seen every file, rather than the first bundles.
    for turn, name in product(range(len(DAMAGES)), bundles):
        bundle = Path(name)
        done = {(line["path"], line["damage"]) for line in known if line["bundle"] == name}
        left = set(in_round(turn, files_of(bundle))) - done
        if not left:
            continue
        with TemporaryDirectory() as output:
            # Imports everything and fills what is remembered, before anything is forked.
            in_silence(functools.partial(verify, bundle, Path(output)))
        # A fork cannot wait for a child of its parent, so the process that answered queries ends here.
        sql._rest()
        gc.freeze()
        for verdict in verdicts(bundle, lambda path, damage, left=left: (path, damage) in left):  # type: ignore[misc]
            known.append({"bundle": name, **verdict._asdict()})
            with open(log, "a") as file:
                print(json.dumps(known[-1]), file=file)
    wrong = [line for line in known if line["wrong"]]
    for line in wrong:
        print(f"{line['bundle']}: {line['damage']} {line['path']}: {line['wrong']}")
    print(f"{len(known)} damages, {len(wrong)} without a verdict as documented")
    return int(bool(wrong))


def in_silence(work: Callable[[], object]) -> None:
    """Does it without a word on standard output."""
    kept = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    work()
    sys.stdout.flush()
    os.dup2(kept, 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
