"""Which Pythons and systems are promised, and which are run, are the same."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

from support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSIONS = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)]


def test_nox_and_the_workflow_run_what_is_promised() -> None:
    """Every Python of the classifiers, and Windows and macOS beside Linux; one that is absent fails."""
    assert VERSIONS[0] == PROJECT["requires-python"].removeprefix(">=")
    done = subprocess.run(
        [sys.executable, "-m", "nox", "--list", "--no-color"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.findall(r"^\* verify-(\S+)", done.stdout, re.MULTILINE) == VERSIONS
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    jobs = workflow["jobs"]
    assert jobs["bundles"]["strategy"]["matrix"] == {
        "os": ["ubuntu-latest", "windows-latest", "macos-latest"],
        "python": VERSIONS,
    }
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert "nox --error-on-missing-interpreters --session verify-${{ matrix.python }}" in runs
    assert ".ci/run" in runs


def test_every_shipped_bundle_is_run() -> None:
    """The session takes them from the directory, so none can be forgotten."""
    assert 'Path("bundles").glob("*/bundle")' in (ROOT / "noxfile.py").read_text(encoding="utf-8")
    assert len(list(Path(ROOT / "bundles").glob("*/bundle"))) >= 7
