"""Every check: its id, its sentence, what it enforces, and what breaks it.

The command `sealtrace checks`, the reports, the documentation and the tests all read this list, and
its order is the order of verification: what every bundle must be, then what its study packs demand, then
what it prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sealtrace.bundle.defects import nearest
from sealtrace.contract.packs import Check, Pack, catalogue, packs

__all__ = ["BY_ID", "CATALOGUE", "Check", "pack_of", "select", "with_needs"]

_BEFORE = catalogue(
    """
# Identity: these are the bytes that were sealed.
identity.manifest: manifest.json is strict JSON and fits its schema
    enforces bundle format: manifest
    broken where a required field of manifest.json is removed
identity.listing: Every listed file is there once, as a plain file inside the bundle, and no other file is
    enforces bundle format: listing
    broken where a file that the manifest does not list lies in the bundle
    needs identity.manifest
identity.bytes: Every file has the length and the SHA-256 that the manifest gives
    enforces bundle format: file identity
    broken where one byte of a record file is changed
    needs identity.manifest
identity.sums: SHA256SUMS is what the manifest gives, to the byte
    enforces bundle format: SHA256SUMS
    broken where a digest in SHA256SUMS is changed
    needs identity.manifest
identity.content: Every record file has the content digest and the number of records that the manifest gives
    enforces bundle format: content identity, which is not that of the bytes
    broken where the manifest gives a record file another content digest
    needs identity.manifest; consequences stage.members
identity.root: The root digest is the digest of the manifest that carries it
    enforces bundle format: root digest
    broken where the manifest's root_sha256 is changed
    needs identity.manifest
identity.expected-root: The root digest is the one that the paper or the reviewer names
    enforces bundle format: root digest
    broken where the bundle is verified with the root digest of another one
    needs identity.manifest
# Schema: the records can be read in one way only.
schema.json: Every JSON text is strict: no duplicate keys, no NaN, nothing that a double cannot hold
    enforces bundle format: strict JSON
    broken where a line of a trace file names the same key twice
    needs identity.manifest
schema.documents: Every JSON document is accepted by its published schema and by its model
    enforces bundle format: schemas
    broken where the selection record has a field that its schema does not know
    needs identity.manifest schema.json
schema.rows: Every row is accepted by its published schema
    enforces bundle format: schemas
    broken where a teacher row gives its state value as text
    needs identity.manifest schema.json
join.unique-key: No two records have the same key
    enforces bundle format: keys; a duplicate leaves an aggregate without a value
    broken where a score row is there twice
schema.meaning: Some check knows what each kind of record means
    enforces bundle format: schemas; what only has a schema is kept, not verified
    broken where the bundle holds attempts of a service, and no pack checks them
    needs identity.manifest
# Stages: what was frozen before what.
stage.chain: The seals are all there, in order, each naming the digest of the one before
    enforces bundle format: stages, frozen one after the other
    broken where a seal names another digest as the seal before it
    needs identity.manifest schema.documents
stage.members: Every file is frozen by exactly one seal, with the identities that the manifest gives
    enforces bundle format: stages, frozen one after the other
    broken where a seal leaves out a file of its stage
    needs identity.manifest schema.documents; consequences stage.chain
stage.chronology: Every kind is sealed in a stage that may hold it, and scores only after their traces
    enforces bundle format: stages; scores are joined after what they score is frozen
    broken where held-out scores are sealed together with the held-out traces
    reads protocol; needs identity.manifest
source.preserved: Archived originals still have the hash that they had when they were archived
    enforces bundle format: archived originals
    broken where an archived source file is edited
    reads source
    """
)

_AFTER = catalogue(
    """
# Printed tables.
table.shape: Every table has one cell per row and column, and labels that tell them apart
    enforces bundle format: table records
    broken where a row of a table loses a cell
    reads table; needs schema.documents
table.reported: The paper at hand prints what the table records say
    enforces bundle format: table records are the paper's tables
    broken where a number is changed in the paper alone
    reads table
table.source: Every table record is what its sealed manuscript prints: rows, cells and lines
    enforces bundle format: table records come from the paper
    broken where a table record says 85.0 where the sealed manuscript prints 97.0
    reads table; needs table.shape
table.page: Every table record is what the sealed PDF shows: numbers exactly and in order, and labels, both ways
    enforces bundle format: what is printed is the page, not its source
    broken where a sealed PDF prints 9.9999 where the table record has another number
    reads table; needs table.shape
