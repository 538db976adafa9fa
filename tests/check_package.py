"""Builds the wheel, looks into it, and installs it in a clean environment, which then can do everything.

Everything is: verify each shipped bundle with the verdict that it expects, and write every format. Only what stands in
the project's dependencies is there, and no extra.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUNDLES = sorted((ROOT / "bundles").glob("*/bundle"))


def run(*command: str | Path, directory: Path = ROOT, codes: tuple[int, ...] = (0,)) -> str:
    """The output of a command that must end with one of these codes."""
    done = subprocess.run([str(part) for part in command], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_embedded(script: Path, work: Path) -> None:
    """The bundle inside the wheel is the one in the checkout, and is verified."""
    report = json.loads(run(script, "verify", "--format", "json", directory=work))
    manifest = json.loads((ROOT / "bundles/rsd-fixture/bundle/manifest.json").read_text())
    expected = ("verified", manifest["root_sha256"])
    found = (report["verdict"], report["subject"]["root_sha256"])
    if found != expected:
        sys.exit(f"the installed package verified {found}, not {expected}")


def check_shipped(script: Path, work: Path) -> None:
    """Every shipped bundle has the verdict that it expects of itself, and every format is written of it."""
    for bundle in BUNDLES:
        directory = work / bundle.parent.name
        run(script, "report", bundle, "--output", directory, directory=work, codes=(0, 1, 3))
        empty = [path.name for path in directory.iterdir() if not path.stat().st_size]
        if empty or not (directory / "report.html").is_file():
            sys.exit(f"{bundle}: {', '.join(empty) or 'report.html'} was not written")
        verdict = json.loads((directory / "report.json").read_text())["verdict"]
        if verdict != (expects := json.loads((bundle / "declare/protocol.json").read_text())["expects"]):
            sys.exit(f"{bundle}: {verdict}, not {expects}")


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
        check_embedded(script, work)
        check_shipped(script, work)
        for kind in sorted(path.name.removesuffix(".schema.json") for path in (ROOT / "schemas").glob("*.json")):
            run(script, "schema", kind, directory=work)
        for kind in ("results", "policies"):
            run(script, "init", work / kind, "--kind", kind, directory=work)
        print(f"{wheel.name}: contents clean, installs, verifies {len(BUNDLES)} bundles, writes every format")


if __name__ == "__main__":
    main()
