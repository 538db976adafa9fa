"""Students of Leduc: sealed as verified, rebuilt from the recipe, and computed alike by two codes written apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import leduc_students_recipe.__main__
import sealtrace
from games.small_games import LEDUC
from leduc_students_recipe import build as recipe_build
from leduc_students_recipe import manuscript, measure, players, risk, settings, tables
from leduc_students_recipe import study as recipe_study
from leduc_students_recipe.platform import platform_bytes
from leduc_students_recipe.service import answer
from leduc_students_recipe.study import study
from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.students import students_of
from studies.test_leduc import as_array
from studies.test_rebuild import ENVIRONMENT, close, different_bytes, different_records, files_of, rows_of
from support import LONG, ROOT, shipped_report

BUNDLE = ROOT / "bundles" / "leduc-students" / "bundle"
MANUSCRIPT = "report/manuscript.tex"


@pytest.fixture(scope="module")
def games() -> GameStudy:
    return Evidence(read_bundle(BUNDLE)).view(GameStudy)


def test_verified() -> None:
    """Every cell is recomputed; those that rest on times are called measured."""
    report = shipped_report("leduc-students")
    assert report.verdict == "verified"
    assert {cell.status for cell in report.numbers} == {"exact", "measured"}
    tables = {cell.table for cell in report.numbers if cell.status == "measured"}
    assert tables == {
        "tab:teacher-free",
        "tab:three-seed",
        "tab:opponents",
        "tab:costs",
        "tab:endpoints",
        "tab:component",
    }


def test_page_has_its_figures() -> None:
    """Winnings and scores with intervals, and the distribution of latencies."""
    details = sealtrace.verify(BUNDLE, check=["profile", "match", "contest", "attempt"], details=True).details
    assert details is not None
    titles = [plot.title for plot in details.plots]
    assert titles == ["What arms win against opponents", "Wins and half of the ties", "Latency of requests"]
    for point in details.plots[0].series[0].points:
        assert point.low is not None
        assert point.high is not None
        assert point.low < point.y < point.high


@pytest.fixture(scope="module", autouse=True)
def few_students() -> Iterator[None]:
    """The recipe computes one of its five students; the long form computes all of them."""
    runs = settings.RUNS if LONG else settings.RUNS[1:2]
    kept = {run: students for run, students in players.load_students().items() if run in runs}
    with pytest.MonkeyPatch.context() as patched:
        for module in (recipe_study, recipe_build):
            patched.setattr(module, "RUNS", runs)
            patched.setattr(module, "load_students", lambda: kept)
        study.cache_clear()
        yield
    study.cache_clear()


KEYS = {"run": "run", "profile": "profile", "scale": "run", "match": "arm", "attempt": "arm"}
"""Kind of records to the column by which those of one student are found."""


def test_rebuild(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights and measurements are kept beside the recipe; all else follows, for each student that is computed.

    Tables need all students: the long form makes them, too, and seals. The manuscript follows from the sealed tables.
    """
    rebuilt = tmp_path / "bundle"
    if LONG:
        leduc_students_recipe.__main__.rebuild(rebuilt)
        assert different_records(BUNDLE, rebuilt) == set()
        if (BUNDLE / ENVIRONMENT).read_bytes() == platform_bytes():
            different = different_bytes(BUNDLE, rebuilt)
            assert different == set() or any(path.endswith(".parquet") for path in different)
        return
    paths = [BUNDLE / "report" / f"table.{name}.json" for name in tables.TABLES]
    printed = [json.loads(path.read_text("utf-8")) for path in paths]
    assert (BUNDLE / MANUSCRIPT).read_text("utf-8") == manuscript.source(printed)
    monkeypatch.setattr(tables, "TABLES", {})
    monkeypatch.setattr(recipe_build, "seal", lambda *_, **__: None)
    monkeypatch.setattr(leduc_students_recipe.__main__, "platform_bytes", (BUNDLE / ENVIRONMENT).read_bytes)
    leduc_students_recipe.__main__.rebuild(rebuilt)
    assert {name.split("/")[1].split(".")[0] for name in files_of(rebuilt)} > KEYS.keys()
    for name, file in files_of(rebuilt).items():
        kind = file.name.partition(".")[0]
        if kind in KEYS:
            made = rows_of(file)
            some = {row[KEYS[kind]] for row in made}
            assert close([row for row in rows_of(BUNDLE / name) if row[KEYS[kind]] in some], made), name
        elif name != MANUSCRIPT:
            assert (BUNDLE / name).read_bytes() == file.read_bytes(), name


def test_policies_and_values_two_ways(games: GameStudy) -> None:
    """The recipe goes neuron by neuron and history by history, the verifier by arrays."""
    students = students_of(games)
    assert students is not None
    made = study()
    for name, candidate in list(made.candidates.items())[::5]:
        np.testing.assert_allclose(students.policies[name], as_array(candidate.policy), atol=1e-13)
    weak, strong = risk.evaluators(made.teacher)
    assert students.evaluators is not None
    for theirs, ours in zip((weak, strong), students.evaluators, strict=True):
        padded = as_array(theirs)
        np.testing.assert_allclose(ours[LEDUC.legal], padded[LEDUC.legal], atol=1e-12)


def test_same_states_are_drawn(games: GameStudy) -> None:
    """Both sides list the information sets in the same order, and draw the same of them."""
    listed = [each.name for each in LEDUC.information_sets]
    assert listed == risk.in_order()
    students = students_of(games)
    assert students is not None
    assert [listed[place] for place in students.samples["calibration"]] == risk.drawn(
        settings.DISTILLATION["calibration"]
    )


def test_service_answers_and_spoils() -> None:
    """Most answers are legal actions; silence, illegal and malformed answers are all injected."""
    policies = {"s11@0": players.StudentPlayer(players.load_students()["s11"]).policy("0")}
    said = []
    for number in range(2000):
        state = measure.state_of(f"x/{number}")
        request = {"request": f"x/{number}", "attempt": 0, "candidate": "s11@0", "state": state}
        said.append(measure.outcome_of(answer(policies, request), state))
    assert {"ok", "illegal-action", "parser-failure", "service-timeout"} == set(said)
    assert said.count("ok") > 1800


def test_load_generator_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real service is started, loaded and stopped: every request has an end, timeouts last their time."""
    monkeypatch.setitem(settings.SERVICE, "warm_up", 1)
    monkeypatch.setitem(settings.SERVICE, "requests", 40)
    paths = [ROOT / "verifier", ROOT / "bundles" / "leduc", ROOT / "bundles" / "leduc-students"]
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, paths)))
    found = measure.measure({"fixed/s11": "s11@0.5"})
    assert set(found) == {request for request, _ in measure.requests_of("fixed/s11")}
    limit = float(str(settings.SERVICE["timeout_ms"]))
    for request, attempts in found.items():
        outcomes = [measure.outcome_of(said, measure.state_of(request)) for _, _, said in attempts]
        assert len(attempts) <= int(str(settings.SERVICE["attempts"]))
        assert all(outcome != "ok" for outcome in outcomes[:-1])
        assert all(elapsed >= limit for (_, elapsed, said) in attempts if said is None)
