"""docs/reproduction.md: the ids are checks, and the bundle beside them passes each."""

from __future__ import annotations

import json
import re

from support import ROOT

ROW = re.compile(r"\| (\d+) \| [^|]+ \| ([^|]+) \| `([^`]+)` \|")


def test_every_check_of_the_appendix_is_passed_by_its_bundle() -> None:
    rows = ROW.findall((ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8"))
    assert [int(number) for number, _, _ in rows] == list(range(1, 11))
    for _, ids, study in rows:
        report = json.loads((ROOT / "reports" / study / "report.json").read_text(encoding="utf-8"))
        status = {check["id"]: check["status"] for check in report["checks"]}
        assert {name: status[name] for name in re.findall("`([^`]+)`", ids)} == dict.fromkeys(
            re.findall("`([^`]+)`", ids), "pass"
        )
