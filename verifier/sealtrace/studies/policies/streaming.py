"""Traces and scores judged a shard at a time: whole states, in order, with every candidate once.

A shard is screened on its columns (`shard_screening`). States of which nothing is wrong are counted; the few
others, and a sample of each file, are put before the very checks that judge smaller studies. So a finding, a count and
a largest difference are what they would be had everything been read at once. What is not in the declared order, or
not laid out, is read whole instead (`NotLaidOutError`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from sealtrace.bundle import blocks
from sealtrace.bundle.content import row_name
from sealtrace.bundle.defects import Defects
from sealtrace.bundle.encoding import arrow_array, return_memory
from sealtrace.bundle.frames import Frame, Index, StreamedFrame
from sealtrace.bundle.identity import ListedFile
from sealtrace.bundle.json_columns import check_table
from sealtrace.bundle.model import UnfinishedBundle
from sealtrace.bundle.parquet import as_declared
from sealtrace.bundle.shapes import RowKind, row_shape
from sealtrace.bundle.shard_columns import Columns, NotLaidOutError
from sealtrace.bundle.shards import Shard, Workers
from sealtrace.bundle.stores import Store
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.checks.streamed import Sources, Streamed
from sealtrace.contract.result import Place
from sealtrace.evidence import Evidence
from sealtrace.studies.policies import checks  # noqa: F401 - imported for the checks' registrations
from sealtrace.studies.policies.evidence.outcomes import Reached, Spilled
from sealtrace.studies.policies.evidence.stretches import BESIDE, ByStretch, Stretches
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import screening
from sealtrace.studies.policies.shard_screening import REPORTED, Screened, Screener, Suspects

BESIDE_TOO = frozenset(
    {
        "split.agreement",
        "action.order",
        "action.vocabulary",
        "probability.support",
        "probability.normalized",
        "join.values",
    }
)
"""Checks of traces and scores that look at other records as well."""
ROW_CHECKS = (
    "join.trace", "join.score", "action.chosen", "replay.normalizer", "replay.anchor", "replay.top-action",
    "replay.tilt", "replay.student", "replay.zero-scale", "replay.query-gate", "replay.query-policy", "replay.ledger",
    "boundary.inputs", "score.trace-digest", "score.utility", "score.delta", "threshold.stored",
    "threshold.recomputed", "partition.labels", *sorted(BESIDE_TOO),
)  # fmt: skip
"""Checks that look at one state at a time."""
STATE_CHECKS = ("action.legal-set", "join.teacher", "replay.teacher", "replay.teacher-value", *sorted(BESIDE_TOO))
"""Checks that look at the other records of one state at a time."""
SAMPLE = 32
"""How many states of each file the checks judge before anything is screened."""
MOST_SUSPECTS = 2**10
"""States left to the checks are collected until there are this many, or the file ends."""
_PLACED = {"anchor": "replay.anchor", "top-action": "replay.top-action", "tilt": "replay.tilt"}
"""Policy to the check that replays it."""


def judge(bundle: UnfinishedBundle, sources: Sources, workers: Workers) -> Streamed:
    """Judges every trace and score of a bundle; `NotLaidOutError` where they must be read whole."""
    traces = [entry for entry, _ in sources.values() if entry.kind == "trace"]
    # Not known before the last block; it is compared with what the blocks give in the end.
    sealed = {entry.path: entry.content_sha256 or "" for entry in traces}
    study = Study(Evidence(replace(bundle, contents=bundle.contents | sealed), frames=_no_traces()))
    streamed = Streamed(study, beside_too=BESIDE_TOO)
    scores = {entry.split: entry for entry, _ in sources.values() if entry.kind == "score"}
    if {entry.split for entry in traces} != set(scores) or len(scores) < len(sources) - len(traces):
        raise NotLaidOutError("traces and scores do not come in pairs of files")
    stretches = Stretches(study, bundle)
    return_memory()
    total = _Total(stretches, streamed, Spilled(len(study.states.ids), len(study.candidates)))
    for entry in traces:
        other = scores[entry.split]
        files = (entry, sources[entry.path][1]), (other, sources[other.path][1])
        _SplitFiles(total, Screener(total.stretches, *files)).judge(workers)
    # Scores named the sealed digest before it was known to be that of the traces: now it is, or nothing counts.
    for entry, _ in sources.values():
        if streamed.contents[entry.path] != entry.content_sha256:
            raise NotLaidOutError("its records are not those that were sealed")
    total.settle()
    for kind in ("trace", "score"):
        sizes = {entry.path: file.rows for entry, file in sources.values() if entry.kind == kind}
        streamed.frames[kind] = StreamedFrame(kind, sizes, bundle.again, values=_key_values(study, traces))
    streamed.frames["trace"].facts = total.spilled
    streamed.passed_on = study.bank, study.states
    return streamed


def _key_values(study: Study, traces: list[ListedFile]) -> dict[str, pa.Array]:
    """The values of the key fields of traces and scores, which have every candidate of their split at every state."""
    splits = [entry.split for entry in traces]
    bank = [one for one in study.candidates if one.splits is None or set(splits) & set(one.splits)]
    arms, scales = dict.fromkeys(one.arm for one in bank), dict.fromkeys(one.scale for one in bank)
    return {"state": study.states.ids, "split": pa.array(splits), "arm": pa.array(arms), "scale": pa.array(scales)}


@dataclass
class _Total:
    """The results of all files so far."""

    stretches: Stretches
    streamed: Streamed
    spilled: Spilled
    traced: int = 0
    beside: list[ByStretch] = field(default_factory=lambda: [ByStretch(check) for check in STATE_CHECKS])
    """What checks say of the other records of states."""
    largest: dict[tuple[str, tuple[int, int]], Place] = field(default_factory=dict)
    """Check and rank to the largest difference."""

    def add(self, check: str, outcome: Outcome) -> None:
        """Adds what a check says of more rows; where screening finds the largest difference, that is kept apart."""
        if check in _SCREENED:
            outcome.largest = None
        known = self.streamed.outcomes.setdefault(check, Outcome(check, FUNCTIONS[check][1]))
        known.add(outcome)

    def settle(self) -> None:
        """Completes the outcomes after the last file."""
        if self.traced < len(self.stretches.study.states.ids):
            raise NotLaidOutError("some states have no traces")
        for check, rank in sorted(self.largest):
            outcome, place = self.streamed.outcomes[check], self.largest[check, rank]
            if outcome.largest is None or place.value > outcome.largest.value:
                outcome.largest = place
        self.stretches.settle()
        # A check that had something to say looks at the whole, when its turn comes.
        outcomes = {outcome.check: outcome.settled() for outcome in self.beside if outcome.plain}
        for check, outcome in outcomes.items():
            if check in BESIDE_TOO:
                outcome.add(self.streamed.outcomes[check])
        self.streamed.outcomes |= outcomes
        self.streamed.beside_too = BESIDE_TOO - outcomes.keys()


_SCREENED = {*_PLACED.values(), "probability.normalized", "score.utility", "score.delta"}


class _SplitFiles:
    """The traces of one split and their scores."""

    def __init__(self, total: _Total, screener: Screener) -> None:
        self.total, self.screener, self.study = total, screener, screener.study
        self.files = (screener.entry, screener.traces), (screener.other, screener.scores)
        self.width = screener.width
        self.pending: list[tuple[Suspects, dict[str, Frame]]] = []
        """States that the checks have not looked at yet, with their other records."""

    # The pass

    def judge(self, workers: Workers) -> None:
        """Judges all shards and combines their results in order, whichever worker they come from."""
        digests: tuple[list[bytes], list[bytes]] = ([], [])
        texts: tuple[set[str], set[str]] = (set(), set())
        for done in self._screened(workers):
            self._take(done)
            for place in (0, 1):
                digests[place].append(done.digests[place])
                texts[place].update(done.texts[place])
        self._look_at_suspects()
        for place, (entry, file) in enumerate(self.files):
            self.total.streamed.contents[entry.path] = blocks.of_blocks(row_name(file.form), file.rows, digests[place])
            self.total.streamed.texts[entry.path] = texts[place]
        self.total.traced += self.screener.states

    def _shards(self) -> Iterator[tuple[Shard, Shard]]:
        """Shards of traces and scores; before the first of a stretch of states, its other records are judged."""
        screener, judged = self.screener, 0
        for trace, score in zip(screener.traces.shards(), screener.scores.shards(), strict=True):
            if (place := screener.place_of(trace.first)) >= judged:
                states = screener.laid(place)
                self.total.stretches.judge(states.part)
                for outcome in self.total.beside:
                    outcome.look(states.part)
                # Shards of earlier stretches are done, but for the few that are under way.
                screener.laid_out = {**dict(list(screener.laid_out.items())[-_AT_HAND:]), place: states}
                judged = place + 1
            yield trace, score

    def _screened(self, workers: Workers) -> Iterator[Screened]:
        shards, screener = self._shards(), self.screener
        try:
            first = screener.decoded(*next(shards))
            self._sample(*first)
            yield screener.screened(*first)
            for done in workers.each(screener.look, (screener.traces, screener.scores), shards):
                self.study.bundle.budget.on_time(screener.entry.path)
                yield done
        except (ValueError, IndexError, TypeError, pa.ArrowException) as error:
            raise NotLaidOutError(f"its columns cannot be screened: {error}") from None

    # The checks themselves, on some states

    def _sample(self, shard: Shard, traces: Columns, scores: Columns) -> None:
        """Has the checks judge the first states, and counts what they inspect in one that nothing is wrong with."""
        # A state that lacks something has less to check, and is left to the checks itself.
        screener = self.screener
        states = np.flatnonzero(screener.states_of(0).usable[: shard.rows // self.width])[:SAMPLE]
        while len(states):
            outcomes = self._checked([self._with_records(screener.suspects(shard, states, traces, scores))])[0]
            findings = [finding for outcome in outcomes.values() for finding in outcome.findings]
            if not (named := {(finding.key or {}).get("state") for finding in findings}):
                break
            ids = self.study.states.ids.take(arrow_array(screener.lo + states)).to_pylist()
            left = states[[state not in named for state in ids]]
            if not 0 < len(left) < len(states):
                raise NotLaidOutError("something is wrong with all of its first states")
            states = left
        count = len(states)
        if not count or any(outcome.inspected % count for outcome in outcomes.values()):
            raise NotLaidOutError("its first states differ in what there is to check")
        self.per_state = {check: outcome.inspected // count for check, outcome in outcomes.items()}
        for check, outcome in outcomes.items():
            outcome.inspected = 0
            self.total.add(check, outcome)
        for name, judged in screener.judged.items():
            codes = traces[name].codes
            for place, text in enumerate(traces[name].texts):
                judged[text] = (codes.reshape(-1, self.width)[states] == place).any(axis=0)

    def _with_records(self, suspects: Suspects) -> tuple[Suspects, dict[str, Frame]]:
        """States of a shard with what the other tables say of them."""
        known = self.screener.states_of(suspects.first)
        observed = np.zeros(len(known.usable), np.bool_)
        observed[suspects.first // self.width - known.start + suspects.states] = True
        inside = {kind: observed[known.part.states.state_of(kind)] for kind in BESIDE} | {"observation": observed}
        frames = {kind: known.part.frame(kind).subset(np.flatnonzero(rows)) for kind, rows in inside.items()}
        for frame in frames.values():
            # Stretches have names of their own, and rows of several are put together.
            frame.replace_column("state", frame.column("state").cast(pa.string()))
        return suspects, frames

    def _checked(self, some: list[tuple[Suspects, dict[str, Frame]]]) -> tuple[dict[str, Outcome], Study]:
        """What the checks say of some states, and the records that they saw."""
        study, candidates = self.study, np.arange(self.width)
        numbers = [shard.first + 1 + (shard.states[:, None] * self.width + candidates).ravel() for shard, _ in some]
        frames: dict[str, Frame] = dict(study.evidence.frames)
        for place, (entry, file) in enumerate(self.files):
            table = pa.concat_tables([shard.tables[place] for shard, _ in some]).unify_dictionaries()
            frames[entry.kind] = Frame(entry.kind, [_store(entry, file.form, table, np.concatenate(numbers))])
        for kind in ("observation", *BESIDE):
            frames[kind] = Frame.concatenated([beside[kind] for _, beside in some])
        part = study.with_rows(frames)
        outcomes = {check: Outcome(check, FUNCTIONS[check][1]) for check in ROW_CHECKS}
        for check, outcome in outcomes.items():
            FUNCTIONS[check][0](part, outcome)
            if check in BESIDE_TOO:
                # The other records are judged once, by themselves.
                beside = Outcome(check, outcome.unit)
                FUNCTIONS[check][0](study.with_rows(frames | _no_traces()), beside)
                outcome.inspected -= beside.inspected
                outcome.findings = [finding for finding in outcome.findings if finding not in beside.findings]
                outcome.counts = {
                    severity: count - beside.counts[severity] for severity, count in outcome.counts.items()
                }
        return outcomes, part

    # Putting together

    def _take(self, done: Screened) -> None:
        """Counts clean states, leaves the others to the checks, and keeps what every policy reached."""
        clean = done.count
        (weak, _, delta), crossed = done.found
        if done.suspects is not None:
            clean -= len(suspects := done.suspects.states)
            weak[:, suspects] = delta[:, suspects] = np.nan
            self.pending.append(self._with_records(done.suspects))
        for check, inspected in self.per_state.items():
            self.total.streamed.outcomes[check].inspected += inspected * clean
        self.total.spilled.add(self.screener.members, done.lo, Reached(weak, delta, crossed))
        for largest in done.screen.largest:
            self._keep(largest, done)
        if sum(len(suspects.states) for suspects, _ in self.pending) >= MOST_SUSPECTS:
            self._look_at_suspects()
        # Threads may be reading what was there before: it stays as it is.
        known, before = done.screen.known, self.screener.met
        self.screener.met = before | {sort: np.maximum(before.get(sort, met), met) for sort, met in known.items()}

    def _look_at_suspects(self) -> None:
        """Has the checks look at the states that screening left to them."""
        if not self.pending:
            return
        outcomes, part = self._checked(self.pending)
        for check, outcome in outcomes.items():
            self.total.add(check, outcome)
        scored, screener, start = part.scored, self.screener, 0
        state, place = np.divmod(scored.rows, self.width)
        # Aggregates take no score of a trace that does not join.
        sound = part.joined.sound[scored.rows]
        for suspects, _ in self.pending:
            inside = sound & (state >= start) & (state < start + len(suspects.states))
            for candidate, member in enumerate(screener.members):
                some = np.flatnonzero(inside & (place == candidate))
                found = Reached(scored.weak[some], scored.delta[some], scored.crossed[some])
                lo = screener.lo + suspects.first // self.width
                self.total.spilled.replace(member, lo, suspects.states[state[some] - start], found)
            start += len(suspects.states)
        self.pending = []

    def _keep(self, largest: screening.Largest, done: Screened) -> None:
        """The largest difference of a check, with the row that shows it."""
        screener, quantity = self.screener, largest.quantity
        candidate, entry, rank = screener.bank[largest.candidate], screener.entry, (0, 0)
        if largest.sort == "normalized":
            check, pointer = "probability.normalized", "/probabilities"
        elif largest.sort == "score":
            check, pointer = _CHECKED[quantity], f"/{REPORTED[quantity]}"
            entry, rank = screener.other, (int(quantity == 1), 0)
        else:
            check, pointer = _PLACED[candidate.policy], f"/probabilities/{self.study.actions[quantity]}"
            rank = screener.members[largest.candidate], quantity
        known = self.total.largest.get((check, rank))
        if known is None or largest.value > known.value:
            key = {"state": self.study.states.ids[done.lo + largest.state].as_py(), "arm": candidate.arm}
            key |= {} if candidate.scale is None else {"scale": candidate.scale}
            key["split"] = screener.entry.split or ""
            row = done.first + largest.state * self.width + largest.candidate + 1
            place = Place(value=largest.value, check=check, source=entry.path, line=row, key=key, field=pointer)
            self.total.largest[check, rank] = place


def _no_traces() -> dict[str, Frame]:
    return {kind: Frame(kind, []) for kind in ("trace", "score")}


_AT_HAND = 4
"""Stretches of states that are kept for shards under way."""
_CHECKED = ("score.utility", "score.utility", "score.delta")


def _store(entry: ListedFile, form: RowKind, table: pa.Table, numbers: Index) -> Store:
    """Rows of a shard as smaller files give them; `NotLaidOutError` where their schema refuses one."""
    declared = as_declared(table, row_shape(form))

    def misfit(*_: object) -> None:
        raise NotLaidOutError("its schema refuses a row")

    check_table(declared, row_shape(form), misfit)
    none = declared.slice(0, 0)
    return Store(entry.path, entry.kind, declared, numbers, declared, Defects(), Defects(), len(numbers), none, form)
