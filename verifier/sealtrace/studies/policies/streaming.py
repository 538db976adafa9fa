"""Traces and scores judged a shard at a time: whole states, in order, with every candidate once.

A shard is screened on its columns (`mathematics.screening`). States of which nothing is wrong are counted; the few
others, and a sample of each file, are put before the very checks that judge smaller studies. So a finding, a count and
a largest difference are what they would be had everything been read at once. What is not in the declared order, or
not laid out, is read whole instead (`NotLaidOutError`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle import blocks
from sealtrace.bundle.content import row_name
from sealtrace.bundle.encoding import arrow_integers, flags_of
from sealtrace.bundle.frames import Frame, Index, Mask, StreamedFrame
from sealtrace.bundle.identity import Entry
from sealtrace.bundle.json_columns import check_table
from sealtrace.bundle.model import Bundle
from sealtrace.bundle.parquet import as_declared, values_of_texts
from sealtrace.bundle.shapes import RowKind, Struct, row_shape
from sealtrace.bundle.shard_columns import Columns, NotLaidOutError
from sealtrace.bundle.shards import LaidOut, Shard, Workers
from sealtrace.bundle.stores import Defects, Store
from sealtrace.checks.outcome import USUAL_TOLERANCE, Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.checks.streamed import Sources, Streamed
from sealtrace.contract.report import Place
from sealtrace.contract.scalars import exact
from sealtrace.evidence import Evidence
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies import checks  # noqa: F401 - imported for the checks' registrations
from sealtrace.studies.policies.evidence.outcomes import Spilled
from sealtrace.studies.policies.evidence.partitions import Partition, frozen_partitions
from sealtrace.studies.policies.evidence.stretches import BESIDE, ByStretch, Stretches
from sealtrace.studies.policies.evidence.study import Candidate, Study
from sealtrace.studies.policies.mathematics import screening

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
"""States of each file that the checks look at before anything is screened."""
MOST_SUSPECTS = 2**10
"""So many states that screening leaves to the checks are looked at together, or those of a file."""
STRETCH = 2**14
"""About so many states are laid out at once, for the shards that hold their traces."""
_PLACED = {"anchor": "replay.anchor", "top-action": "replay.top-action", "tilt": "replay.tilt"}
"""Policy to the check that replays it."""


def judge(bundle: Bundle, sources: Sources, workers: Workers) -> Streamed:
    """Judges every trace and score of a bundle; `NotLaidOutError` where they must be read whole."""
    evidence = Evidence(bundle)
    study = Study(bundle, frames={**evidence.frames, **_no_traces()})
    streamed = Streamed(study, beside_too=BESIDE_TOO)
    traces = [entry for entry, _ in sources.values() if entry.kind == "trace"]
    scores = {entry.split: entry for entry, _ in sources.values() if entry.kind == "score"}
    if {entry.split for entry in traces} != set(scores) or len(scores) < len(sources) - len(traces):
        raise NotLaidOutError("traces and scores do not come in pairs of files")
    total = _Total(Stretches(study), streamed, Spilled(len(study.states), len(study.candidates)))
    for entry in traces:
        # Not known before the last block; it is compared with what the blocks give in the end.
        bundle.contents[entry.path] = entry.content_sha256 or ""
    try:
        for entry in traces:
            other = scores[entry.split]
            _Pair(total, (entry, sources[entry.path][1]), (other, sources[other.path][1])).judge(workers)
    finally:
        for entry in traces:
            del bundle.contents[entry.path]
    for entry, _ in sources.values():
        if streamed.contents[entry.path] != entry.content_sha256:
            raise NotLaidOutError("its records are not those that were sealed")
    total.settle()
    for kind in ("trace", "score"):
        sizes = {entry.path: file.rows for entry, file in sources.values() if entry.kind == kind}
        streamed.frames[kind] = StreamedFrame(kind, sizes, bundle.again)
    streamed.frames["trace"].spilled = total.spilled  # type: ignore[attr-defined]
    return streamed


@dataclass
class _Total:
    """What is known of all files so far."""

    stretches: Stretches
    streamed: Streamed
    spilled: Spilled
    traced: int = 0
    beside: list[ByStretch] = field(default_factory=lambda: [ByStretch(check) for check in STATE_CHECKS])
    """What checks say of the other records of states."""
    largest: dict[tuple[str, tuple[int, int]], tuple[float, str, int, dict[str, str], str]] = field(
        default_factory=dict
    )
    """Check and rank to the largest difference: value, file, row, key and field."""

    def add(self, check: str, outcome: Outcome) -> None:
        """What a check says of more rows; the largest difference is kept apart, where screening finds it."""
        if check in _SCREENED:
            outcome.largest = None
        known = self.streamed.outcomes.setdefault(check, Outcome(check, FUNCTIONS[check][1]))
        known.add(outcome)

    def settle(self) -> None:
        """Fills in what only the whole gives."""
        if self.traced < len(self.stretches.study.states):
            raise NotLaidOutError("some states have no traces")
        for (check, _), (value, path, row, key, where) in sorted(self.largest.items(), key=lambda one: one[0]):
            outcome = self.streamed.outcomes[check]
            if outcome.largest is None or value > outcome.largest.value:
                outcome.largest = Place(value=value, check=check, source=path, row=row, key=key, field=where)
        self.stretches.settle()
        # A check that had something to say looks at the whole, when its turn comes.
        outcomes = {one.check: one.settled() for one in self.beside if one.plain}
        for check, outcome in outcomes.items():
            if check in BESIDE_TOO:
                outcome.add(self.streamed.outcomes[check])
        self.streamed.outcomes |= outcomes
        self.streamed.beside_too = BESIDE_TOO - outcomes.keys()


_SCREENED = {*_PLACED.values(), "probability.normalized", "score.utility", "score.delta"}


@dataclass(frozen=True)
class _Suspects:
    """States of a shard that the checks must look at, with their records."""

    first: int
    """How many rows of the file come before the shard."""
    states: Index
    """Their places among the states of the shard."""
    tables: tuple[pa.Table, pa.Table]


@dataclass(frozen=True)
class _Screened:
    """What one shard gave."""

    lo: int
    count: int
    first: int
    screen: screening.Screen
    found: Any
    """Utility, delta and crossing by candidate and state."""
    digests: tuple[bytes, bytes]
    suspects: _Suspects
    texts: tuple[set[str], set[str]]


@dataclass(frozen=True)
class _Rows:
    """What is looked at row by row in a shard: by action where there are several."""

    policy: list[Any]
    named: list[Mask | None]
    chosen: Any
    scores: list[Any]
    crossing: Any


@dataclass(frozen=True)
class _States:
    """What shards need of some states, by action where there are several."""

    start: int
    """How many states of the split come before them."""
    part: Study
    utility: Any
    risk: Any
    base: Any
    directions: list[Any]
    """Of each run of candidates, what it is tilted in, or what it is."""
    legal: Any
    usable: Mask
    groups: Index | None

    def some(self, start: int, count: int) -> _States:
        """The same of so many states, after those of the split that come before them."""
        here = slice(start - self.start, start - self.start + count)
        utility, risk, base, legal = (one[:, here] for one in (self.utility, self.risk, self.base, self.legal))
        directions, groups = (
            [one[:, here] for one in self.directions],
            None if self.groups is None else self.groups[here],
        )
        return _States(start, self.part, utility, risk, base, directions, legal, self.usable[here], groups)


class _Pair:
    """The traces of one split and their scores."""

    def __init__(self, total: _Total, traces: tuple[Entry, LaidOut], scores: tuple[Entry, LaidOut]) -> None:
        self.total, self.stretches, self.study = total, total.stretches, total.stretches.study
        (self.entry, self.traces), (self.other, self.scores) = traces, scores
        study = self.study
        if study.anchor is None or len(study.actions) > screening.MOST_ACTIONS or study.bundle.declared:
            raise NotLaidOutError("the bank has no single anchor, or too many actions to be screened")
        self.members = sorted(
            (
                index
                for index, one in enumerate(study.candidates)
                if one.splits is None or self.entry.split in one.splits
            ),
            key=lambda index: _sorted_as(study.candidates[index]),
        )
        bank = [study.candidates[index] for index in self.members]
        if study.anchor not in self.members or any(one.policy not in _PLACED for one in bank):
            raise NotLaidOutError("a policy of the bank is not screened")
        self.bank, self.width = bank, len(bank)
        codes, names = study.frame("observation").texts("split")
        inside = codes == names.index(self.entry.split) if self.entry.split in names else np.zeros(1, np.bool_)
        self.lo, self.states = int(inside.argmax()), int(inside.sum())
        if not inside[self.lo : self.lo + self.states].all() or study.frame("observation").repeats:
            raise NotLaidOutError("the observations of its split do not follow each other")
        if not self.traces.rows == self.scores.rows == self.states * self.width:
            raise NotLaidOutError("not every state has every candidate once")
        self._declare()

    def __getstate__(self) -> dict[str, Any]:
        """What a worker needs to screen shards: the records beside them, and not what is known so far."""
        stretches = copy(self.stretches)
        stretches.study = self.study.detached()
        return self.__dict__ | {"total": None, "stretches": stretches, "study": stretches.study, "laid_out": {}}

    def _declare(self) -> None:
        study = self.study
        self.anchor = self.members.index(study.anchor or 0)
        self.tau = exact(study.declared.tau)
        self.labelled = study.roles.get(self.entry.split or "") in ("calibration", "held-out")
        partition = self._partition(study)
        self.group_names = [] if partition is None else partition.groups
        self.runs = list(self._runs())
        ends = (np.cumsum(self.traces.sizes) // self.width).tolist()
        self.ends: list[int] = list({(end - 1) // STRETCH: end for end in ends}.values())
        """Where stretches of states end, each with the last state of a shard."""
        self.laid_out: dict[int, _States] = {}
        """What is at hand of stretches, by their places."""
        self.zeros = [place for place, one in enumerate(self.bank) if one.policy == "tilt" and not _scale(one)]
        self.met: dict[str, Any] = {}
        """The largest distances of the shards that were put together so far."""
        self.scores.decoder = self.traces.decoder
        self.pending: list[tuple[_Suspects, dict[str, Frame]]] = []
        """What the checks have not looked at yet, with the other records of those states."""
        self.judged: dict[str, dict[str, Mask]] = {"inputs": {}, "ledger": {}}
        """Text of a column by reference to the candidates with which the checks accepted it."""
        self.normalization = as_double(exact(study.declared.tolerances.normalization))
        if max(self.normalization, study.tolerance) > USUAL_TOLERANCE:
            raise NotLaidOutError("a tolerance is loosened, and what passes by that is counted over all rows")

    # The pass

    def judge(self, workers: Workers) -> None:
        """All shards; what they give is put together in order, whoever looks at them."""
        digests: tuple[list[bytes], list[bytes]] = ([], [])
        texts: tuple[set[str], set[str]] = (set(), set())
        for done in self._screened(workers):
            self._take(done)
            for place in (0, 1):
                digests[place].append(done.digests[place])
                texts[place].update(done.texts[place])
        self._look_at_suspects()
        for place, (entry, file) in enumerate(((self.entry, self.traces), (self.other, self.scores))):
            self.total.streamed.contents[entry.path] = blocks.of_blocks(row_name(file.form), file.rows, digests[place])
            self.total.streamed.texts[entry.path] = texts[place]
        self.total.traced += self.states

    def _shards(self) -> Iterator[tuple[Shard, Shard]]:
        """Shards of traces and scores; before the first of a stretch of states, its other records are judged."""
        judged = 0
        for trace, score in zip(self.traces.shards(), self.scores.shards(), strict=True):
            place = bisect_right(self.ends, trace.first // self.width)
            if place >= judged:
                states = self._states(place)
                self.stretches.judge(states.part)
                for outcome in self.total.beside:
                    outcome.look(states.part)
                # Shards of earlier stretches are done, but for the few that are under way.
                self.laid_out = {**dict(list(self.laid_out.items())[-_AT_HAND:]), place: states}
                judged = place + 1
            yield trace, score

    def _screened(self, workers: Workers) -> Iterator[_Screened]:
        shards = self._shards()
        try:
            first = self._decoded(*next(shards))
            self._sample(*first)
            yield self._screen(*first)
            for done in workers.each(self._decoded_and_screened, (self.traces, self.scores), shards):
                self.study.bundle.budget.on_time(self.entry.path)
                yield done
        except (ValueError, IndexError, TypeError, pa.ArrowException) as error:
            raise NotLaidOutError(f"its columns cannot be screened: {error}") from None

    def _decoded_and_screened(self, trace: Shard, score: Shard) -> _Screened:
        return self._screen(*self._decoded(trace, score))

    def _decoded(self, trace: Shard, score: Shard) -> tuple[Shard, Columns, Columns]:
        if (trace.first, trace.rows) != (score.first, score.rows) or trace.first % self.width:
            raise NotLaidOutError("row groups of traces and scores do not hold the same whole states")
        return trace, self.traces.decoded(trace), self.scores.decoded(score)

    # The checks themselves, on some states

    def _sample(self, shard: Shard, traces: Columns, scores: Columns) -> None:
        """Has the checks judge the first states, and counts what they inspect in one that nothing is wrong with."""
        # A state that lacks something has less to check, and is left to the checks itself.
        states = np.flatnonzero(self._states_of(0).usable[: shard.rows // self.width])[:SAMPLE]
        while len(states):
            outcomes = self._checked([self._with_records(self._suspects(shard, states, traces, scores))])[0]
            named = {(one.key or {}).get("state") for outcome in outcomes.values() for one in outcome.findings}
            if not named:
                break
            ids = self.study.states.take(arrow_integers(self.lo + states)).to_pylist()
            left = states[[one not in named for one in ids]]
            if not 0 < len(left) < len(states):
                raise NotLaidOutError("something is wrong with all of its first states")
            states = left
        count = len(states)
        if not count or any(one.inspected % count for one in outcomes.values()):
            raise NotLaidOutError("its first states differ in what there is to check")
        self.per_state = {check: outcome.inspected // count for check, outcome in outcomes.items()}
        for check, outcome in outcomes.items():
            outcome.inspected = 0
            self.total.add(check, outcome)
        for name, judged in self.judged.items():
            codes, texts = _coded(traces, name)
            for place, text in enumerate(texts):
                judged[text] = (codes.reshape(-1, self.width)[states] == place).any(axis=0)

    def _suspects(self, shard: Shard, states: Index, traces: Columns, scores: Columns) -> _Suspects:
        rows = arrow_integers((states[:, None] * self.width + np.arange(self.width)).ravel())
        return _Suspects(shard.first, states, (traces.table.take(rows), scores.table.take(rows)))

    def _with_records(self, suspects: _Suspects) -> tuple[_Suspects, dict[str, Frame]]:
        """States of a shard with what the other tables say of them."""
        known = self._states_of(suspects.first)
        observed = np.zeros(len(known.usable), np.bool_)
        observed[suspects.first // self.width - known.start + suspects.states] = True
        inside = {kind: observed[known.part.state_of(kind)] for kind in BESIDE} | {"observation": observed}
        return suspects, {kind: known.part.frame(kind).subset(np.flatnonzero(rows)) for kind, rows in inside.items()}

    def _checked(self, some: list[tuple[_Suspects, dict[str, Frame]]]) -> tuple[dict[str, Outcome], Study]:
        """What the checks say of some states, and the records that they saw."""
        study, candidates = self.study, np.arange(self.width)
        numbers = [one.first + 1 + (one.states[:, None] * self.width + candidates).ravel() for one, _ in some]
        frames: dict[str, Frame] = dict(study.frames)
        for place, (entry, file) in enumerate(((self.entry, self.traces), (self.other, self.scores))):
            table = pa.concat_tables([one.tables[place] for one, _ in some]).unify_dictionaries()
            frames[entry.kind] = Frame(entry.kind, [_store(entry, file.form, table, np.concatenate(numbers))])
        for kind in ("observation", *BESIDE):
            frames[kind] = Frame.together([beside[kind] for _, beside in some])
        part = study.with_rows(frames)
        outcomes = {check: Outcome(check, FUNCTIONS[check][1]) for check in ROW_CHECKS}
        for check, outcome in outcomes.items():
            FUNCTIONS[check][0](part, outcome)
            if check in BESIDE_TOO:
                # The other records are judged once, by themselves.
                beside = Outcome(check, outcome.unit)
                FUNCTIONS[check][0](study.with_rows(frames | _no_traces()), beside)
                outcome.inspected -= beside.inspected
                outcome.findings = [one for one in outcome.findings if one not in beside.findings]
                outcome.counts = {
                    severity: count - beside.counts[severity] for severity, count in outcome.counts.items()
                }
        return outcomes, part

    # Screening

    def _screen(self, shard: Shard, traces: Columns, scores: Columns) -> _Screened:
        count, at = shard.rows // self.width, shard.first // self.width
        for columns, entry, file in ((traces, self.entry, self.traces), (scores, self.other, self.scores)):
            self._identities(columns, entry, file.shape, at, count)
        digests = traces.digest(self.traces.shape), scores.digest(self.scores.shape)
        known = {sort: met.copy() for sort, met in self.met.items()}
        states = self._states_of(shard.first).some(at, count)
        screen = screening.Screen(~states.usable, known)
        self._references(screen, traces, states)
        rows = self._rows(traces, scores)
        found = np.empty((3, self.width, count)), np.empty((self.width, count), np.bool_)
        step = max(1, screening.ROWS // self.width)
        with np.errstate(all="ignore"):
            for screen.at in range(0, count, step):
                here = slice(screen.at, min(screen.at + step, count))
                self._screen_states(screen, rows, states, here, found)
        texts = _texts(traces), _texts(scores)
        suspects = self._suspects(shard, np.flatnonzero(screen.suspects), traces, scores)
        return _Screened(self.lo + at, count, shard.first, screen, found, digests, suspects, texts)

    def _screen_states(self, screen: screening.Screen, rows: _Rows, states: _States, here: slice, found: Any) -> None:
        """Some states of a shard, few enough to stay in the cache."""
        width, tolerance = self.width, self.study.tolerance
        some = slice(here.start * width, here.stop * width)
        policy = [values[some] for values in rows.policy]
        named = [None if there is None else there[some] for there in rows.named]
        allowed = states.legal[:, here]
        legal = None if allowed.all() else allowed
        masks = [None if legal is None or row.all() else np.repeat(row, width) for row in allowed]
        least = screening.sound_rows(screen, policy, named, masks, width)
        if screening.normalized(screen, policy, self.normalization, width) > USUAL_TOLERANCE:
            screen.suspects[:] = True
        screen.refuse_rows(screening.top_actions(policy, masks) != rows.chosen[some], width)
        by_candidate = np.array([values.reshape(-1, width).T for values in policy])
        for place in self.zeros:
            screen.refuse(by_candidate[:, place].view(np.int64) != by_candidate[:, self.anchor].view(np.int64))
        runs = [(run, direction[:, here]) for run, direction in zip(self.runs, states.directions, strict=True)]
        logs = np.log(states.base[:, here])
        screening.replayed(screen, runs, logs, by_candidate, legal, tolerance, least)
        values, crossed = found[0][:, :, here], found[1][:, here]
        utility, risk = states.utility[:, here], states.risk[:, here]
        screening.utilities(by_candidate, utility, values[0])
        screening.utilities(by_candidate, risk, values[1])
        by_candidate -= by_candidate[:, self.anchor, None].copy()
        screening.utilities(by_candidate, risk, values[2])
        sizes = np.array([np.abs(one).max(axis=0) for one in (utility, risk, risk)])
        reported = np.array([values[some].reshape(-1, width).T for values in rows.scores])
        distance = values - reported
        np.abs(distance, out=distance)
        screen.within(
            "score",
            distance,
            tolerance * sizes.min(axis=1, keepdims=True),
            lambda: tolerance * np.maximum(np.maximum(np.abs(values), np.abs(reported)), sizes[:, None]),
            apart=False,
        )
        near = as_double(self.tau)
        margin = values[2] + near
        np.abs(margin, out=margin)
        sure = screening.sure_distance(sizes[1], len(policy), tolerance, near)
        if not margin.min() > sure.max():
            screen.refuse(~(margin > sure))
        np.less(values[2], -near, out=crossed)
        screen.refuse(crossed != rows.crossing[some].reshape(-1, width).T)

    def _states_of(self, row: int) -> _States:
        """What is known of the stretch of states that a row's state lies in."""
        place = bisect_right(self.ends, row // self.width)
        return self.laid_out.get(place) or self._states(place)

    def _states(self, place: int) -> _States:
        """Lays out what shards need of a stretch of states."""
        start, stop = (0, *self.ends)[place], self.ends[place]
        part, evaluators = self.stretches.part(self.lo + start, self.lo + stop), self.study.declared.evaluators
        utility, risk = part.evaluator(evaluators.utility).T, part.evaluator(evaluators.risk).T
        base = part.smoothed_teacher.T
        with np.errstate(all="ignore"):
            # Sums are finite only where all of their terms are.
            finite = np.isfinite(sum(one.sum(axis=0) for one in (utility, risk, base)))
        partition = self._partition(part)
        return _States(
            start, part, utility, risk, base, [self._direction(run, part) for run in self.runs], part.legal.named.T,
            part.playable & finite, None if partition is None or not self.labelled else partition.group_of,
        )  # fmt: skip

    def _partition(self, study: Study) -> Partition | None:
        """The partition that is deployed, over some states."""
        deployed = study.declared.deployed
        return None if deployed is None else frozen_partitions(study).get(deployed)

    def _direction(self, run: screening.Run, part: Study) -> Any:
        """What a run of candidates is tilted in, or what it is, by action and state."""
        one = self.bank[run.rows.start]
        if len(run.scales):
            if (direction := part.direction_of(one)) is None:
                raise NotLaidOutError(f"{one.name} does not declare what its policy needs")
            return direction.T
        replay = part.replay(self.members[run.rows.start])
        assert replay is not None
        return replay.probabilities.T

    def _identities(self, columns: Columns, entry: Entry, shape: Struct, at: int, count: int) -> None:
        """Every state of the shard in the order of observations, with every candidate once in the order of the bank."""
        screened, there = _SCREENED_COLUMNS[entry.kind], set(columns)
        if strange := sorted((there - screened) | (screened - there - _MAY_LACK)):
            raise NotLaidOutError(f"{strange[0]} is not screened, or is not there")
        for field_ in shape.fields:
            if field_.required and field_.name not in columns:
                raise NotLaidOutError(f"it has no {field_.name}")
            if field_.name != "state" and (column := columns.get(field_.name)) is not None:
                column.prove()
                if column.array.null_count and field_.name != "scale":
                    raise NotLaidOutError(f"{field_.name} is absent in some rows")
        state = columns["state"]
        if not state.array.dictionary.equals(self.study.states.slice(self.lo + at, count)) or state.array.null_count:
            raise NotLaidOutError("its states are not those of the observations, in their order")
        for name in ("state", "arm", "scale"):
            column, proof = columns.get(name), (self.entry.path, name)
            if column is not None and proof in column.proved:
                continue
            codes = np.full(columns.rows, -1, np.int32) if column is None else column.codes
            due = np.arange(count, dtype=np.int32)[:, None] if name == "state" else self._pattern(columns, name)
            if not (codes.reshape(count, self.width) == due).all():
                raise NotLaidOutError("not every state has every candidate once, in the order of their keys")
            if column is not None:
                column.proved.add(proof)
        if columns["split"].texts != [entry.split]:
            raise NotLaidOutError("a row names another split than its file")

    def _pattern(self, columns: Columns, name: str) -> Any:
        """The codes of the candidates' arms or scales, as every state has them."""
        known: dict[str | None, int] = {None: -1} | {text: place for place, text in enumerate(_coded(columns, name)[1])}
        return np.array([known.get(getattr(one, name), -2) for one in self.bank], np.int32)

    def _rows(self, traces: Columns, scores: Columns) -> _Rows:
        """What is looked at row by row, as it lies in the file."""
        actions, column = self.study.actions, traces["probabilities"].array
        if not pa.types.is_struct(column.type) or {child.name for child in column.type} - set(actions):
            raise NotLaidOutError("probabilities are not a column per action")
        policy: list[Any] = []
        named: list[Mask | None] = []
        for action in actions:
            place = column.type.get_field_index(action)
            child = column.field(place) if place >= 0 else pa.nulls(len(column), pa.float64())
            there = None if not child.null_count else child.is_valid().to_numpy(zero_copy_only=False)
            policy.append((child if there is None else child.fill_null(0.0)).to_numpy())
            named.append(there)
        if scores["trace_sha256"].texts != [self.entry.content_sha256]:
            raise NotLaidOutError("its scores name another trace table")
        codes, texts = _coded(traces, "action")
        places = np.array([actions.index(one) if one in actions else -2 for one in texts], np.int8)
        reported = [scores[name].array.to_numpy() for name in _REPORTED]
        if any(values.dtype != np.float64 for values in (*policy, *reported)):
            raise NotLaidOutError("a number is not a double")
        return _Rows(policy, named, places[codes], reported, flags_of(scores["crossing"].array).view(np.bool_))

    def _runs(self) -> Iterator[screening.Run]:
        """Consecutive candidates that are replayed together."""

        def sort(place: int) -> tuple[bool, str]:
            one = self.bank[place]
            return bool(
                one.policy == "tilt" and _scale(one)
            ), f"{one.policy} {one.family} {one.checkpoint} {one.direction}"

        for (tilted, _), places in groupby(range(self.width), sort):
            run = list(places)
            scales = np.array([float(_scale(self.bank[place])) for place in run if tilted])
            yield screening.Run(slice(run[0], run[-1] + 1), scales)

    def _references(self, screen: screening.Screen, traces: Columns, states: _States) -> None:
        """Lists that repeat: each with a candidate that the checks accepted it for, or at a state whose set it is."""
        count = len(states.usable)
        for name, judged in self.judged.items():
            column, proof = traces[name], (self.entry.path, name)
            if proof in column.proved:
                continue
            accepted = np.array([judged.get(text, np.zeros(self.width, np.bool_)) for text in column.texts])
            here = accepted[column.codes.reshape(count, -1), np.arange(self.width)]
            screen.refuse(~here.T)
            if here.all():
                column.proved.add(proof)
        codes, texts = _coded(traces, "legal")
        lists = values_of_texts(list(texts), row_shape("trace").fields[_LEGAL].shape).to_pylist()
        actions = self.study.actions
        bits = np.array([sum(1 << actions.index(one) for one in listed) if listed == [a for a in actions if a in listed]
                         else -1 for listed in lists])  # fmt: skip
        due = (states.legal * (1 << np.arange(len(actions)))[:, None]).sum(axis=0)
        if len(texts) > 1 or not (due == bits[0]).all():
            screen.refuse((bits[codes].reshape(count, -1) != due[:, None]).T)
        if (states.groups is None) != ("group" not in traces):
            raise NotLaidOutError("groups are there where none are due, or are not there")
        if states.groups is not None:
            codes, texts = _coded(traces, "group")
            places = np.array([self.group_names.index(one) if one in self.group_names else -2 for one in texts])
            screen.refuse((places[codes].reshape(count, -1) != states.groups[:, None]).T)

    # Putting together

    def _take(self, done: _Screened) -> None:
        """Counts clean states, has the checks look at the others, and keeps what every policy reached."""
        suspects = done.suspects.states
        (weak, _, delta), crossed = done.found
        if len(suspects):
            weak[:, suspects] = delta[:, suspects] = np.nan
            self.pending.append(self._with_records(done.suspects))
        for check, inspected in self.per_state.items():
            self.total.streamed.outcomes[check].inspected += inspected * (done.count - len(suspects))
        self.total.spilled.add(self.members, done.lo, weak, delta, crossed)
        for one in done.screen.largest:
            self._keep(one, done)
        if sum(len(one.states) for one, _ in self.pending) >= MOST_SUSPECTS:
            self._look_at_suspects()
        # Threads may be reading what was there before: it stays as it is.
        known = done.screen.known
        self.met = self.met | {sort: np.maximum(self.met.get(sort, met), met) for sort, met in known.items()}

    def _look_at_suspects(self) -> None:
        """Has the checks look at the states that screening left to them."""
        if not self.pending:
            return
        outcomes, part = self._checked(self.pending)
        for check, outcome in outcomes.items():
            self.total.add(check, outcome)
        states = np.concatenate([self.lo + one.first // self.width + one.states for one, _ in self.pending])
        scored = part.scored
        found = zip(*(one.tolist() for one in (scored.rows, scored.weak, scored.delta, scored.crossed)), strict=True)
        for row, weak, delta, crossed in found:
            state, place = divmod(row, self.width)
            self.total.spilled.replace(self.members[place], int(states[state]), weak, delta, crossed)
        self.pending = []

    def _keep(self, one: screening.Largest, done: _Screened) -> None:
        rank, place, entry = (0, 0), one.candidate, self.entry
        if one.sort == "normalized":
            check, where = "probability.normalized", "/probabilities"
        elif one.sort == "score":
            check, entry, where = _CHECKED[one.quantity], self.other, f"/{_REPORTED[one.quantity]}"
            rank = int(one.quantity == 1), 0
        else:
            check, where = _PLACED[self.bank[place].policy], f"/probabilities/{self.study.actions[one.quantity]}"
            rank = self.members[place], one.quantity
        known = self.total.largest.get((check, rank))
        if known is None or one.value > known[0]:
            bank = self.bank[place]
            key = {"state": self.study.states[done.lo + one.state].as_py(), "arm": bank.arm}
            key |= {} if bank.scale is None else {"scale": bank.scale}
            row = done.first + one.state * self.width + place + 1
            key["split"] = self.entry.split or ""
            self.total.largest[check, rank] = (one.value, entry.path, row, key, where)


def _no_traces() -> dict[str, Frame]:
    return {kind: Frame(kind, []) for kind in ("trace", "score")}


_AT_HAND = 4
"""Stretches of states that are kept for shards under way."""
_REPORTED = ("weak", "strong", "delta")
_CHECKED = ("score.utility", "score.utility", "score.delta")
_SCREENED_COLUMNS = {
    "trace": frozenset(
        {"state", "arm", "scale", "split", "group", "inputs", "legal", "probabilities", "action", "ledger"}
    ),
    "score": frozenset({"state", "arm", "scale", "split", "weak", "strong", "delta", "crossing", "trace_sha256"}),
}
_MAY_LACK = frozenset({"scale", "group"})
_LEGAL = [one.name for one in row_shape("trace").fields].index("legal")


def _sorted_as(one: Candidate) -> tuple[bytes, bool, bytes]:
    return one.arm.encode(), one.scale is not None, (one.scale or "").encode()


def _scale(one: Candidate) -> Fraction:
    return Fraction(0) if one.scale is None else exact(one.scale)


def _coded(columns: Columns, name: str) -> tuple[Any, list[str]]:
    """A column by reference: codes, -1 for absent, and texts. A column that was left out is absent throughout."""
    column = columns.get(name)
    return (np.full(columns.rows, -1, np.int32), []) if column is None else (column.codes, column.texts)


def _texts(columns: Columns) -> set[str]:
    """The distinct texts of a shard but for its states."""
    named = [column for name, column in columns.items() if name != "state"]
    return {text for column in named if pa.types.is_dictionary(column.array.type) for text in column.texts}


def _store(entry: Entry, form: RowKind, table: pa.Table, numbers: Index) -> Store:
    """Rows of a shard as smaller files give them; `NotLaidOutError` where their schema refuses one."""
    declared = as_declared(table, form)

    def misfit(*_: object) -> None:
        raise NotLaidOutError("its schema refuses a row")

    check_table(declared, row_shape(form), misfit)
    none = declared.slice(0, 0)
    return Store(entry.path, entry.kind, declared, numbers, declared, Defects(), Defects(), len(numbers), none, form)
