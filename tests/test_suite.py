"""What holds for the tests themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from support import ROOT

CLOCKS = {"time", "timeit", "resource"}


def clocks_read_by(source: str) -> set[str]:
    """The modules with clocks that a program imports, at the top or anywhere else."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return found & CLOCKS


def test_no_test_reads_a_clock() -> None:
    """A test that asserts seconds fails on a busy machine: `benchmarks/ratios.py` is the place for what things cost."""
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert len(tests) > 100
    assert {str(path.relative_to(ROOT)): found for path in tests if (found := clocks_read_by(path.read_text()))} == {}
    assert clocks_read_by("def test() -> None:\n    from time import monotonic") == {"time"}


@pytest.mark.parametrize(("continuous", "code"), [("", 0), ("1", 1)])
def test_a_skip_fails_in_ci_only(
    continuous: str, code: int, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no browser, say, a person may go on; CI may not."""
    monkeypatch.setenv("CI", continuous)
    pytester.makeconftest(Path(ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile("import pytest\ndef test_one(): pass\ndef test_other(): pytest.skip('no browser')")
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    assert done.ret == code
    done.assert_outcomes(passed=1, skipped=1)
