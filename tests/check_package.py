"""Builds the wheel, looks into it, installs it in a clean environment, and verifies its embedded bundle there."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str | Path, directory: Path = ROOT) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run([str(part) for part in command], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Everything that a release must pass."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        # The wheel is built from the source distribution, so both are known to be whole.
        run(sys.executable, "-m", "build", "--outdir", work / "dist", ROOT)
        (wheel,) = (work / "dist").glob("*.whl")
        run(Path(sys.executable).with_name("check-wheel-contents"), wheel, directory=work)
        venv.create(work / "clean", with_pip=True)
        python = work / "clean" / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", "--constraint", ROOT / "constraints.txt", wheel, directory=work)
        script = work / "clean" / "bin" / "sealtrace"
        report = json.loads(run(script, "verify", "--format", "json", directory=work))
        manifest = json.loads((ROOT / "bundles/rsd-fixture/bundle/manifest.json").read_text())
        expected = ("verified", manifest["root_sha256"])
        found = (report["verdict"], report["bundle"]["root_sha256"])
        if found != expected:
            sys.exit(f"the installed package verified {found}, not {expected}")
        for kind in sorted(path.name.removesuffix(".schema.json") for path in (ROOT / "schemas").glob("*.json")):
            run(script, "schema", kind, directory=work)
        for kind in ("results", "policies"):
            run(script, "init", work / kind, "--kind", kind, directory=work)
        print(f"{wheel.name}: contents clean, installs, verifies its embedded bundle")


if __name__ == "__main__":
    main()
