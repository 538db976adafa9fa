"""Every example of the page on the language of claims is decided, about the paper that the page shows."""

from __future__ import annotations

import re

import pytest

from sealtrace.claims.deciding import decide_claims
from sealtrace.claims.reading import Written
from sealtrace.claims.tying import Ground
from sealtrace.contract.claims import Quotation, StatedClaim
from sealtrace.paper.reported import read_reported
from support import ROOT

PAGE = (ROOT / "docs" / "reference" / "claims.md").read_text(encoding="utf-8")
(PAPER,) = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = re.findall(r"^\| [^|]+ \| `(.+)` \|$", PAGE, re.MULTILINE)
GROUND = Ground(read_reported(PAPER, "paper.md", lambda _name: None))


@pytest.mark.parametrize("reading", EXAMPLES)
def test_each_example_holds(reading: str) -> None:
    first, *others = [Quotation(at=sentence.id, quote=sentence.text) for sentence in GROUND.paper.sentences]
    claim = StatedClaim(at=first.at, quote=first.quote, readings=[reading], also=others)
    (found,) = decide_claims([Written(claim, "page", 1, 1)], GROUND).results
    assert (found.grade, found.reason, found.arithmetic) == ("holds", None, [])


def test_the_page_has_an_example_of_every_function() -> None:
    from sealtrace.relations.computing import COMPUTED
    from sealtrace.relations.syntax import FUNCTIONS

    shown = " ".join(EXAMPLES)
    assert [name for name in (*COMPUTED, *FUNCTIONS) if f"{name}(" not in shown and name != "quantile"] == []
