"""Every attack of this directory is found as its case says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from checks.mutations import name_the_traces
from sealtrace.bundle.sealing import seal
from support import LARGE_TABLES, LONG, ROOT, copy_of, read_rows, unseal, write_rows

CASES = sorted(path.parent.name for path in Path(__file__).parent.glob("*/case.json"))


def patched(value: Any, operation: dict[str, Any]) -> Any:
    """One operation of RFC 6902; the value is changed in place, but at the empty path."""
    if not operation["path"]:
        return operation["value"]
    *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
    node = value
    for part in way:
        node = node[int(part) if isinstance(node, list) else part]
    if isinstance(node, list) and operation["op"] == "add":
        node.insert(len(node) if last == "-" else int(last), operation["value"])
    elif operation["op"] == "remove":
        del node[int(last) if isinstance(node, list) else last]
    else:
        node[int(last) if isinstance(node, list) else last] = operation["value"]
    return value


def built(case: dict[str, Any], directory: Path) -> Path:
    """The attack's bundle."""
    small = Path(__file__).parent / case["base"]
    bundle = copy_of(small if small.exists() else ROOT / "bundles" / case["base"] / "bundle", directory)
    for name in case.get("removed", ()):
        (bundle / name).unlink()
    if case["base"] == "rsd-fixture" and not LONG:
        # Large tables that a case does not speak of cost more than all the rest, and change nothing of it.
        for name in LARGE_TABLES:
            if name not in json.dumps(case):
                (bundle / "report" / f"table.{name}.json").unlink()
    for name, operations in case["edits"].items():
        path = bundle / name
        rows = path.suffix == ".jsonl"
        value: Any = None
        if path.exists():
            value = read_rows(path) if rows else json.loads(path.read_text("utf-8"))
        for operation in operations:
            value = patched(value, operation)
        path.parent.mkdir(exist_ok=True)
        if rows:
            assert isinstance(value, list)
            write_rows(path, value)
        elif path.suffix != ".json":
            path.write_text(value, "utf-8")
        else:
            path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    name_the_traces(bundle)
    if (bundle / "manifest.json").exists():
        unseal(bundle)
    seal(bundle, empty={"all": "Nothing belongs here."}, lenient=True)
    return bundle


@pytest.mark.parametrize("name", CASES)
def test_attack(name: str, tmp_path: Path) -> None:
    """The verdict and the finding are those that the case expects."""
    case = json.loads((Path(__file__).parent / name / "case.json").read_text("utf-8"))
    expected = case["expected"]
    assert case["says"]
    assert {"check", "missing", "cell"} & set(expected), "a case expects something besides a verdict"
    bundle = built(case, tmp_path)
    report = sealtrace.verify(bundle)
    assert report.verdict == expected["verdict"]
    if "check" in expected:
        found = {(one.check, one.source, one.field) for one in report.findings if one.severity == severity_of(expected)}
        assert (expected["check"], expected["source"], expected.get("field")) in found
    if "missing" in expected:
        assert expected["missing"] in {one.id for one in report.checks if one.status == "missing"}
    if "certify" in expected:
        wanted = expected["certify"]
        (chosen,) = sealtrace.certify(bundle, selectors=[wanted["selector"]]).selectors
        assert (chosen.global_budget, len(chosen.removed)) == (wanted["global_budget"], wanted["removed"])
    if "cell" in expected:
        statuses = {f"{one.table}[{one.row}, {one.column}]": one.status for one in report.numbers}
        assert statuses[expected["cell"]["address"]] == expected["cell"]["status"]


def severity_of(expected: dict[str, Any]) -> str:
    """An error, unless the case says otherwise."""
    return str(expected.get("severity", "error"))