table.recipes: Every recipe can be followed, and takes the rows, entities and statistics that its table prints
    enforces recipes: how records give a cell
    broken where a recipe names a metric that does not exist
    reads table names; needs table.shape
table.cells: Every printed cell is what the records give, rounded once
    enforces printed numbers: rounded once, as the last step
    broken where a printed number is one unit too high in its last digit
    reads table; needs table.shape table.recipes
table.marks: Best and second-best marks follow the column's direction, ties sharing the mark
    enforces captions of the tables: preferred directions
    broken where a table marks another row as the best
    reads table; needs table.shape
# Relations between printed numbers.
relation.formula: Every relation is a formula over the bundle's printed numbers
    enforces relations: formulas over printed numbers
    broken where a relation names a column that its table does not have
    reads table relation claims; needs table.shape
relation.holds: Every relation can hold, alone and with the others, for values that print as the paper does
    enforces relations: formulas over printed numbers
    broken where two tables print one quantity differently
    reads table relation claims; needs table.shape join.unique-key relation.formula
# Queries of the study's own.
query.empty: Every query that must return no rows returns none
    enforces recipes: queries that must return no rows
    broken where a query that must return no rows finds the states of one split
    needs identity.manifest schema.documents
# Evidence from outside.
witness.later: No stage names the digest of a file that a later stage seals
    enforces stage chain: what is named was there
    broken where the protocol names the SHA-256 of values that are sealed after it
    needs identity.manifest
witness.outside: What was signed or timestamped outside is this bundle, and the witnesses that were asked for are
      there
    enforces stage chain: a signature or an outside timestamp turns the declared order into evidence
    broken where a witness is asked for that the bundle does not have
    needs identity.root stage.chain
witness.disclosed: Disclosed rows are those of the sealed tree, fit their schema, and are the sample that was drawn
    enforces selective disclosure: rows that may not be redistributed
    broken where a disclosed row is changed
    reads tree
# The release.
hygiene.anonymous: An anonymous release holds no machine path, e-mail address or user name
    enforces anonymous releases: nothing that names a person or a machine
    broken where an archived source file names a home directory
    reads protocol
manuscript.references: Every reference and citation of the manuscript is resolved
    enforces manuscripts: references and boxes as LaTeX logs them
    broken where the manuscript's log warns of an undefined reference
manuscript.overfull: No box of the manuscript is overfull
    enforces manuscripts: references and boxes as LaTeX logs them
    broken where the manuscript's log reports an overfull box
    """
)

# What a check needs stands before it, so that one pass in this order settles everything.
CATALOGUE: tuple[Check, ...] = (*_BEFORE, *(check for pack in packs() for check in pack.catalogue), *_AFTER)

BY_ID: dict[str, Check] = {check.id: check for check in CATALOGUE}


@cache
def pack_of(check_id: str) -> Pack | None:
    """The pack that a check belongs to; None for the engine's own."""
    return next((pack for pack in packs() if any(entry.id == check_id for entry in pack.catalogue)), None)


def select(check: Sequence[str] = (), skip: Sequence[str] = ()) -> frozenset[str]:
    """The ids that `check` and `skip` leave. A prefix is a whole id or whole leading parts of one."""
    for prefix in (*check, *skip):
        if not any(_has_prefix(check.id, prefix) for check in CATALOGUE):
            known = [part for check in CATALOGUE for part in (check.id, check.family)]
            raise ValueError(f"no check has the id or prefix {prefix!r}{nearest(prefix, known)}")
    wanted = frozenset(
        listed.id
        for listed in CATALOGUE
        if (not check or any(_has_prefix(listed.id, prefix) for prefix in check))
        and not any(_has_prefix(listed.id, prefix) for prefix in skip)
    )
    if not wanted:
        raise ValueError("no check is left to run")
    return wanted


def _has_prefix(check_id: str, prefix: str) -> bool:
    return check_id == prefix or check_id.startswith(f"{prefix.removesuffix('.')}.")


def with_needs(chosen: frozenset[str]) -> frozenset[str]:
    """The chosen checks and everything that they need, directly or not."""
    needed = chosen.union(*(BY_ID[check].needs for check in chosen))
    return needed if needed == chosen else with_needs(needed)
