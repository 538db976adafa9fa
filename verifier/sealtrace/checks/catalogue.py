"""Every check: its id, its sentence, what it enforces, and what breaks it.

The command `sealtrace checks`, the reports, the documentation and the tests all read this list, and
its order is the order of verification.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One check of the catalogue."""

    id: str
    title: str
    source: str
    """The part of the paper or of the bundle format that it enforces."""
    breaks: str
    """An example of what breaks it."""
    reads: tuple[str, ...] = ()
    """Record kinds that must be there and whole for a pass."""
    needs: tuple[str, ...] = ()
    """Checks that must hold for a pass."""
    whole: bool = False
    """It speaks of completeness or of an aggregate: with a need unmet it is not computed at all."""
    consequences: tuple[str, ...] = ()
    """Checks that may fail because this one does."""

    @property
    def family(self) -> str:
        """The id's first part."""
        return self.id.partition(".")[0]


_STATES = ("protocol", "observation")
_POLICIES = (*_STATES, "teacher", "candidate", "trace")
_JOINED = ("join.unique-key", "join.trace", "action.legal-set", "action.vocabulary")

CATALOGUE: tuple[Check, ...] = (
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
        "appendix E: release manifest records SHA-256 identities",
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
        "appendix E: a file's bytes and a canonical payload are different identities",
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
        "appendix E: release manifest identity",
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
        "protocol.domain",
        "Declared constants lie in their domains, and names that must differ do",
        "section 3: tau > 0, q_min < q_max, 0 <= rho <= 2, 0 < zeta < 1",
        "the protocol declares a confidence level of 1.5",
        reads=("protocol",),
        consequences=("table.cells",),
    ),
    Check(
        "join.unique-key",
        "No composite key stands twice",
        "section 3.7: duplicates leave an aggregate without a value",
        "a score row is there twice",
    ),
    # Stages: what was frozen before what.
    Check(
        "stage.chain",
        "The seals are all there, in order, each naming the digest of the one before",
        "appendix A, algorithm table: freeze boundaries",
        "a seal names another digest as the seal before it",
        needs=("identity.manifest", "schema.documents"),
    ),
    Check(
        "stage.members",
        "Every file is frozen by exactly one seal, with the identities that the manifest gives",
        "appendix A, algorithm table: freeze boundaries",
        "a seal leaves out a file of its stage",
        needs=("identity.manifest", "schema.documents"),
        consequences=("stage.chain",),
    ),
    Check(
        "stage.chronology",
        "Every kind is sealed in a stage that may hold it, and scores only after their traces",
        "section 3.8: calibration scores are joined after candidate traces are frozen",
        "held-out scores are sealed together with the held-out traces",
        reads=("protocol",),
        needs=("identity.manifest",),
    ),
    Check(
        "source.preserved",
        "Archived originals still have the hash that they had when they were archived",
        "appendix E, reproduction checks: source preservation",
        "an archived source file is edited",
        reads=("source",),
    ),
    # The bank.
    Check(
        "bank.scales",
        "No arm has a scale twice, and the grid is ascending and in the bank",
        "section 3.2: the ordered grid; appendix A: duplicate entries are rejected",
        "the grid lists its scales out of order",
        reads=("protocol", "candidate"),
        consequences=("selection.grid",),
    ),
    Check(
        "bank.serializer",
        "Every candidate serializes actions in the protocol's order",
        "appendix A: action order belongs to the serializer",
        "a candidate's serializer swaps two actions",
        reads=("protocol", "candidate"),
    ),
    Check(
        "bank.policies",
        "Every candidate declares what its policy needs",
        "section 3.2: the bank's manifest",
        "a tilt's direction leaves out an action",
        reads=("protocol", "candidate"),
    ),
    # Splits.
    Check(
        "split.inventory",
        "The observed states are unique and as many as the protocol declares, in each split",
        "appendix E, reproduction checks: state inventory",
        "the protocol declares one state more than a split holds",
        reads=_STATES,
        needs=("join.unique-key",),
        whole=True,
    ),
    Check(
        "split.disjoint",
        "No state and no independent block lies in two splits",
        "section 3.1: identities are disjoint across roles",
        "one independent block has a calibration state and a held-out state",
        reads=_STATES,
    ),
    Check(
        "split.agreement",
        "Every record carries the split of its observation and of its file",
        "appendix E, reproduction checks: split closure",
        "a teacher row names the other split",
        reads=_STATES,
    ),
    Check(
        "split.rule",
        "Every state lies in the split that the declared rule gives",
        "appendix B: even ids calibrate, odd ids are held out",
        "the protocol's rule assigns odd ids to calibration",
        reads=_STATES,
    ),
    Check(
        "split.duplicates",
        "No observation stands under two ids in different splits",
        "section 3.1: disjoint data roles",
        "a held-out observation is a copy of a calibration observation",
        reads=_STATES,
        consequences=("replay.query-gate", "replay.query-policy", "table.cells"),
    ),
    # Joins.
    Check(
        "join.teacher",
        "Every observed state has one teacher record, and every teacher record a state",
        "appendix E, reproduction checks: matching label keys",
        "a teacher record is removed",
        reads=(*_STATES, "teacher", "candidate"),
        needs=("join.unique-key",),
        whole=True,
    ),
    Check(
        "join.trace",
        "Every candidate has one trace at every state that it is traced on, and nothing else is traced",
        "appendix D: composite keys; section 3.2: complete candidate trace",
        "a trace is removed, and its score with it",
        reads=(*_STATES, "candidate", "trace"),
        needs=("join.unique-key",),
        whole=True,
    ),
    Check(
        "join.values",
        "Every traced state has action values of both evaluators",
        "appendix D: oracle join",
        "the strong action values of a state are removed",
        reads=(*_STATES, "trace", "values"),
        needs=("join.unique-key",),
        whole=True,
    ),
    Check(
        "join.score",
        "Traces and scores join one to one",
        "appendix D: oracle join, one score per trace",
        "a score is removed",
        reads=("trace", "score"),
        needs=("join.unique-key",),
        whole=True,
    ),
    # Actions.
    Check(
        "action.legal-set",
        "Every legal set is non-empty, without repeats, within the declared actions",
        "appendix A: empty legal sets are explicit error states",
        "an observation lists no legal action",
        reads=_STATES,
    ),
    Check(
        "action.order",
        "Legal actions are listed in the protocol's order",
        "appendix A: the name-to-index mapping",
        "a trace lists its legal actions in another order",
        reads=(*_STATES, "trace"),
    ),
    Check(
        "action.vocabulary",
        "Teacher, traces and values name exactly the observation's legal actions",
        "appendix D: one legal vocabulary in all records",
        "an evaluator values an action that nobody declared",
        reads=(*_STATES, "teacher", "trace", "values"),
    ),
    Check(
        "action.chosen",
        "The stored action is the legal action of largest probability, the earliest among equals",
        "appendix E, reproduction checks: action replay",
        "a trace stores its second-best action",
        reads=(*_STATES, "trace"),
        needs=("action.legal-set",),
    ),
    # Probabilities.
    Check(
        "probability.support",
        "Probabilities are finite, nonnegative and on the legal actions only",
        "appendix E, reproduction checks: probability support",
        "a trace puts a tiny negative probability on an action",
        reads=(*_STATES, "teacher", "trace"),
        needs=("action.legal-set",),
    ),
    Check(
        "probability.normalized",
        "Probabilities sum to one within the declared tolerance",
        "appendix D: normalized probabilities",
        "a trace's probabilities sum to one and 1.8e-12",
        reads=("protocol", "teacher", "trace"),
    ),
    # Replay.
    Check(
        "replay.teacher",
        "The cached teacher distribution is the softmax of the teacher's action values",
        "appendix A: teacher response model, temperature",
        "a teacher's action value is changed",
        reads=(*_STATES, "teacher"),
        needs=("join.teacher", "action.vocabulary"),
        consequences=("replay.teacher-value", "table.cells"),
    ),
    Check(
        "replay.teacher-value",
        "The teacher's state value is the mean of its action values under its distribution",
        "appendix A: teacher state value",
        "a teacher's state value is changed",
        reads=(*_STATES, "teacher"),
        needs=("join.teacher", "action.vocabulary"),
    ),
    Check(
        "replay.normalizer",
        "Every replayed normalizer is finite and positive",
        "appendix A: nonpositive normalization constants are explicit error states",
        "a scale is so large that the tilt overflows",
        reads=_POLICIES,
        needs=("join.teacher", "bank.policies", "action.legal-set"),
        consequences=("table.recipes",),
    ),
    Check(
        "replay.anchor",
        "The anchor is the teacher smoothed with the uniform distribution",
        "section 3.2, tilt equation, left half",
        "a billionth of an anchor's probability moves to another action",
        reads=_POLICIES,
        needs=("join.teacher", *_JOINED),
        consequences=(
            "replay.zero-scale",
            "score.utility",
            "score.delta",
            "aggregate.summary",
        ),
    ),
    Check(
        "replay.top-action",
        "Top-action imitation puts all probability on the teacher's top action",
        "appendix C: deterministic baselines",
        "a top-action trace imitates another action",
        reads=_POLICIES,
        needs=("join.teacher", *_JOINED),
        consequences=("score.utility", "score.delta", "threshold.recomputed", "aggregate.summary", "table.cells"),
    ),
    Check(
        "replay.tilt",
        "Every residual policy is the exponential tilt of the anchor",
        "section 3.2, tilt equation; appendix E: distribution replay",
        "a residual trace holds the distribution of another scale",
        reads=_POLICIES,
        needs=("join.teacher", "bank.policies", *_JOINED),
        consequences=("score.utility", "score.delta", "aggregate.summary", "table.cells"),
    ),
    Check(
        "replay.zero-scale",
        "A candidate of scale zero is the stored anchor, bit for bit",
        "section 3.2: scale zero recovers the anchor",
        "one bit of a scale-zero probability is changed",
        reads=_POLICIES,
        needs=_JOINED,
    ),
    Check(
        "replay.query-gate",
        "Query scores, requests and acceptances follow the gate and its budget",
        "appendix C: query score, threshold and budget check",
        "a trace denies a query that the gate accepts",
        reads=(*_STATES, "candidate", "trace"),
        needs=("bank.policies", *_JOINED),
        consequences=(
            "replay.query-policy",
            "replay.ledger",
            "table.cells",
        ),
    ),
    Check(
        "replay.query-policy",
        "The query policy is the anchor where a query was accepted, else the prior",
        "appendix C: rejected requests keep the prior",
        "a query trace without a query holds the anchor's distribution",
        reads=_POLICIES,
        needs=("join.teacher", "bank.policies", *_JOINED),
        consequences=(
            "score.utility",
            "score.delta",
            "threshold.recomputed",
            "aggregate.summary",
            "table.cells",
        ),
    ),
    Check(
        "replay.ledger",
        "Every ledger charges what the protocol configures for its events, rejected queries too",
        "appendix C: cost ledger",
        "a residual trace charges one token instead of two",
        reads=("protocol", "candidate", "trace"),
        needs=("join.trace",),
    ),
    # Information boundary.
    Check(
        "boundary.interfaces",
        "No interface declares a field that its contract hides",
        "appendix B, field visibility table",
        "the protocol lets a teacher-free policy see the teacher's distribution",
        reads=("protocol",),
    ),
    Check(
        "boundary.inputs",
        "No policy read a field that its interface does not show",
        "appendix B, field visibility table",
        "a trace names the strong action values among its inputs",
        reads=("protocol", "candidate", "trace"),
        needs=("join.trace",),
    ),
    # Scores.
    Check(
        "score.trace-digest",
        "Every score names the content digest of the trace table that was scored",
        "appendix B: score rows are joined to the exact policy trace",
        "scores name the digest of another trace table",
        reads=("trace", "score"),
        needs=("join.score",),
    ),
    Check(
        "score.utility",
        "Weak and strong utilities follow from the stored distribution and the action values",
        "section 3.3: E_g",
        "a reported weak utility is changed",
        reads=("protocol", "trace", "values", "score"),
        needs=("join.score", "join.values", *_JOINED),
    ),
    Check(
        "score.delta",
        "The strong delta is the strong utility less the anchor's at the same state",
        "section 3.3, violation equation",
        "a reported delta has the wrong sign",
        reads=("protocol", "candidate", "trace", "values", "score"),
        needs=("join.score", "join.values", *_JOINED),
    ),
    Check(
        "threshold.stored",
        "The reported crossing is the strict comparison of the stored delta with -tau",
        "section 3.3, violation equation: the inequality is strict",
        "a row's crossing is denied",
        reads=("protocol", "score"),
        consequences=("threshold.recomputed",),
    ),
    Check(
        "threshold.recomputed",
        "The reported crossing is what distributions and action values give, decided exactly",
        "appendix E, reproduction checks: threshold counts",
        "a row reports a delta and a crossing that its distribution does not give",
        reads=("protocol", "candidate", "trace", "values", "score"),
        needs=("join.score", "join.values", *_JOINED),
        consequences=("score.delta",),
    ),
    # Aggregates.
    Check(
        "aggregate.summary",
        "Every retained policy summary is the aggregate of its states",
        "appendix E, reproduction checks: score aggregation",
        "a summary's mean weak utility is changed",
        reads=("protocol", "candidate", "trace", "values", "summary"),
        needs=("split.inventory", "split.agreement", "join.values", *_JOINED),
        whole=True,
    ),
    Check(
        "selection.grid",
        "The selection record names a declared selector, its grid and the protocol's tau",
        "appendix B: the selection record",
        "the selection record leaves out a scale of the grid",
        reads=("protocol", "selection"),
    ),
    Check(
        "selection.counts",
        "The selection's crossing counts and denominators are those of the records",
        "appendix E, reproduction checks: threshold counts",
        "the selection record counts one crossing too few",
        reads=("protocol", "candidate", "trace", "values", "selection"),
        needs=("split.inventory", "split.agreement", "join.values", *_JOINED),
        whole=True,
    ),
    Check(
        "selection.certified",
        "The certified set is what the rule admits on the recomputed counts",
        "section 3.4: empirical-zero",
        "the certified set leaves out an admissible scale",
        reads=("protocol", "candidate", "trace", "values", "selection"),
        needs=("split.inventory", "split.agreement", "join.values", *_JOINED),
        whole=True,
    ),
    Check(
        "selection.choice",
        "The choice is what the rule takes on the recomputed counts",
        "appendix E, reproduction checks: scale selection",
        "the selection record chooses a smaller scale",
        reads=("protocol", "candidate", "trace", "values", "selection"),
        needs=("split.inventory", "split.agreement", "join.values", *_JOINED),
        whole=True,
    ),
    Check(
        "selection.held-out",
        "The choice was sealed before any held-out value or score, and says so",
        "section 3.1: the test split is joined after the map is frozen",
        "the selection record says that held-out scores had been joined",
        reads=("protocol", "selection"),
        needs=("stage.chronology",),
    ),
    # Printed tables.
    Check(
        "table.shape",
        "Every table has one cell per row and column, and labels that tell them apart",
        "design section 5: printed numbers",
        "a row of a table loses a cell",
        reads=("table",),
        needs=("schema.documents",),
    ),
    Check(
        "table.recipes",
        "Every recipe can be followed",
        "design section 5: recipes",
        "a recipe names a metric that does not exist",
        reads=("protocol", "table"),
        needs=("table.shape",),
    ),
    Check(
        "table.cells",
        "Every printed cell is what the records give, rounded once",
        "appendix E: tables reproduce their retained rows; formatting is the last step",
        "a printed number is one unit too high in its last digit",
        reads=("protocol", "table"),
        needs=(
            "table.shape",
            "table.recipes",
            "split.inventory",
            "split.agreement",
            "join.teacher",
            "join.values",
            *_JOINED,
        ),
        whole=True,
    ),
    Check(
        "table.marks",
        "Best and second-best marks follow the column's direction, ties sharing the mark",
        "captions of the tables: preferred directions",
        "a table marks another row as the best",
        reads=("table",),
        needs=("table.shape",),
    ),
    # The release.
    Check(
        "hygiene.anonymous",
        "An anonymous release holds no machine path, e-mail address or user name",
        "appendix E: anonymous availability",
        "an archived source file names a home directory",
        reads=("protocol",),
    ),
    Check(
        "manuscript.references",
        "Every reference and citation of the manuscript is resolved",
        "appendix E, reproduction checks: PDF validation",
        "the manuscript's log warns of an undefined reference",
    ),
    Check(
        "manuscript.overfull",
        "No box of the manuscript is overfull",
        "appendix E, reproduction checks: PDF validation",
        "the manuscript's log reports an overfull box",
    ),
)

BY_ID: dict[str, Check] = {check.id: check for check in CATALOGUE}
