"""A pack of another distribution: found by its entry point, listed, run, and able to fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
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


READINGS = """
from pydantic import Field

from sealtrace.contract.packs import Form, Kind, Pack, any_role
from sealtrace.contract.scalars import Count, Name, Number, Record

class Reading(Record):
    station: Name = Field(description="The station.")
    hour: Count = Field(description="Hours since the start.")
    celsius: Number = Field(description="The temperature.")

KIND = Kind("reading", Form.ROWS, "weather_pack:Reading", ("station", "hour"), any_role("report"))
LISTED = \"\"\"
weather pack
    mean_temperature station: mean of the readings of a station
\"\"\"
PACK = Pack("weather", (KIND,), metrics="weather_metrics", listed=LISTED)
"""
METRICS = """
import numpy as np

from sealtrace.mathematics.exact import mean
from sealtrace.recipes.metrics import metrics_of, value_of

@metrics_of("weather")("mean_temperature")
def mean_temperature(evidence, arguments):
    frame = evidence.frame("reading")
    rows = np.flatnonzero(frame.says("station", arguments["station"]))
    return value_of(frame, rows, mean(frame.numbers("celsius")[rows]))
"""


def _installed(site: Path, **modules: str) -> Callable[..., tuple[int, str, str]]:
    """As pip would leave a pack: its modules, and metadata with an entry point. Returns what runs a command with it."""
    metadata = site / "weather_pack-1.0.dist-info"
    metadata.mkdir(parents=True)
    for name, text in modules.items():
        (site / f"{name}.py").write_text(text)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: weather-pack\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[sealtrace.packs]\nweather = weather_pack:PACK\n")

    def run(*words: str | Path) -> tuple[int, str, str]:
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        done = subprocess.run(
            [*SCRIPT, *map(str, words)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_row_takes_the_entity_that_it_prints(tmp_path: Path) -> None:
    """A pack that declares no entities is not fooled all the same: the fields that identify its rows are entities."""
    run = _installed(tmp_path / "site", weather_pack=READINGS, weather_metrics=METRICS)
    described = "import json, weather_pack as pack; print(json.dumps(pack.Reading.model_json_schema()))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *filter(None, sys.path)])}
    schema = subprocess.run([sys.executable, "-c", described], env=environment, capture_output=True, check=True).stdout
    (tmp_path / "site" / "reading.schema.json").write_bytes(schema)
    readings = [{"station": "Elm", "hour": 0, "celsius": 8.3}, {"station": "Oak", "hour": 0, "celsius": 1.0}]
    recipe = {"metric": "mean_temperature", "arguments": {"station": "{of}"}}
    columns = [{"label": "Station"}, {"label": "Mean temperature", "recipe": recipe}]
    for study, elm, oak in (("right", "Elm", "Oak"), ("exchanged", "Oak", "Elm")):
        place = tmp_path / study
        for name in ("declare", "report"):
            (place / name).mkdir(parents=True)
        rows = [
            {"label": "Elm", "cells": ["Elm", "8.3" if elm == "Elm" else "1.0"], "arguments": {"of": elm}},
            {"label": "Oak", "cells": ["Oak", "1.0" if oak == "Oak" else "8.3"], "arguments": {"of": oak}},
        ]
        (place / "declare" / "protocol.json").write_text('{"study": "May", "title": "Weather", "anonymous": false}')
        (place / "report" / "reading.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in readings))
        (place / "report" / "table.may.json").write_text(json.dumps({"label": "may", "columns": columns, "rows": rows}))
    assert run("seal", tmp_path / "right", "--empty", "all=Only readings are kept.")[0] == 0
    # No check of the pack reads its kind, which is missing evidence; the numbers follow all the same.
    code, said, _complained = run("verify", tmp_path / "right")
    assert (code, "2 follow" in said) == (3, True)
    code, _said, refused = run("seal", tmp_path / "exchanged", "--empty", "all=Only readings are kept.")
    assert (code, "it takes station Oak" in " ".join(refused.split())) == (2, True)


def test_an_installed_pack_is_run(tmp_path: Path) -> None:
    """Its checks are listed, run where they are asked for, and can fail."""
    quietly = _installed(tmp_path / "site", weather_pack=PACK, weather_checks=CHECKS)

    def run(*words: str | Path) -> tuple[int, str]:
        code, said, complained = quietly(*words)
        assert complained == ""
        return code, said

    code, listed = run("checks", "weather.named")
    assert (code, "weather pack: names" in listed) == (0, True)
    assert run("verify", small_study(tmp_path / "good", "weather of May"), "--check", "weather")[0] == 3
    assert run("verify", small_study(tmp_path / "good too", "weather of June"))[0] == 0
    code, said = run("verify", small_study(tmp_path / "bad", "climate"))
    assert (code, "/name: The study is not about weather." in said) == (1, True)
