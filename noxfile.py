"""Every shipped bundle verifies on every supported Python: `nox`. Those that are not installed are named."""

from __future__ import annotations

import sys
from pathlib import Path

import nox

QUICK = (
    "tests/bundle/test_archives.py",
    "tests/bundle/test_other_systems.py",
    "tests/bundle/test_strict_json.py",
    "tests/cli/test_mistakes.py",
    "tests/recipes/test_judgement.py",
    "tests/paper/test_numbers.py",
    "tests/recipes/test_sql.py",
    "tests/report/test_junit.py",
)
"""Tests of what differs between Pythons: files, processes, numbers, the command line."""


@nox.session(python=["3.11", "3.12", "3.13"], venv_backend="venv")
def verify(session: nox.Session) -> None:
    """Installs the package alone, and verifies each bundle: verdict and findings are those that its study expects."""
    session.install(".")
    for bundle in sorted(Path("bundles").glob("*/bundle")):
        session.run("sealtrace", "verify", str(bundle), "--as-expected", "--quiet", "-o", "text=verdict.txt")
    Path("verdict.txt").unlink()
    if sys.platform == "win32":
        return  # the tests make links and pipes, for which Windows wants an administrator
    session.install(".[attest,pdf]", "pytest", "pytest-xdist", "hypothesis")
    session.run("pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *QUICK)
