"""A command imports only what it uses. What that costs in time, `benchmarks/ratios.py` measures."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "pyarrow", "pydantic", "jsonschema", "rich", "scipy", "flint", "duckdb", "jinja2")

PROGRAM = """
import sys
from sealtrace.cli.main import program
sys.argv = ["sealtrace", *ARGUMENTS]
try:
    program()
except SystemExit:
    pass
print("\\n".join(sys.modules), file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    """The modules in memory when a command ends."""
    program = PROGRAM.replace("ARGUMENTS", repr(list(arguments)))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


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
    """The fixture is JSON lines without certificates: no Parquet, no progress bar, no page, no statistics, no SQL.

    Nor pandas, which is installed for the tests, and which Arrow would import where it finds it; nor jsonschema, as
    every document plainly fits; nor masked arrays, nor what Arrow has for files on networks.
    """
    modules = imported("verify")
    unused = {"pandas", "rich", "scipy", "flint", "duckdb", "jinja2", "jsonschema", "numpy.ma", "ssl"}
    assert modules & (unused | {"pyarrow.parquet", "pyarrow.dataset"}) == set()
    # Metrics of other packs are listed, and not imported; those of services share a name with one that it asks for.
    assert modules & {f"sealtrace.studies.{pack}.metrics" for pack in ("results", "games")} == set()
    assert len(modules) < 900
