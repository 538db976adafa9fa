"""Claims that a bundle seals, as `verify` shows them."""

from __future__ import annotations

import json
from pathlib import Path

from cli.runner import sealtrace
from sealtrace.bundle.sealing import seal
from support import ROOT, copy_of, unseal

SPLITS = "tab:splits[evaluation, {}]"
TOTAL = f"{SPLITS.format('fold')} + {SPLITS.format('call')} + {SPLITS.format('raise')}"


def test_verify_lists_sealed_claims_with_their_grades(tmp_path: Path) -> None:
    """Each is in the result once, broken ones first; the text tells of it by its name and not a second time as a
    finding."""
    bundle = copy_of(ROOT / "bundles" / "behaviour" / "bundle", tmp_path)
    also = [{"at": "tab:splits", "quote": name} for name in ("fold", "call", "raise", "evaluation")]
    claims = [
        {"id": name, "at": "tab:splits", "quote": "Snapshots", "also": also, "readings": [reading]}
        for name, reading in (
            ("adds-up", f"{SPLITS.format('Snapshots')} == {TOTAL}"),
            ("half", f"{SPLITS.format('Snapshots')} == {SPLITS.format('fold')} + {SPLITS.format('call')}"),
        )
    ]
    (bundle / "report" / "claims.json").write_text(json.dumps({"claims": claims}), encoding="utf-8")
    unseal(bundle)
    seal(bundle)
    told = json.loads(sealtrace("verify", bundle, "--format", "json").output)
    assert [(claim["id"], claim["grade"]) for claim in told["claims"]] == [
        ("half", "contradiction"),
        ("adds-up", "holds"),
    ]
    assert [one["printed"] for one in told["claims"][0]["numbers"]] == ["405", "60", "237"]
    assert told["checks"]
    assert "schema.meaning" not in [check["id"] for check in told["checks"] if check["status"] == "missing"]
    shown = sealtrace("verify", bundle).output
    assert shown.count("contradiction: half") == 1
    assert "/claims/1" not in shown
    assert ".." not in shown
