"""What people outside saw of this bundle, and what a stage cannot have known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from sealtrace.bundle.defects import BundleError, Defect
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.checks.stages import due_stages
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.result import Disclosed, StageCoverage
from sealtrace.contract.sealing import Tree
from sealtrace.evidence import Evidence, View
from sealtrace.witnesses.disclosure import DisclosureError, checked
from sealtrace.witnesses.examining import ROWS, Witnessed, witnessed
from sealtrace.witnesses.signatures import read_bytes


class Outside(View):
    """A bundle as people outside see it: what they signed, stamped or were shown of it."""

    @cached_property
    def witnesses(self) -> Witnessed:
        """Signatures, timestamps and weaker witnesses."""
        return witnessed(self.bundle, self.evidence.asked)

    @cached_property
    def disclosed(self) -> tuple[list[tuple[Disclosed, list[Defect]]], list[Defect]]:
        """The withheld rows that were disclosed, and what is wrong with files that disclose none.

        `BundleError` where that is a file which the reader named.
        """
        defects: list[Defect] = []
        return list(_partial(self.evidence, defects)), defects


@check("witness.later", "files")
def later(evidence: Evidence, outcome: Outcome) -> None:
    outcome.inspected = len(evidence.bundle.entries)


@check("witness.outside", "witnesses")
def outside(evidence: Evidence, outcome: Outcome) -> None:
    found = evidence.view(Outside).witnesses
    outcome.missing = evidence.bundle.unseen
    if not found.inspected and not outcome.missing:
        outcome.not_applicable = "nothing was signed or timestamped outside, and nothing was asked for"
        return
    outcome.inspected = found.inspected
    outcome.defects(found.defects)


def coverage(evidence: Evidence) -> list[StageCoverage]:
    """Stage by stage: who saw it, from which time on; nothing where nobody did."""
    found, due = evidence.view(Outside).witnesses, due_stages(evidence)
    sealed = {seal.value["stage"] for seal in evidence.bundle.documents_of("seal")}
    return [
        StageCoverage(
            stage=stage,
            witnesses=[witness.sentence for witness in found.covering(stage)],
            vouched=any(witness.vouched for witness in found.covering(stage)),
            since=found.since(stage),
        )
        for stage in STAGES
        if found.witnesses and (stage in due or stage in sealed)
    ]


_LONGEST_DISCLOSURE = 2**28


@check("witness.disclosed", "rows")
def disclosed_rows(evidence: Evidence, outcome: Outcome) -> None:
    trees = evidence.bundle.sealed(Tree)
    doubled = _doubled(evidence)
    if not _disclosures(evidence) and not doubled:
        outcome.not_applicable = (
            "no withheld rows were disclosed (--partial)" if trees else "the bundle withholds no rows"
        )
        return
    for tree in trees:
        if tree.record.name in doubled:
            outcome.inspected += 1
            message = "Two trees have the same name, so that nobody can tell whose rows are disclosed. Rename one."
            outcome.at(tree.path, {"tree": tree.record.name}).error("/name", message)
    sources = {tree.record.name: tree.path for tree in trees}
    found, defects = evidence.view(Outside).disclosed
    outcome.inspected += len(defects)
    outcome.defects(defects)
    for part, faults in found:
        outcome.inspected += part.seen + part.wrong
        key = {"tree": part.tree}
        outcome.defects(replace(fault, path=sources[part.tree], key=key) for fault in faults)


def _doubled(evidence: Evidence) -> set[str]:
    """Names that two trees have."""
    names = [tree.record.name for tree in evidence.bundle.sealed(Tree)]
    return {name for name in names if names.count(name) > 1}


def _partial(evidence: Evidence, defects: list[Defect]) -> Iterator[tuple[Disclosed, list[Defect]]]:
    # A decoy of the same name could have its own rows drawn.
    doubled = _doubled(evidence)
    trees = {tree.record.name: tree.record for tree in evidence.bundle.sealed(Tree)}
    asked = evidence.asked
    for path, (data, named) in _disclosures(evidence).items():
        try:
            document = parse(data)
            name = document.get("tree") if isinstance(document, dict) else None
            if not isinstance(name, str) or name not in trees:
                raise DisclosureError(f"it is about the tree {name!r}; sealed are {', '.join(trees) or 'none'}")
            if name not in doubled:
                # Beside the sample that the reader names, what lies with the witnesses are the author's examples.
                demanded = named or not asked.partial
                yield checked(document, trees[name], *((asked.seed, asked.count) if demanded else (None, None)))
        except (StrictJSONError, DisclosureError, ValueError, KeyError, TypeError, RecursionError) as error:
            reason = str(error) if isinstance(error, DisclosureError | StrictJSONError) else "it discloses no rows"
            if named:
                raise BundleError(f"{path}: {reason}") from None
            defects.append(Defect(f"This file discloses nothing: {reason}.", path))


def _disclosures(evidence: Evidence) -> dict[str, tuple[bytes, bool]]:
    """Files of disclosed rows, and whether the reader names them; the others lie with the witnesses."""
    within = {path: (data, False) for path, data in evidence.bundle.witnesses.items() if path.endswith(ROWS)}
    return within | {str(path): (read_bytes(path, _LONGEST_DISCLOSURE), True) for path in evidence.asked.partial}


def disclosures(evidence: Evidence) -> list[Disclosed]:
    """For the report: how much was seen, and what that excludes."""
    return [part for part, _faults in evidence.view(Outside).disclosed[0]]
