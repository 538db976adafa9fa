"""The page about certifying policies of another field is followed to the letter."""

from __future__ import annotations

import re
from pathlib import Path

from shown import commands
from support import ROOT

PAGE = ROOT / "docs" / "certify-your-policies.md"


def test_page(tmp_path: Path) -> None:
    """Its one file is written, every command ends well, and the study with its own fields is verified."""
    script = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
    (tmp_path / "routing.py").write_text(script, encoding="utf-8")
    page = commands(PAGE)
    assert [command.line.split()[0] for command in page] == ["python", "sealtrace", "sealtrace"]
    for command in page:
        said = command.run(tmp_path)
    assert said.startswith("VERIFIED  routing\n")
    assert "2: 2 follow" in said
