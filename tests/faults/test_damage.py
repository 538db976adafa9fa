"""Every damage of every file of a bundle gets a verdict, whether its rows are held or judged a shard at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import large_bundle
import large_dataset
from faults import damages
from faults.damages import DAMAGES, damaged, files_of, verdicts
from sealtrace import examination
from sealtrace.bundle import blocks
from sealtrace.bundle.defects import BundleError
from sealtrace.studies.policies import shard_screening
from support import LONG, ROOT, small_fixture

SHIPPED = sorted(path.parent for path in (ROOT / "bundles").glob("*/bundle/manifest.json"))


FILES_OF_A_SAMPLE = 3


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """A study of policies and one of results, in which a table of more than 250 rows counts as large."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(blocks, "SMALL", 250)
        patched.setattr(blocks, "BLOCK", 150)
        patched.setattr(shard_screening, "STRETCH", 8)
        found = {name: tmp_path_factory.mktemp("large") / name for name in ("policies", "results")}
        large_bundle.make(found["policies"], 60)
        large_dataset.make(found["results"], 600)
        for bundle in found.values():
            assert examination.examine(bundle).bundle.streamed
        yield found


def judged_in_all_damages(bundle: Path, directory: Path) -> None:
    """A verdict that is not `verified`; only a bundle without a manifest is none, which is said in a sentence."""
    paths = files_of(bundle)
    tried = 0
    for number, path in enumerate(paths):
        for order, (name, damage) in enumerate(DAMAGES.items()):
            sampled = (
                path == "declare/protocol.json"
                or (number * len(DAMAGES) + order) % max(1, len(paths) * len(DAMAGES) // FILES_OF_A_SAMPLE) == 1
            )
            if not (LONG or sampled):
                continue
            broken = damaged(bundle, directory / f"{number}-{name}", path, damage)
            tried += 1
            try:
                report = examination.examine(broken).report
            except BundleError:
                if (path, name) != ("manifest.json", "remove"):
                    raise
                continue
            assert report.verdict == "findings", (path, name)
            assert any(finding.check.startswith("identity") for finding in report.findings), (path, name)
    print(bundle.parent.name, len(paths), "files,", tried, "damages, each with a verdict")
    assert tried


@pytest.mark.parametrize("form", ["policies", "results"])
def test_damage_of_a_large_bundle_gets_a_verdict(large: dict[str, Path], form: str, tmp_path: Path) -> None:
    """Its protocol above all: the small form has findings without it, so the large one has."""
    judged_in_all_damages(large[form], tmp_path)


def test_damage_of_a_small_bundle_gets_a_verdict(tmp_path: Path) -> None:
    """The same, with all rows held."""
    judged_in_all_damages(small_fixture(), tmp_path)


def test_damage_of_a_shipped_bundle_gets_a_verdict(tmp_path: Path) -> None:
    """As it is shipped; `tests/faults/damages.py` does this with every bundle and every damage."""
    judged_in_all_damages(SHIPPED[0], tmp_path)


def test_the_runner_notices_what_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash, an endless loop and a green verdict in a child are each told from a verdict."""

    def crash(*_: object) -> int:
        raise RuntimeError("nobody expected this")

    def endless(*_: object) -> int:
        while True:
            pass

    def green(_: Path, output: Path) -> int:
        (output / "report.json").write_text('{"verdict": "verified"}')
        return 0

    monkeypatch.setattr(damages, "MOST_CPU", 1)
    for judge, said in ((crash, "nobody expected this"), (endless, "SIGXCPU"), (green, "exit 0")):
        monkeypatch.setattr(damages, "verify", judge)
        found = list(verdicts(SHIPPED[0], lambda path, damage: (path, damage) == ("SHA256SUMS", "flip")))
        assert [said in verdict.wrong for verdict in found] == [True], found
