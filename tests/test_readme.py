"""What the README shows is what happens: every command runs, and shown output is the output."""

from __future__ import annotations

from pathlib import Path

import pytest

from shown import commands
from support import ROOT

pytestmark = pytest.mark.usefixtures("kept_examinations")

ALLOWED_TO_FAIL = ("sealtrace check", "sealtrace verify wrong", "sealtrace audit bundles/rsd-paper")
"""The README breaks a bundle on purpose, and audits a paper that contradicts itself."""
README = ROOT / "README.md"


def test_readme_commands(tmp_path: Path) -> None:
    """A reader may type every command as written, in a checkout, one after the other."""
    for room in ("bundles", "examples"):
        (tmp_path / room).symlink_to(ROOT / room)
    shown = commands(README)
    assert [command.line for command in shown if command.line.startswith("make")] == ["make verify", "make test"]
    for command in shown:
        if not command.line.startswith("make"):  # This test runs inside of them.
            command.run(tmp_path, 1 if command.line.startswith(ALLOWED_TO_FAIL) else 0)


def test_make_targets_of_the_readme_exist() -> None:
    """The two make commands are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    for command in commands(README):
        if command.line.startswith("make "):
            assert f"\n{command.line.removeprefix('make ')}: " in makefile
