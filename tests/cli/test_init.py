"""`sealtrace init`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.resources import protocol_notes, schema_document
from sealtrace.contract.kinds import STAGES


@pytest.mark.parametrize("kind", ["results", "policies"])
def test_a_protocol_that_can_be_sealed(kind: str, tmp_path: Path) -> None:
    """It fits its schema and has the directory's name; the stage can be sealed as it is."""
    study = tmp_path / "leaves of trees"
    run = sealtrace("init", study, "--kind", kind)
    assert (run.code, run.errors) == (0, "")
    files = sorted(str(path) for path in study.rglob("*") if path.is_file())
    assert sorted(run.output.splitlines()) == files
    protocol = json.loads((study / "bundle" / "declare" / "protocol.json").read_text())
    assert misfits_of("protocol", protocol) == []
    assert protocol["study"] == "leaves of trees"
    assert sealtrace("seal", study / "bundle", "--stage", "declare").code == 0


def test_policies_have_a_directory_for_each_stage(tmp_path: Path) -> None:
    """And the README names all of them."""
    sealtrace("init", tmp_path / "study", "--kind", "policies")
    assert {path.name for path in (tmp_path / "study" / "bundle").iterdir()} == set(STAGES)
    readme = (tmp_path / "study" / "README.md").read_text()
    assert [stage for stage in STAGES if f"| `{stage}/` |" not in readme] == []


def test_notes_explain_every_field() -> None:
    """Those of the schema and of everything in it."""
    notes = protocol_notes()
    schema = schema_document("protocol")
    for part in (schema, *schema["$defs"].values()):
        for name, node in part["properties"].items():
            assert re.search(rf"^- `{name}` \(.*\): {re.escape(node['description'])}$", notes, re.MULTILINE), name


@pytest.mark.parametrize("kind", ["results", "policies"])
def test_nothing_is_overwritten(kind: str, tmp_path: Path) -> None:
    """An empty directory will do; one with anything in it will not, nor will a file."""
    (tmp_path / "empty").mkdir()
    assert sealtrace("init", tmp_path / "empty", "--kind", kind).code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    run = sealtrace("init", tmp_path / "empty", "--kind", kind)
    assert (run.code, run.output) == (2, "")
    assert "not empty" in run.errors
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / ".keep").write_text("")
    assert sealtrace("init", tmp_path / "hidden", "--kind", kind).code == 2
    (tmp_path / "file").write_text("mine")
    assert sealtrace("init", tmp_path / "file", "--kind", kind).code == 2
    assert {path: path.read_bytes() for path in before} == before
    assert list((tmp_path / "hidden").iterdir()) == [tmp_path / "hidden" / ".keep"]
