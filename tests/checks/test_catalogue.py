"""The list of checks: what a name chooses of it, what a check needs, and how a function is tied to it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from checks.few_records import evidence_of
from sealtrace.checks import families  # noqa: F401 - registers the functions
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, pack_of, select, with_needs
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS, check, lacking
from sealtrace.contract.packs import SHIPPED

PAPERS = {"manuscript.references", "manuscript.overfull"}


@pytest.mark.parametrize(
    ("chosen", "skipped", "expected"),
    [
        ([], [], set(BY_ID)),
        (["manuscript"], [], PAPERS),
        (["manuscript."], [], PAPERS),
        (["manuscript"], ["manuscript.overfull"], {"manuscript.references"}),
        (["manuscript.overfull", "query"], [], {"manuscript.overfull", "query.empty"}),
        ([], ["manuscript", "query"], set(BY_ID) - PAPERS - {"query.empty"}),
    ],
)
def test_what_names_choose(chosen: list[str], skipped: list[str], expected: set[str]) -> None:
    """A whole id, or whole leading parts of one; what is skipped is not chosen."""
    assert select(chosen, skipped) == expected


@pytest.mark.parametrize(
    ("chosen", "skipped", "said"),
    [
        (["manu"], [], "no check has the id or prefix 'manu'"),
        (["query"], ["quarry"], r"no check has the id or prefix 'quarry'.*did you mean 'query'"),
        (["manuscript"], ["manuscript"], "no check is left to run"),
    ],
)
def test_names_that_choose_nothing(chosen: list[str], skipped: list[str], said: str) -> None:
    """Each is refused, with what was probably meant."""
    with pytest.raises(ValueError, match=said):
        select(chosen, skipped)


def test_needs_of_needs() -> None:
    """A check is run after all that it rests on."""
    assert with_needs(frozenset({"identity.manifest"})) == {"identity.manifest"}
    assert with_needs(frozenset({"table.cells"})) == {
        "table.cells",
        "table.recipes",
        "table.shape",
        "schema.documents",
        "schema.json",
        "identity.manifest",
    }


def test_packs() -> None:
    """The engine's own checks belong to none; every other belongs to the pack that lists it."""
    assert pack_of("identity.root") is None
    for entry in CATALOGUE:
        pack = pack_of(entry.id)
        assert pack is None or entry in pack.catalogue
    assert {pack.name for pack in map(pack_of, BY_ID) if pack} == set(SHIPPED)


def test_every_check_has_one_function() -> None:
    """None is registered twice, nor without a paragraph in the catalogue."""
    assert all(unit for _, unit in map(FUNCTIONS.__getitem__, BY_ID))
    assert set(FUNCTIONS) == set(BY_ID)
    for name in ("identity.root", "identity.unheard-of"):
        with pytest.raises(RuntimeError, match=f"{name} is not in the catalogue, or has a function already"):
            check(name, "digests")


def test_checks_of_a_pack_are_imported_when_a_bundle_needs_them() -> None:
    """A study of policies is verified without those of games and services, and its report is whole."""
    program = """
import sys
from sealtrace import api
assert api.verify().verdict == "verified"
print(*sorted(name for name in sys.modules if name.startswith("sealtrace.studies.") and name.endswith(".checks")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sealtrace.studies.policies.checks"]


def test_what_guards_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """`unless` says why there is nothing to check; `of` takes what the function looks at, and may find nothing."""
    monkeypatch.delitem(FUNCTIONS, "identity.root")
    seen: list[Any] = []

    def run(evidence: Any, **guards: Any) -> str | None:
        seen.clear()
        FUNCTIONS.pop("identity.root", None)

        def look(subject: Any, _: Outcome) -> None:
            seen.append(subject)

        assert check("identity.root", "digests", **guards)(look) is look
        outcome = Outcome("identity.root", "digests")
        FUNCTIONS["identity.root"][0](evidence, outcome)
        return outcome.not_applicable

    labels = {"declare/label.test.jsonl": [{"item": "a", "split": "test", "label": "cat"}]}
    held, protocol = evidence_of(labels), evidence_of({"declare/protocol.json": {"study": "s", "title": "t"}})
    no_labels, no_protocol = lacking("label", "no labels"), lacking("protocol", "no protocol")
    assert (run(held), seen) == (None, [held])
    assert (run(held, unless=no_labels), seen) == (None, [held])
    assert (run(held, unless=no_protocol), seen) == ("no protocol", [])
    assert (run(protocol, unless=no_protocol), seen) == (None, [protocol])
    assert (run(protocol, unless=no_labels), seen) == ("no labels", [])
    assert (run(held, of=lambda evidence, _: evidence.bundle), seen) == (None, [held.bundle])
    assert (run(held, of=lambda *_: None), seen) == (None, [])
    assert (run(held, of=lambda *_: 0), seen) == (None, [0])
    assert FUNCTIONS["identity.root"][1] == "digests"
