"""Nothing in a bundle, and nothing in the directory that a command is run in, is imported or executed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from small_study import small_study
from support import ROOT, copy_of_fixture

EVIL = "from pathlib import Path\nPath({mark!r}).touch()\n"
OWN = "def test_own(): pass\n"


def run(arguments: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    """Python with these arguments, as a user would type them in a directory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment["PYTHONPATH"] = str(ROOT / "verifier")
    return subprocess.run(
        [sys.executable, *arguments], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )


def pytest_in(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest in a directory, started so that it does not itself import from there."""
    quiet = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:xdist")
    return run(["-P", "-m", "pytest", *quiet, *arguments], project)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a test of its own."""
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "test_own.py").write_text(OWN)
    return directory


def infested(place: Path, name: str, mark: Path) -> Path:
    """The good bundle with code in it that would leave a mark."""
    bundle = copy_of_fixture(place).rename(place / name)
    for file in ("conftest.py", "test_evil.py", "trace/test_evil.py", "trace/conftest.py", "__init__.py"):
        (bundle / file).write_text(EVIL.format(mark=str(mark)))
    return bundle


def test_pytest_writes_nothing_into_a_bundle(tmp_path: Path) -> None:
    """Its cache there would be files that the manifest does not list: the second run would fail."""
    bundle = small_study(tmp_path / "bundle")
    before = sorted(bundle.rglob("*"))
    for _ in range(2):
        done = run(["-P", "-m", "pytest", "-p", "no:xdist", "--sealtrace=.", "-k", "listing"], bundle)
        assert "1 passed" in done.stdout, done.stdout
    assert sorted(bundle.rglob("*")) == before


def test_pytest_collects_nothing_from_a_bundle(project: Path, tmp_path: Path) -> None:
    """Beside a project's own tests, the bundle gives its checks, and none of its files is imported."""
    mark = tmp_path / "executed"
    infested(project, "bundle", mark)
    done = pytest_in(project, "--sealtrace=bundle", "-v", "-k", "own or listing")
    assert "test_own.py::test_own PASSED" in done.stdout
    assert "identity.listing FAILED" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
    assert not mark.exists()


def test_pytest_refuses_where_it_would_run_a_conftest_by_itself(project: Path, tmp_path: Path) -> None:
    """pytest runs conftest.py where it starts and in directories called test*, before any plugin can say no."""
    mark = tmp_path / "executed"
    bundle = infested(project, "test-bundle", mark)
    for place, argument in (
        (project, "--sealtrace=test-bundle"),
        (bundle, "--sealtrace=."),
        (bundle / "trace", "--sealtrace=.."),
    ):
        done = pytest_in(place, argument)
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert "which is part of a bundle" in done.stderr
        assert not mark.exists()
    assert "identity.listing" in pytest_in(project, "--sealtrace=test-bundle", "--noconftest").stdout
    assert not mark.exists()


def test_pytest_refuses_settings_from_a_bundle(project: Path, tmp_path: Path) -> None:
    """Before plugins are loaded, `--sealtrace DIR` looks to pytest like a directory of tests with its own settings."""
    mark = tmp_path / "executed"
    bundle = infested(project, "bundle", mark)
    (bundle / "pytest.ini").write_text("[pytest]\npythonpath = .\npython_files = *.py\n")
    done = pytest_in(project, "--sealtrace", "bundle")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "take its settings from the bundle" in done.stderr
    assert not mark.exists()


def test_python_m_imports_nothing_from_the_working_directory(tmp_path: Path) -> None:
    """`python -m` puts that directory first; whoever stands in a bundle must not run what lies there."""
    mark = tmp_path / "executed"
    bundle = copy_of_fixture(tmp_path)
    for name in ("click", "__future__", "typing", "numpy", "pyarrow", "json", "jinja2", "duckdb", "rfc8785"):
        (bundle / f"{name}.py").write_text(EVIL.format(mark=str(mark)))
    done = run(["-m", "sealtrace", "verify", ".", "--format", "json"], bundle)
    assert done.returncode == 1, done.stderr
    assert '"identity.listing"' in done.stdout
    assert not mark.exists()
