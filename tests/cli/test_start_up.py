"""Starting costs next to nothing, and a command imports only what it uses."""

from __future__ import annotations

import compileall
import os
import resource
import subprocess
import sys

import pytest

from cli.runner import SCRIPT
from support import ROOT

HEAVY = ("numpy", "pyarrow", "pydantic", "jsonschema", "rich", "scipy", "pandas", "duckdb", "matplotlib")


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    """As an installer leaves the package: a checkout may have been told not to write bytecode."""
    compileall.compile_dir(ROOT / "verifier" / "sealtrace", quiet=1)


def imported(*arguments: str) -> set[str]:
    """The modules in memory when a command ends."""
    program = (
        "import sys\n"
        "from sealtrace.cli.main import main, own_process\n"
        "own_process()\n"
        f"sys.argv = ['sealtrace', *{list(arguments)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


LIBRARIES = [sys.executable, "-c", "import click, jsonschema, numpy, pyarrow.compute, pydantic"]
"""What no run can do without."""


def cpu_seconds(*command: str) -> float:
    """The least CPU time of a few runs."""
    best = float("inf")
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["verify", "--help"],
        ["seal", "--help"],
        ["attest", "--help"],
        ["import", "--help"],
        ["completion", "bash"],
        ["checks"],
    ],
    ids=" ".join,
)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    """Help and the catalogue need no columns and no models."""
    modules = imported(*arguments)
    assert [name for name in HEAVY if name in modules] == []
    assert len(modules) < 260


def test_verify_imports_only_what_it_uses() -> None:
    """The fixture is JSON lines: no Parquet, no progress bar, no statistics library."""
    modules = imported("verify")
    absent = ("rich", "scipy", "pandas", "duckdb", "matplotlib", "pyarrow.parquet", "numpy.ma", "flint")
    assert [name for name in absent if name in modules] == []
    assert len(modules) < 900


def test_help_starts_at_once() -> None:
    """At most 0.15 s of CPU."""
    assert cpu_seconds(*SCRIPT, "--help") <= 0.15


def test_fixture_verifies_within_a_second() -> None:
    """At most 1 s of CPU; where a machine is slow, at most 3.2 times what importing the libraries costs there."""
    assert cpu_seconds(*SCRIPT, "verify") <= max(1.0, 3.2 * cpu_seconds(*LIBRARIES))
