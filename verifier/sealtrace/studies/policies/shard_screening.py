"""Screens shards of traces and scores: they lie as they must, and of nearly all states nothing is wrong.

A shard holds whole states in the order of the observations, with every candidate once in the order of the bank; what
does not is refused (`NotLaidOutError`), and read whole. States that screening cannot clear are left to the checks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.encoding import arrow_array, flags_of
from sealtrace.bundle.frames import Index, Mask, Matrix, Vector
from sealtrace.bundle.identity import ListedFile
from sealtrace.bundle.parquet import values_of_texts
from sealtrace.bundle.shapes import Struct, row_shape
from sealtrace.bundle.shard_columns import Columns, NotLaidOutError
from sealtrace.bundle.shards import LaidOut, Shard
from sealtrace.checks.outcome import USUAL_TOLERANCE
from sealtrace.contract.scalars import exact
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.bank import BankCandidate
from sealtrace.studies.policies.evidence.partitions import FrozenPartition, frozen_partitions
from sealtrace.studies.policies.evidence.replaying import direction_of, replay_of, smoothed_teacher
from sealtrace.studies.policies.evidence.stretches import Stretches
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import screening
from sealtrace.studies.policies.mathematics.over_actions import expected, top_actions

STRETCH = 2**15
"""About so many states are laid out at once, for the shards that hold their traces."""
MOST_ACTIONS = 62
"""A set of actions is held as the bits of a whole number."""
REPORTED = ("weak", "strong", "delta")
SCREENED_POLICIES = frozenset({"anchor", "top-action", "tilt"})

Codes = npt.NDArray[np.int32]
"""Places of texts in a column by reference."""
Tables = npt.NDArray[np.float64]
"""A quantity, a candidate and a state."""


@dataclass(frozen=True)
class Suspects:
    """States of a shard that the checks must look at, with their records."""

    first: int
    """How many rows of the file come before the shard."""
    states: Index
    """Their places among the states of the shard."""
    tables: tuple[pa.Table, pa.Table]


@dataclass(frozen=True)
class Screened:
    """The result of screening one shard."""

    lo: int
    count: int
    first: int
    screen: screening.Screen
    found: tuple[Tables, Mask]
    """Utility, delta and crossing by candidate and state."""
    digests: tuple[bytes, bytes]
    suspects: Suspects | None
    texts: tuple[set[str], set[str]]


@dataclass(frozen=True)
class _Rows:
    """The columns of a shard that are compared row by row; lists have one entry per action."""

    policy: list[Vector]
    named: list[Mask | None]
    chosen: npt.NDArray[np.int8]
    scores: list[Vector]
    crossing: Mask


@dataclass(frozen=True)
class LaidStates:
    """What screening needs of some states; matrices have one row per action."""

    start: int
    """How many states of the split come before them."""
    part: Study
    utility: Matrix
    risk: Matrix
    base: Matrix
    directions: list[Matrix]
    """For each run of candidates, the direction of its tilts, or its distribution where nothing is tilted."""
    legal: Mask
    usable: Mask
    groups: Index | None

    def stretch(self, start: int, count: int) -> LaidStates:
        """`count` of these states, from the one with `start` states of the split before it."""
        here = slice(start - self.start, start - self.start + count)
        utility, risk, base = (table[:, here] for table in (self.utility, self.risk, self.base))
        directions = [direction[:, here] for direction in self.directions]
        groups = None if self.groups is None else self.groups[here]
        return LaidStates(
            start, self.part, utility, risk, base, directions, self.legal[:, here], self.usable[here], groups
        )


class Screener:
    """Looks at shards of the traces of one split and of their scores; workers elsewhere have copies of it."""

    def __init__(
        self, stretches: Stretches, traces: tuple[ListedFile, LaidOut], scores: tuple[ListedFile, LaidOut]
    ) -> None:
        self.stretches, self.study = stretches, stretches.study
        (self.entry, self.traces), (self.other, self.scores) = traces, scores
        study = self.study
        if study.bank.anchor is None or len(study.actions) > MOST_ACTIONS or study.bundle.declared:
            raise NotLaidOutError("the bank has no single anchor, or too many actions to be screened")
        traced = [
            place
            for place, candidate in enumerate(study.candidates)
            if candidate.splits is None or self.entry.split in candidate.splits
        ]
        self.members = sorted(traced, key=lambda place: _sorted_as(study.candidates[place]))
        self.bank, self.width = [study.candidates[place] for place in self.members], len(self.members)
        if study.bank.anchor not in self.members or {candidate.policy for candidate in self.bank} - SCREENED_POLICIES:
            raise NotLaidOutError("a policy of the bank is not screened")
        inside = np.flatnonzero(study.frame("observation").says("split", self.entry.split))
        self.lo, self.states = int(inside.min(initial=len(study.states.ids))), len(inside)
        if (np.diff(inside) != 1).any() or study.frame("observation").repeats:
            raise NotLaidOutError("the observations of its split do not follow each other")
        if not self.traces.rows == self.scores.rows == self.states * self.width:
            raise NotLaidOutError("not every state has every candidate once")
        self._declare()

    def __getstate__(self) -> dict[str, object]:
        """What a worker elsewhere needs: the records of states, and not what is laid out of them here."""
        stretches = copy(self.stretches)
        stretches.study = self.study.evidence.detached().view(Study)
        return self.__dict__ | {"stretches": stretches, "study": stretches.study, "laid_out": {}}

    def _declare(self) -> None:
        study = self.study
        self.anchor = self.members.index(study.bank.anchor or 0)
        self.tau = exact(study.declared.tau)
        self.labelled = study.bank.roles.get(self.entry.split or "") in ("calibration", "held-out")
        partition = self._partition(study)
        self.group_names = [] if partition is None else partition.groups
        self.runs = list(self._runs())
        ends = (np.cumsum(self.traces.sizes) // self.width).tolist()
        self.ends: list[int] = list({(end - 1) // STRETCH: end for end in ends}.values())
        """Where stretches of states end, each with the last state of a shard."""
        self.laid_out: dict[int, LaidStates] = {}
        """The stretches that are laid out now, by their numbers."""
        tilts = [(place, candidate) for place, candidate in enumerate(self.bank) if candidate.policy == "tilt"]
        self.zeros = [place for place, candidate in tilts if not candidate.exact_scale]
        self.met: dict[str, Matrix] = {}
        """The largest distances of the shards that were put together so far; replaced, and never changed."""
        self.judged: dict[str, dict[str, Mask]] = {"inputs": {}, "ledger": {}}
        """Text of a column by reference to the candidates with which the checks accepted it."""
        self.normalization = as_double(exact(study.declared.tolerances.normalization))
        if max(self.normalization, study.tolerance) > USUAL_TOLERANCE:
            raise NotLaidOutError("a tolerance is loosened, and what passes by that is counted over all rows")

    def look(self, trace: Shard, score: Shard) -> Screened:
        """Decodes and screens a shard."""
        return self.screened(*self.decoded(trace, score))

    def decoded(self, trace: Shard, score: Shard) -> tuple[Shard, Columns, Columns]:
        """The columns of a shard."""
        if (trace.first, trace.rows) != (score.first, score.rows) or trace.first % self.width:
            raise NotLaidOutError("row groups of traces and scores do not hold the same whole states")
        return trace, self.traces.decoded(trace), self.scores.decoded(score)

    def suspects(self, shard: Shard, states: Index, traces: Columns, scores: Columns) -> Suspects:
        """The records of some states of a shard."""
        rows = arrow_array((states[:, None] * self.width + np.arange(self.width)).ravel())
        return Suspects(shard.first, states, (traces.table.take(rows), scores.table.take(rows)))

    def screened(self, shard: Shard, traces: Columns, scores: Columns) -> Screened:
        """Screens a shard whose columns are decoded."""
        count, at = shard.rows // self.width, shard.first // self.width
        for columns, entry, file in ((traces, self.entry, self.traces), (scores, self.other, self.scores)):
            self._identities(columns, entry, file.shape, at, count)
        digests = traces.digest(self.traces.shape), scores.digest(self.scores.shape)
        known = {sort: met.copy() for sort, met in self.met.items()}
        states = self.states_of(shard.first).stretch(at, count)
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
        suspects = None
        if screen.suspects.any():
            suspects = self.suspects(shard, np.flatnonzero(screen.suspects), traces, scores)
        return Screened(self.lo + at, count, shard.first, screen, found, digests, suspects, texts)

    def _screen_states(
        self, screen: screening.Screen, rows: _Rows, states: LaidStates, here: slice, found: tuple[Tables, Mask]
    ) -> None:
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
        screen.refuse_rows(top_actions(policy, masks) != rows.chosen[some], width)
        by_candidate = np.array([values.reshape(-1, width).T for values in policy])
        for place in self.zeros:
            screen.refuse(by_candidate[:, place].view(np.int64) != by_candidate[:, self.anchor].view(np.int64))
        runs = [(run, direction[:, here]) for run, direction in zip(self.runs, states.directions, strict=True)]
        logs = np.log(states.base[:, here])
        screening.replayed(screen, runs, logs, by_candidate, legal, tolerance, least)
        values, crossed = found[0][:, :, here], found[1][:, here]
        utility, risk = states.utility[:, here], states.risk[:, here]
        values[0] = expected(by_candidate, utility[:, None])
        values[1] = expected(by_candidate, risk[:, None])
        # d from the difference of distributions, as `thresholds` has it: one of two utilities would round otherwise.
        by_candidate -= by_candidate[:, self.anchor, None].copy()
        values[2] = expected(by_candidate, risk[:, None])
        sizes = np.array([np.abs(values).max(axis=0) for values in (utility, risk, risk)])
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
        # A delta so near to -tau that rounding could decide is left to the exact arithmetic of the checks.
        sure = screening.sure_distance(sizes[1], len(policy), tolerance, near)
        if not margin.min() > sure.max():
            screen.refuse(~(margin > sure))
        np.less(values[2], -near, out=crossed)
        screen.refuse(crossed != rows.crossing[some].reshape(-1, width).T)

    def states_of(self, row: int) -> LaidStates:
        """The laid-out stretch of states that holds a row's state."""
        place = self.place_of(row)
        return self.laid_out.get(place) or self.laid(place)

    def place_of(self, row: int) -> int:
        """The number of the stretch of states that holds a row's state."""
        return bisect_right(self.ends, row // self.width)

    def laid(self, place: int) -> LaidStates:
        """Lays out what shards need of a stretch of states."""
        start, stop = (0, *self.ends)[place], self.ends[place]
        part, evaluators = self.stretches.part(self.lo + start, self.lo + stop), self.study.declared.evaluators
        utility, risk = part.states.evaluator(evaluators.utility).T, part.states.evaluator(evaluators.risk).T
        base = smoothed_teacher(part.states).T
        with np.errstate(all="ignore"):
            # Sums are finite only where all of their terms are.
            finite = np.isfinite(sum(table.sum(axis=0) for table in (utility, risk, base)))
        partition = self._partition(part)
        directions, legal = [self._direction(run, part) for run in self.runs], part.states.legal.named.T
        groups = None if partition is None or not self.labelled else partition.group_of
        usable = part.states.playable & finite
        return LaidStates(start, part, utility, risk, base, directions, legal, usable, groups)

    def _partition(self, study: Study) -> FrozenPartition | None:
        """The partition that is deployed, over some states."""
        deployed = study.declared.deployed
        return None if deployed is None else frozen_partitions(study.states).get(deployed)

    def _direction(self, run: screening.CandidateRun, part: Study) -> Matrix:
        """The direction of a run of tilts, or the distribution of what is not tilted, by action and state."""
        candidate = self.bank[run.rows.start]
        if len(run.scales):
            table = direction_of(part.states, candidate)
        else:
            replay = replay_of(part.states, self.members[run.rows.start])
            table = None if replay is None else replay.probabilities
        if table is None:
            raise NotLaidOutError(f"{candidate.name} does not declare what its policy needs")
        return table.T

    def _identities(self, columns: Columns, entry: ListedFile, shape: Struct, at: int, count: int) -> None:
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
        if (
            not state.array.dictionary.equals(self.study.states.ids.slice(self.lo + at, count))
            or state.array.null_count
        ):
            raise NotLaidOutError("its states are not those of the observations, in their order")
        for name in ("state", "arm", "scale"):
            codes = _coded(columns, name)[0]
            due = np.arange(count, dtype=np.int32)[:, None] if name == "state" else self._pattern(columns, name)
            if not (codes.reshape(count, self.width) == due).all():
                raise NotLaidOutError("not every state has every candidate once, in the order of their keys")
        if columns["split"].texts != [entry.split]:
            raise NotLaidOutError("a row names another split than its file")

    def _pattern(self, columns: Columns, name: str) -> Codes:
        """The codes of the candidates' arms or scales, as every state has them."""
        known: dict[str | None, int] = {None: -1} | {text: place for place, text in enumerate(_coded(columns, name)[1])}
        return np.array([known.get(getattr(candidate, name), -2) for candidate in self.bank], np.int32)

    def _rows(self, traces: Columns, scores: Columns) -> _Rows:
        """The columns that are compared row by row, as they lie in the file."""
        actions, column = self.study.actions, traces["probabilities"].array
        if not pa.types.is_struct(column.type) or {child.name for child in column.type} - set(actions):
            raise NotLaidOutError("probabilities are not a column per action")
        policy: list[Vector] = []
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
        places = np.array([actions.index(action) if action in actions else -2 for action in texts], np.int8)
        reported = [scores[name].array.to_numpy() for name in REPORTED]
        if any(values.dtype != np.float64 for values in (*policy, *reported)):
            raise NotLaidOutError("a number is not a double")
        return _Rows(policy, named, places[codes], reported, flags_of(scores["crossing"].array).view(np.bool_))

    def _runs(self) -> Iterator[screening.CandidateRun]:
        """Consecutive candidates that are replayed together."""

        def sort(place: int) -> tuple[bool, str]:
            candidate = self.bank[place]
            tilted = candidate.policy == "tilt" and bool(candidate.exact_scale)
            weights = f"{candidate.checkpoint_sha256} {candidate.direction}"
            return tilted, f"{candidate.policy} {candidate.family} {weights}"

        for (tilted, _), places in groupby(range(self.width), sort):
            run = list(places)
            scales = np.array([float(self.bank[place].exact_scale or 0) for place in run if tilted])
            yield screening.CandidateRun(slice(run[0], run[-1] + 1), scales)

    def _references(self, screen: screening.Screen, traces: Columns, states: LaidStates) -> None:
        """Lists that repeat: each with a candidate that the checks accepted it for, or at a state whose set it is."""
        count = len(states.usable)
        for name, judged in self.judged.items():
            column = traces[name]
            accepted = np.array([judged.get(text, np.zeros(self.width, np.bool_)) for text in column.texts])
            screen.refuse(~accepted[column.codes.reshape(count, -1), np.arange(self.width)].T)
        codes, texts = _coded(traces, "legal")
        lists = values_of_texts(list(texts), row_shape("trace").fields[_LEGAL].shape).to_pylist()
        actions = self.study.actions
        bits = np.array([_bits(listed, actions) for listed in lists])
        due = (states.legal * (1 << np.arange(len(actions)))[:, None]).sum(axis=0)
        if len(texts) > 1 or not (due == bits[0]).all():
            screen.refuse((bits[codes].reshape(count, -1) != due[:, None]).T)
        if (states.groups is None) != ("group" not in traces):
            raise NotLaidOutError("groups are there where none are due, or are not there")
        if states.groups is not None:
            codes, texts = _coded(traces, "group")
            places = np.array([self.group_names.index(name) if name in self.group_names else -2 for name in texts])
            screen.refuse((places[codes].reshape(count, -1) != states.groups[:, None]).T)


_SCREENED_COLUMNS = {
    "trace": frozenset(
        {"state", "arm", "scale", "split", "group", "inputs", "legal", "probabilities", "action", "ledger"}
    ),
    "score": frozenset({"state", "arm", "scale", "split", "weak", "strong", "delta", "crossing", "trace_sha256"}),
}
_MAY_LACK = frozenset({"scale", "group"})
_LEGAL = [field.name for field in row_shape("trace").fields].index("legal")


def _bits(listed: list[str], actions: list[str]) -> int:
    """A list of actions as a number; -1 where it is not in the protocol's order."""
    if listed != [action for action in actions if action in listed]:
        return -1
    return sum(1 << actions.index(action) for action in listed)


def _sorted_as(candidate: BankCandidate) -> tuple[bytes, bool, bytes]:
    return candidate.arm.encode(), candidate.scale is not None, (candidate.scale or "").encode()


def _coded(columns: Columns, name: str) -> tuple[Codes, list[str]]:
    """A column by reference: codes, -1 for absent, and texts. A column that was left out is absent throughout."""
    column = columns.get(name)
    return (np.full(columns.rows, -1, np.int32), []) if column is None else (column.codes, column.texts)


def _texts(columns: Columns) -> set[str]:
    """The distinct texts of a shard but for its states."""
    named = [column for name, column in columns.items() if name != "state"]
    return {text for column in named if pa.types.is_dictionary(column.array.type) for text in column.texts}
