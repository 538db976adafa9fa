"""What people outside saw of this bundle, and what a stage cannot have known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.kinds import STAGES
from sealtrace.contract.report import Disclosed, StageCoverage
from sealtrace.contract.sealing import Tree
from sealtrace.evidence import Evidence, View
from sealtrace.witnesses.disclosure import DisclosureError, Partial, checked
from sealtrace.witnesses.examining import ROWS, Witnessed, witnessed
from sealtrace.witnesses.signatures import read_bytes


class Outside(View):
    """A bundle as people outside see it: what they signed, stamped or were shown of it."""

    @cached_property
    def witnesses(self) -> Witnessed:
        """Signatures, timestamps and weaker witnesses."""
        return witnessed(self.bundle, self.evidence.asked)

    @cached_property
    def partial(self) -> list[Partial]:
        """The withheld rows that the reader was given. `BundleError` where a file discloses nothing."""
        return list(_partial(self.evidence))


@check("witness.later", "files")
def later(evidence: Evidence, outcome: Outcome) -> None:
    outcome.inspected = len(evidence.bundle.entries)
    outcome.defects(evidence.bundle.forward)


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
    found = evidence.view(Outside).witnesses
    return [
        StageCoverage(
            stage=stage,
            witnesses=[witness.sentence for witness in found.covering(stage)],
            vouched=any(witness.vouched for witness in found.covering(stage)),
            since=found.since(stage),
        )
        for stage in STAGES
        if found.witnesses
    ]


_LONGEST_DISCLOSURE = 2**28


@check("witness.disclosed", "rows")
def disclosed_rows(evidence: Evidence, outcome: Outcome) -> None:
    if not evidence.bundle.documents_of("tree"):
        outcome.not_applicable = "the bundle withholds no rows"
        return
    if not _disclosures(evidence):
        outcome.not_applicable = "no withheld rows were disclosed (--partial)"
        return
    sources = {tree.record.name: tree.path for tree in evidence.bundle.sealed(Tree)}
    for tree in evidence.view(Outside).partial:
        outcome.inspected += tree.seen + tree.wrong
        for fault in tree.faults:
            spot = outcome.at(sources[tree.tree], {"tree": tree.tree}, fault.index + 1)
            spot.error(fault.pointer, fault.message, fault.expected, fault.found)


def _partial(evidence: Evidence) -> Iterator[Partial]:
    trees = {tree.record.name: tree.value for tree in evidence.bundle.sealed(Tree)}
    for path, data in _disclosures(evidence).items():
        try:
            document = parse(data)
            name = document.get("tree") if isinstance(document, dict) else None
            if name not in trees:
                raise DisclosureError(f"it is about the tree {name!r}; sealed are {', '.join(trees) or 'none'}")
            yield checked(document, trees[name], evidence.asked.seed, evidence.asked.count)
        except (StrictJSONError, DisclosureError) as error:
            raise BundleError(f"{path}: {error}") from None


def _disclosures(evidence: Evidence) -> dict[str, bytes]:
    """Files of disclosed rows: those that lie with the witnesses, and those that the reader names."""
    bundle = evidence.bundle
    within = {path: data for path, data in bundle.witnesses.items() if path.endswith(ROWS)}
    return within | {str(path): read_bytes(path, _LONGEST_DISCLOSURE) for path in evidence.asked.partial}


def disclosures(evidence: Evidence) -> list[Disclosed]:
    """For the report: how much was seen, and what that excludes."""
    return [
        Disclosed(
            tree=tree.tree,
            leaves=tree.leaves,
            seen=tree.seen,
            wrong=tree.wrong,
            seed=tree.seed,
            most_wrong=tree.most_wrong,
        )
        for tree in evidence.view(Outside).partial
    ]
