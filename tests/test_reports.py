"""reports/ holds what the verifier says of the shipped studies today."""

from __future__ import annotations

import json
import re
import runpy
from typing import Any

import pytest

from support import ROOT

pytestmark = pytest.mark.usefixtures("kept_examinations")

REGENERATE: dict[str, Any] = runpy.run_path(str(ROOT / "reports" / "regenerate.py"))
STUDIES = REGENERATE["studies"]()


DIGITS = re.compile(r"\b\d+\.\d{12,}\b(?!e)")
LARGEST = re.compile(
    r"<dt>Largest difference</dt>.*?</div>|<span class=.what soft.>largest difference[^<]*</span>", re.DOTALL
)


def comparable(text: str) -> str:
    """Without rounding differences: processors differ in the last bits of exp and of sums."""
    text = DIGITS.sub(lambda number: f"{float(number[0]):.11g}", text)
    if text.startswith("{"):
        document = json.loads(text)
        document.get("summary", {}).pop("max_discrepancy", None)
        return json.dumps(document, indent=1)
    if text.startswith("<!"):
        return LARGEST.sub("", text)
    return re.sub(r"Discrepancy  at most.*?\n(?=\S)", "Discrepancy\n", text, flags=re.DOTALL)


@pytest.mark.parametrize("study", STUDIES)
def test_reports_are_up_to_date(study: str) -> None:
    """A change of the verifier or of a bundle shows in the committed reports; `make reports` writes them."""
    for name, content in REGENERATE["rendered"](STUDIES[study]).items():
        committed = (ROOT / "reports" / study / name).read_text(encoding="utf-8")
        assert comparable(committed) == comparable(content), f"{study}/{name}: run `make reports`"


@pytest.mark.parametrize("study", STUDIES)
def test_study_gives_the_verdict_that_it_expects(study: str) -> None:
    """Each shipped study states its verdict before it is judged."""
    protocol = json.loads((STUDIES[study] / "declare" / "protocol.json").read_text())
    report = json.loads((ROOT / "reports" / study / "report.json").read_text())
    assert report["verdict"] == protocol["expects"]
