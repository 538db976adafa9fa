"""What holds for every test: none depends on how fast the machine is, and in CI none may be skipped."""

from __future__ import annotations

import gc
import os
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

# Hypothesis would fail an example that takes longer than a fifth of a second; and CI tries the same few every time.
LONG = bool(os.environ.get("SEALTRACE_LONG"))
settings.register_profile("any machine", deadline=None, derandomize=not LONG, max_examples=400 if LONG else 40)
settings.load_profile("any machine")


def pytest_configure() -> None:
    """Bundles of tests need not survive a power cut: thousands of files are written, and no disk is waited for.

    No garbage is sought while tests are imported and collected.
    """
    gc.disable()
    os.fsync = lambda fd: None  # noqa: ARG005


def pytest_collection_finish() -> None:
    """What was imported and collected stays, and is not searched for garbage again and again: a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failure: what CI cannot run, nobody has seen."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and exitstatus == 0 and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole pages and reports come first: a long test at the end would be waited for by all but one worker."""
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)


_KEPT: dict[object, object] = {}
"""The last examinations, by what was asked and by the files as they were."""


_DECIDED: dict[Hashable, Any] = {}
"""What was decided of relations between printed numbers, by the relations with everything that they depend on."""


@pytest.fixture
def kept_examinations(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """One examination serves all commands, and all tests that ask for this: of the same files, asked the same.

    For tests of what commands say. What they asked for is listed, each time. Relations are decided once, too.
    """
    import sealtrace.api
    import sealtrace.examination
    from remembering import remembering
    from sealtrace.bundle.budget import Asked
    from sealtrace.bundle.resources import default_bundle

    examine = sealtrace.examination.examine
    asked: list[object] = []

    def remembered(path: Any = None, *, progress: Any = None, **options: Any) -> Any:
        place = (default_bundle() if path is None else Path(path)).resolve()
        files = sorted((str(one), *_stamp(one)) for one in (place.rglob("*") if place.is_dir() else [place]))
        special = {
            name: one for name, one in options.items() if one not in (None, False, (), [], 1, Asked()) or one is True
        }
        key = (str(place), tuple(files), repr(sorted(special.items())))
        asked.append(key)
        if key not in _KEPT:
            found = examine(path, progress=progress, **options)
            while len(_KEPT) >= 8:
                del _KEPT[next(iter(_KEPT))]
            _KEPT[key] = found
        return _KEPT[key]

    monkeypatch.setattr(sealtrace.examination, "examine", remembered)
    monkeypatch.setattr(sealtrace.api, "examine", remembered)
    with remembering(_DECIDED):
        yield asked


def _stamp(path: Path) -> tuple[int, int]:
    """Changes whenever a file is written."""
    status = path.lstat()
    return status.st_size, status.st_mtime_ns
