"""Whatever is broken, every command says the same of every cell, and of pass or not."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from checks.test_mutations import ALL, AnyMutation
from cli.runner import sealtrace as run
from support import LONG

EXPLAINED = 3
"""How many cells of each status are explained."""


PLAIN = {name: one for name, one in ALL.items() if not one.options}
"""Mutations that show without an option of `verify`: no other command takes one."""
TRIED = dict(list(PLAIN.items())[:: 1 if LONG else 8])


@pytest.mark.parametrize("mutation", TRIED.values(), ids=TRIED)
def test_every_command_agrees(mutation: AnyMutation, tmp_path: Path, kept_examinations: list[object]) -> None:
    """verify, diff, explain, certify, the page, JUnit and SARIF speak of one examination."""
    bundle = mutation.broken(tmp_path)
    forms = {form: tmp_path / f"report.{form}" for form in ("json", "junit", "sarif", "html")}
    verified = run("verify", bundle, *(f"-o{form}={path}" for form, path in forms.items()))
    report = json.loads(forms["json"].read_text())
    assert (verified.code, report["verdict"]) == (1, "findings")

    suite = ElementTree.parse(forms["junit"]).getroot()
    assert list(suite.iter("failure"))
    levels = {one["level"] for one in json.loads(forms["sarif"].read_text())["runs"][0]["results"]}
    assert "error" in levels
    assert "Findings" in forms["html"].read_text()

    if report["numbers"]:
        compared = run("diff", bundle, "--all", "--format", "json")
        assert compared.code == 1
        assert json.loads(compared.output)["numbers"] == report["numbers"]
    seen: dict[str, int] = {}
    for cell in report["numbers"]:
        seen[cell["status"]] = seen.get(cell["status"], 0) + 1
        if seen[cell["status"]] <= EXPLAINED:
            explained = run("explain", bundle, f"{cell['table']}[{cell['row']}, {cell['column']}]")
            assert f"\nword       {cell['word']} ({cell['status']}): " in explained.output
            assert explained.code == 1
    assert run("certify", bundle, "--format", "json").code == 1
    # Every command asked, and all but the first were answered from one examination.
    assert len(kept_examinations) >= 2
    assert len(set(kept_examinations)) == 1
