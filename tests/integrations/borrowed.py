"""Lets a new environment see the libraries of this one, so that tests which install the package need no network."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path


def borrowed(directory: Path) -> dict[str, str]:
    """An environment for pip: this environment's libraries, but not its sealtrace, and no index."""
    site = directory / "site"
    site.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(("sealtrace", "_sealtrace")) and path.suffix != ".pth":
            (site / path.name).symlink_to(path)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "GIT_", "PYTHON"))}
    return {
        **kept,
        "PYTHONPATH": str(site),
        "PIP_NO_INDEX": "1",
        # For this variable pip takes no to mean that nothing is isolated.
        "PIP_NO_BUILD_ISOLATION": "0",
        "HOME": str(directory),
    }


def python_of(directory: Path) -> Path:
    """A Python whose new environments see the same libraries, even isolated, where PYTHONPATH is not heeded."""
    script = directory / "python"
    script.write_text(
        f"""#!/bin/sh
{sys.executable} "$@" || exit
for site in "$RUNNER_TEMP"/sealtrace/lib/python*/site-packages; do
  echo {directory / "site"} > "$site/borrowed.pth"
done
"""
    )
    script.chmod(0o755)
    return script
