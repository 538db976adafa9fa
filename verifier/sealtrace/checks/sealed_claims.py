"""The claims of a bundle, decided over what it prints: its sealed manuscripts, or else its table records.

This module imports the engine of relations. Most bundles have no claims, so it is imported only for those that do.
"""

from __future__ import annotations

from functools import cached_property

from sealtrace.checks.printed import PrintedNumbers
from sealtrace.claims.deciding import decide_claims
from sealtrace.claims.reading import Written
from sealtrace.claims.tying import Ground
from sealtrace.contract.claims import Claims
from sealtrace.contract.result import ClaimResult
from sealtrace.evidence import View


class SealedClaims(View):
    """The claims of a bundle, each decided once."""

    @cached_property
    def written(self) -> list[tuple[Written, int]]:
        """Every claim with its document, and its place there."""
        every = [
            (claim, document.path, place)
            for document in self.bundle.sealed(Claims)
            for place, claim in enumerate(document.record.claims)
        ]
        return [(Written(claim, path, 1, number), place) for number, (claim, path, place) in enumerate(every, 1)]

    @cached_property
    def decided(self) -> list[tuple[str, int, ClaimResult]]:
        """What became of each, then of those that cannot hold together: path, place in the document, and result."""
        if not self.written:
            return []
        ground = Ground(self.evidence.view(PrintedNumbers).paper)
        results = decide_claims([written for written, _place in self.written], ground).results
        places = [(written.source, place) for written, place in self.written]
        joint = [places[0]] * (len(results) - len(places))
        return [(*where, result) for where, result in zip([*places, *joint], results, strict=True)]
