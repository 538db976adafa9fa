"""A pack of another distribution: found by its entry point, listed, run, and able to fail."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from cli.runner import SCRIPT
from small_study import small_study

PACK = """
from sealtrace.contract.packs import Check, Pack

PACK = Pack(
    "weather",
    kinds=(),
    catalogue=(
        Check("weather.named", "The study is named after weather", "weather pack: names", "another name"),
    ),
    checks="weather_checks",
)
"""
CHECKS = """
from sealtrace.checks.registry import check

@check("weather.named", "studies")
def named(evidence, outcome):
    outcome.inspected = 1
    if "weather" not in evidence.bundle.name:
        outcome.at("manifest.json").error("/name", "The study is not about weather.", "weather", evidence.bundle.name)
"""


def test_an_installed_pack_is_run(tmp_path: Path) -> None:
    """As pip would leave it: two modules, and metadata with an entry point."""
    site = tmp_path / "site"
    metadata = site / "weather_pack-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "weather_pack.py").write_text(PACK)
    (site / "weather_checks.py").write_text(CHECKS)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: weather-pack\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[sealtrace.packs]\nweather = weather_pack:PACK\n")

    def run(*words: str | Path) -> tuple[int, str]:
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        done = subprocess.run(
            [*SCRIPT, *map(str, words)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    code, listed = run("checks", "weather.named")
    assert (code, "weather pack: names" in listed) == (0, True)
    assert run("verify", small_study(tmp_path / "good", "weather of May"), "--check", "weather")[0] == 3
    assert run("verify", small_study(tmp_path / "good too", "weather of June"))[0] == 0
    code, said = run("verify", small_study(tmp_path / "bad", "climate"))
    assert (code, "/name: The study is not about weather." in said) == (1, True)
