"""Every command that writes leaves the old state or the new one, whatever step of its writing goes wrong."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.runner import sealtrace
from small_study import small_study
from support import LONG, ROOT

TEMPLATES = ROOT / "verifier" / "sealtrace" / "templates" / "results"
State = dict[str, bytes]


@dataclass(frozen=True)
class Case:
    """A command, what lies there before it, and what is the same in each of its runs."""

    prepare: Callable[[Path], None]
    argv: Callable[[Path], list[str]]
    same: Callable[[State], dict[str, Any]] = dict
    apart: bool = False
    """Whether it writes files of several directories, each of which is whole for itself."""
    beside: bool = False
    """Whether what it writes is beside its purpose: where that fails, the command says so and has done its work."""


def _nothing(_: Path) -> None:
    """A new directory needs none before it."""


def _draft(root: Path) -> None:
    small_study(root / "study")
    for path in (root / "study" / "seals").iterdir():
        path.unlink()
    for name in ("manifest.json", "SHA256SUMS"):
        (root / "study" / name).unlink()
    (root / "study" / "seals").rmdir()


def _sealed(root: Path) -> None:
    small_study(root / "study")


def _changed(root: Path) -> None:
    _sealed(root)
    labels = root / "study" / "declare" / "label.test.jsonl"
    labels.write_text(labels.read_text(encoding="utf-8").replace("cat", "dog"), encoding="utf-8")


def _keyed(root: Path) -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    _sealed(root)
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (root / "key.pem").write_bytes(Ed25519PrivateKey.from_private_bytes(bytes(32)).private_bytes(*form))


def _results(root: Path) -> None:
    shutil.copytree(TEMPLATES, root / "template")


def _rows(root: Path) -> None:
    _sealed(root)
    (root / "study" / "report").mkdir()


def _secret(root: Path) -> None:
    _rows(root)
    labels = root / "study" / "declare" / "label.test.jsonl"
    done = sealtrace("disclose", "tree", labels, "--kind", "label", "--keep", root / "secret", "-o", root / "tree.json")
    assert done.code == 0, done.errors


def _reported(root: Path) -> None:
    _sealed(root)
    (root / "reports").mkdir()
    (root / "reports" / "report.md").write_text("An older report.\n", encoding="utf-8")
    (root / "report.html").write_text("An older page.\n", encoding="utf-8")


def _ends(state: State) -> dict[str, Any]:
    """For files that hold salts or seconds: how each begins and ends."""
    return {name: (data[:8], data[-3:]) for name, data in state.items()}


def _entries(state: State) -> dict[str, Any]:
    """For a cache: entries can be read."""
    return {re.sub("[0-9a-f]{64}", "KEY", name): sorted(json.loads(data)) for name, data in state.items()
            if name.startswith("cache/")}  # fmt: skip


CASES = {
    "init": Case(_nothing, lambda root: ["init", f"{root}/new"]),
    "import": Case(_results, lambda root: ["import", f"{root}/template/runs/*.csv", "-o", f"{root}/new",
                                           "--name", "{system}_seed{seed}", "--dataset", "answers"]),
    "extract": Case(_results, lambda root: ["extract", f"{root}/template/paper.tex", "-o", f"{root}/new/report"]),
    "check --save": Case(_results, lambda root: ["check", f"{root}/template/paper.tex", f"{root}/template/runs",
                                                 "--save", f"{root}/new"]),
    "seal": Case(_draft, lambda root: ["seal", f"{root}/study", "--empty", "all=Only labels are kept."]),
    "seal --stage": Case(_draft, lambda root: ["seal", f"{root}/study", "--stage", "declare"]),
    "seal --redo": Case(_changed, lambda root: ["seal", f"{root}/study", "--redo", "--yes"]),
    "convert": Case(_sealed, lambda root: ["convert", f"{root}/study/declare/label.test.jsonl", "-o",
                                           f"{root}/label.test.parquet"]),
    "sign": Case(_keyed, lambda root: ["sign", f"{root}/study", "--key", f"{root}/key.pem"]),
    "disclose tree": Case(_rows, lambda root: ["disclose", "tree", f"{root}/study/declare/label.test.jsonl", "--kind",
                                               "label", "--keep", f"{root}/secret", "-o", f"{root}/tree.x.json"],
                          _ends, apart=True),
    "disclose rows": Case(_secret, lambda root: ["disclose", "rows", f"{root}/secret", "--tree", f"{root}/tree.json",
                                                 "--row", "1", "-o", f"{root}/sample.json"], _ends),
    "report": Case(_reported, lambda root: ["report", f"{root}/study", "-o", f"{root}/reports"]),
    "verify -o": Case(_reported, lambda root: ["verify", f"{root}/study", "-o", f"html={root}/report.html",
                                               "-o", f"sarif={root}/report.sarif"], _ends, apart=True),
    "verify --cache": Case(_sealed, lambda root: ["verify", f"{root}/study", "--cache", f"{root}/cache"], _entries,
                           beside=True),
}  # fmt: skip


class Server:
    """The process that runs commands with faults."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("injecting.py")
        self._process = subprocess.Popen(
            [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def run(self, case: Case, root: Path, at: int = 0, how: str = "") -> dict[str, Any]:
        asked = {"argv": case.argv(root), "watched": str(root), "at": at, "how": how}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


def state_of(root: Path) -> State:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def without_rubbish(state: State) -> State:
    """What could not be removed when all was done, and is removed by the next run: no list says that it is needed."""
    if any(path.endswith(".sealtrace-writing/list.json") for path in state):
        return state
    return {path: data for path, data in state.items() if ".sealtrace-" not in path}


@pytest.mark.parametrize("name", CASES)
def test_whatever_goes_wrong_the_state_is_whole(name: str, tmp_path: Path, server: Server) -> None:
    """Each step of writing fails, is interrupted, kills the process, or is the last one that the disk bears.

    What fails leaves the old state or the new one. What dies can be run again, which ends in the new state.
    """
    case, old = CASES[name], tmp_path / "old"
    old.mkdir()
    case.prepare(old)
    before = case.same(state_of(old))

    def begin() -> Path:
        root = tmp_path / "root"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(old, root)
        return root

    root = begin()
    clean = server.run(case, root)
    after, steps = case.same(state_of(root)), clean["steps"]
    assert clean["code"] in (0, 1, 3)
    assert after != before
    assert {"open", "write", "fsync"} <= set(steps)
    tried: Counter[str] = Counter()
    every = 1 if LONG else max(1, len(steps) // 2)
    for number, how in enumerate(("fail", "interrupt", "die", "gone")):
        for at in range(1 + (number * every) // 4, len(steps) + 1, every):
            root = begin()
            ended = server.run(case, root, at, how)
            found = case.same(without_rubbish(state_of(root)))
            where = f"{how} at step {at}, {steps[at - 1]}: {ended}"
            whole = found in (before, after)
            if case.apart:
                whole = before.keys() <= found.keys() and found.items() <= {*before.items(), *after.items()}
            if how in ("fail", "interrupt"):
                assert whole, where
                assert found == after or (case.beside and how == "fail") or ended["code"] not in (0, 1, 3), where
            if LONG or not whole or how == "die":
                again = server.run(case, root)
                # A command that was done already is refused, and leaves the clearing to one that writes.
                last = state_of(root) if again["code"] in (0, 1, 3) else without_rubbish(state_of(root))
                assert case.same(last) == after, f"run again after {where}: {again}"
            tried[f"{how}: {'old' if found == before else 'new' if found == after else 'mended by the next run'}"] += 1
    print(name, len(steps), dict(tried))
