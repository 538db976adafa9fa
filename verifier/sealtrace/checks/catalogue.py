"""Every check: its id, its sentence, what it enforces, and what breaks it.

The command `sealtrace checks`, the reports, the documentation and the tests all read this list, and
its order is the order of verification: what every bundle must be, then what its study packs demand, then
what it prints.
"""

from __future__ import annotations

from sealtrace.contract.packs import Check, packs

__all__ = ["BY_ID", "CATALOGUE", "Check"]

_BEFORE: tuple[Check, ...] = (
    # Identity: these are the bytes that were sealed.
    Check(
        "identity.manifest",
        "manifest.json is strict JSON and fits its schema",
        "bundle format: manifest",
        "a required field of manifest.json is removed",
    ),
    Check(
        "identity.listing",
        "Every listed file is there once, as a plain file inside the bundle, and no other file is",
        "bundle format: listing",
        "a file that the manifest does not list lies in the bundle",
        needs=("identity.manifest",),
    ),
    Check(
        "identity.bytes",
        "Every file has the length and the SHA-256 that the manifest gives",
        "bundle format: file identity",
        "one byte of a record file is changed",
        needs=("identity.manifest",),
    ),
    Check(
        "identity.sums",
        "SHA256SUMS is what the manifest gives, to the byte",
        "bundle format: SHA256SUMS",
        "a digest in SHA256SUMS is changed",
        needs=("identity.manifest",),
    ),
    Check(
        "identity.content",
        "Every record file has the content digest and the number of records that the manifest gives",
        "bundle format: content identity, which is not that of the bytes",
        "the manifest gives a record file another content digest",
        needs=("identity.manifest",),
        consequences=("stage.members",),
    ),
    Check(
        "identity.root",
        "The root digest is the digest of the manifest that carries it",
        "bundle format: root digest",
        "the manifest's root_sha256 is changed",
        needs=("identity.manifest",),
    ),
    Check(
        "identity.expected-root",
        "The root digest is the one that the paper or the reviewer names",
        "bundle format: root digest",
        "the bundle is verified with the root digest of another one",
        needs=("identity.manifest",),
    ),
    # Schema: the records can be read in one way only.
    Check(
        "schema.json",
        "Every JSON text is strict: no duplicate keys, no NaN, nothing that a double cannot hold",
        "bundle format: strict JSON",
        "a line of a trace file names the same key twice",
        needs=("identity.manifest",),
    ),
    Check(
        "schema.documents",
        "Every JSON document is accepted by its published schema and by its model",
        "bundle format: schemas",
        "the selection record has a field that its schema does not know",
        needs=("identity.manifest", "schema.json"),
    ),
    Check(
        "schema.rows",
        "Every row is accepted by its published schema",
        "bundle format: schemas",
        "a teacher row gives its state value as text",
        needs=("identity.manifest", "schema.json"),
    ),
    Check(
        "join.unique-key",
        "No two records have the same key",
        "bundle format: keys; a duplicate leaves an aggregate without a value",
        "a score row is there twice",
    ),
    Check(
        "schema.meaning",
        "Some check knows what each kind of record means",
        "bundle format: schemas; what only has a schema is kept, not verified",
        "the bundle holds attempts of a service, and no pack checks them",
        needs=("identity.manifest",),
    ),
    # Stages: what was frozen before what.
    Check(
        "stage.chain",
        "The seals are all there, in order, each naming the digest of the one before",
        "bundle format: stages, frozen one after the other",
        "a seal names another digest as the seal before it",
        needs=("identity.manifest", "schema.documents"),
    ),
    Check(
        "stage.members",
        "Every file is frozen by exactly one seal, with the identities that the manifest gives",
        "bundle format: stages, frozen one after the other",
        "a seal leaves out a file of its stage",
        needs=("identity.manifest", "schema.documents"),
        consequences=("stage.chain",),
    ),
    Check(
        "stage.chronology",
        "Every kind is sealed in a stage that may hold it, and scores only after their traces",
        "bundle format: stages; scores are joined after what they score is frozen",
        "held-out scores are sealed together with the held-out traces",
        reads=("protocol",),
        needs=("identity.manifest",),
    ),
    Check(
        "source.preserved",
        "Archived originals still have the hash that they had when they were archived",
        "bundle format: archived originals",
        "an archived source file is edited",
        reads=("source",),
    ),
)

