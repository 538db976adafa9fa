"""The page about certifying policies of another field is followed to the letter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from shown import commands
from support import ROOT

PAGE = ROOT / "docs" / "certify-your-policies.md"


def test_page(tmp_path: Path) -> None:
    """Its one file is written, every command ends well, and the study with its own fields is verified."""
    script = "\n\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
    (tmp_path / "routing.py").write_text(script, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    lines = [one.line for one in commands(PAGE)]
    assert [line.split()[0] for line in lines] == ["python", "sealtrace", "sealtrace"]
    for line in lines:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (line, done.returncode, done.stderr) == (line, 0, "")
    assert done.stdout.startswith("VERIFIED  routing\n")
    assert "2 of 2 recomputed" in done.stdout
