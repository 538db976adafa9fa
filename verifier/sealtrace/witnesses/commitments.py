"""What of a bundle can be witnessed: its root and its stages, by their digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sealtrace.bundle.identity import MANIFEST
from sealtrace.bundle.model import Bundle
from sealtrace.contract.kinds import STAGES

ROOT = "root"
SUBJECTS = (*STAGES, ROOT)
"""In the order in which they come to be: each commits to all before it."""
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:sealtrace:sealed:1"


@dataclass(frozen=True)
class Commitments:
    """The digests of one bundle."""

    digests: dict[str, str]
    """`root` and each sealed stage: the root digest, and the content digests of seals."""
    files: dict[str, str]
    """The same names: SHA-256 of manifest.json and of the seals as files, which other tools stamp."""

    def named(self, digest: str) -> str | None:
        """What a digest stands for here."""
        for names in (self.digests, self.files):
            for name, known in names.items():
                if known == digest:
                    return name
        return None


def commitments_of(bundle: Bundle) -> Commitments:
    """The digests that were recomputed from the bytes that were read."""
    digests, files = {}, {}
    for seal in bundle.documents_of("seal"):
        digests[seal.value["stage"]] = bundle.contents[seal.path]
        files[seal.value["stage"]] = bundle.digests[seal.path]
    if bundle.root_sha256 is not None:
        digests[ROOT], files[ROOT] = bundle.root_sha256, bundle.digests[MANIFEST]
    return Commitments(digests, files)


def statement(commitments: Commitments, last: str, supersedes: Sequence[str] = ()) -> dict[str, Any]:
    """What a signer says of a stage or of the root: these are its digests, and those of all before it."""
    names = [name for name in SUBJECTS[: SUBJECTS.index(last) + 1] if name in commitments.digests]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": commitments.digests[name]}} for name in names],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"sealed": last, "supersedes": list(supersedes)},
    }


@dataclass(frozen=True)
class Stated:
    """A statement that was read."""

    last: str
    digests: dict[str, str]
    supersedes: tuple[str, ...]


def stated(payload: Any) -> Stated | None:
    """A statement about a bundle; None for any other payload."""
    match payload:
        case {
            "_type": "https://in-toto.io/Statement/v1",
            "predicateType": "urn:sealtrace:sealed:1",
            "predicate": {"sealed": str(last), "supersedes": [*older]},
            "subject": [*subjects],
        } if last in SUBJECTS:
            digests = {}
            for subject in subjects:
                match subject:
                    case {"name": str(name), "digest": {"sha256": str(digest)}} if name in SUBJECTS:
                        digests[name] = digest
                    case _:
                        return None
            return Stated(last, digests, tuple(map(str, older))) if last in digests else None
    return None


def differences(said: Stated, commitments: Commitments) -> Iterator[tuple[str, str, str]]:
    """(name, as stated, as here) for every digest that is not the bundle's."""
    for name, digest in said.digests.items():
        here = commitments.digests.get(name)
        if here != digest:
            yield name, digest, here or "not sealed"