_AFTER: tuple[Check, ...] = (
    # Printed tables.
    Check(
        "table.shape",
        "Every table has one cell per row and column, and labels that tell them apart",
        "bundle format: table records",
        "a row of a table loses a cell",
        reads=("table",),
        needs=("schema.documents",),
    ),
    Check(
        "table.reported",
        "The paper at hand prints what the table records say",
        "bundle format: table records are the paper's tables",
        "a number is changed in the paper alone",
        reads=("table",),
    ),
    Check(
        "table.source",
        "Every table record is what its sealed manuscript prints: rows, cells and lines",
        "bundle format: table records come from the paper",
        "a table record says 85.0 where the sealed manuscript prints 97.0",
        reads=("table",),
        needs=("table.shape",),
    ),
    Check(
        "table.recipes",
        "Every recipe can be followed",
        "recipes: how records give a cell",
        "a recipe names a metric that does not exist",
        reads=("table",),
        needs=("table.shape",),
    ),
    Check(
        "table.cells",
        "Every printed cell is what the records give, rounded once",
        "printed numbers: rounded once, as the last step",
        "a printed number is one unit too high in its last digit",
        reads=("table",),
        needs=("table.shape", "table.recipes"),
    ),
    Check(
        "table.marks",
        "Best and second-best marks follow the column's direction, ties sharing the mark",
        "captions of the tables: preferred directions",
        "a table marks another row as the best",
        reads=("table",),
        needs=("table.shape",),
    ),
    # Relations between printed numbers.
    Check(
        "relation.formula",
        "Every relation is a formula over the bundle's printed numbers",
        "relations: formulas over printed numbers",
        "a relation names a column that its table does not have",
        reads=("table", "relation"),
        needs=("table.shape",),
    ),
    Check(
        "relation.holds",
        "Every relation can hold, alone and with the others, for values that print as the paper does",
        "relations: formulas over printed numbers",
        "two tables print one quantity differently",
        reads=("table", "relation"),
        needs=("table.shape", "join.unique-key", "relation.formula"),
    ),
    # Queries of the study's own.
    Check(
        "query.empty",
        "Every query that must return no rows returns none",
        "recipes: queries that must return no rows",
        "a query that must return no rows finds the states of one split",
        needs=("identity.manifest", "schema.documents"),
    ),
    # Evidence from outside.
    Check(
        "witness.later",
        "No stage names the digest of a file that a later stage seals",
        "stage chain: what is named was there",
        "the protocol names the SHA-256 of values that are sealed after it",
        needs=("identity.manifest",),
    ),
    Check(
        "witness.outside",
        "What was signed or timestamped outside is this bundle, and the witnesses that were asked for are there",
        "stage chain: a signature or an outside timestamp turns the declared order into evidence",
        "a witness is asked for that the bundle does not have",
        needs=("identity.root", "stage.chain"),
    ),
    Check(
        "witness.disclosed",
        "Disclosed rows are those of the sealed tree, fit their schema, and are the sample that was drawn",
        "selective disclosure: rows that may not be redistributed",
        "a disclosed row is changed",
        reads=("tree",),
    ),
    # The release.
    Check(
        "hygiene.anonymous",
        "An anonymous release holds no machine path, e-mail address or user name",
        "anonymous releases: nothing that names a person or a machine",
        "an archived source file names a home directory",
        reads=("protocol",),
    ),
    Check(
        "manuscript.references",
        "Every reference and citation of the manuscript is resolved",
        "manuscripts: references and boxes as LaTeX logs them",
        "the manuscript's log warns of an undefined reference",
    ),
    Check(
        "manuscript.overfull",
        "No box of the manuscript is overfull",
        "manuscripts: references and boxes as LaTeX logs them",
        "the manuscript's log reports an overfull box",
    ),
)

CATALOGUE: tuple[Check, ...] = (*_BEFORE, *(check for pack in packs() for check in pack.catalogue), *_AFTER)

BY_ID: dict[str, Check] = {check.id: check for check in CATALOGUE}
