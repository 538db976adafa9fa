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
        assert "is part of a bundle" in done.stderr
        assert not mark.exists()
    assert "identity.listing" in pytest_in(project, "--sealtrace=test-bundle", "--noconftest").stdout
    assert not mark.exists()


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    [
        (["--noconftest", "bundle/trace/test_evil.py"], "", "of which no file is collected"),
        (["--noconftest", "bundle/test_evil.py::test_own"], "", "of which no file is collected"),
        (["--noconftest", "--import-mode=importlib", "bundle/test_evil.py"], "", "of which no file is collected"),
        (["--noconftest", "--doctest-glob=*.md", "bundle/trace/evil.md"], "", "of which no file is collected"),
        (["--pyargs", "bundle.test_evil"], "", "module or package not found"),
        ([], "testpaths = */trace/test_*.py", "is part of a bundle"),
        (["--noconftest"], "testpaths = bund*/*/test_*.py", "of which no file is collected"),
        ([], "testpaths = */trace", "is part of a bundle"),
        (["test_uses.py"], "pythonpath = bundle", "nothing of a bundle is run"),
        (["test_uses.py"], "pythonpath = bundle/trace", "nothing of a bundle is run"),
        (["test_uses.py", "--import-mode=importlib"], "pythonpath = bundle", "nothing of a bundle is run"),
    ],
)
def test_pytest_runs_nothing_of_a_bundle_wherever_it_is_led(
    project: Path, tmp_path: Path, arguments: list[str], settings: str, said: str
) -> None:
    """Files that are named, or found by settings of the project, or imported by its own tests."""
    mark = tmp_path / "executed"
    bundle = infested(project, "bundle", mark)
    evil = EVIL.format(mark=str(mark))
    (bundle / "evil_helper.py").write_text(evil)
    (bundle / "trace" / "evil_helper.py").write_text(evil)
    (bundle / "trace" / "evil.md").write_text("".join(f">>> {line}\n" for line in evil.splitlines()))
    (project / "test_uses.py").write_text("import evil_helper\n\n\ndef test_own(): pass\n")
    (project / "pytest.ini").write_text(f"[pytest]\n{settings}\n")
    done = pytest_in(project, "--sealtrace=bundle", "-k", "own", *arguments)
    assert done.returncode not in (0, 5)
    assert said in done.stdout + done.stderr
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


@pytest.mark.parametrize("start", [["sealtrace"], ["python", "-I", "-m", "sealtrace"]])
def test_a_module_of_its_own_name_beside_it_is_not_run(tmp_path: Path, start: list[str]) -> None:
    """The script, and Python as the documentation says to start it among files of others."""
    mark = tmp_path / "executed"
    bundle = copy_of_fixture(tmp_path)
    (bundle / "sealtrace.py").write_text(EVIL.format(mark=str(mark)))
    command = [str(Path(sys.executable).with_name(start[0])), *start[1:], "verify", "."]
    done = subprocess.run(command, cwd=bundle, capture_output=True, text=True, check=False)
    assert (done.returncode, mark.exists()) == (1, False), done.stderr
    assert "sealtrace.py" in done.stdout


def test_documentation_starts_nothing_that_lies_there() -> None:
    """`python -m sealtrace` would run a file of the directory; with `-I` it does not."""
    pages = [path for top in ("docs", "skills", "examples") for path in (ROOT / top).rglob("*.md")]
    said = [
        line for path in (*pages, ROOT / "README.md", ROOT / "action.yml") for line in path.read_text().splitlines()
    ]
    shown = [line for line in said if "-m sealtrace" in line and "-I -m sealtrace" not in line]
    assert [line for line in shown if "`python -m sealtrace` runs a" not in line] == []
