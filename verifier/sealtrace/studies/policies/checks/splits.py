"""States: which split each lies in, and that every record joins one."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle import blocks
from sealtrace.bundle.encoding import distinct, one_chunk
from sealtrace.bundle.frames import Index
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.mathematics import resampling
from sealtrace.studies.policies.evidence.outcomes import in_order, states_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.protocol import Assignment

_SUFFIX = re.compile(r"[0-9]+$")


@check("split.inventory", "states")
def inventory(study: Study, outcome: Outcome) -> None:
    frame = study.frame("observation")
    outcome.inspected = frame.size
    for index, split in enumerate(study.declared.splits):
        at, found = (
            outcome.at(study.evidence.protocol_path, {"split": split.name}),
            int(frame.says("split", split.name).sum()),
        )
        message = "The split does not hold the declared number of states."
        at.expect(f"/splits/{index}/states", message, found, split.states)
    undeclared = frame.lookup("split", pa.array(list(study.bank.roles), pa.string())) < 0
    outcome.rows(frame, undeclared, "/split", "The protocol declares no such split.", " or ".join(study.bank.roles))


@check("split.disjoint", "states")
def disjoint(study: Study, outcome: Outcome) -> None:
    frame = study.frame("observation")
    outcome.inspected = frame.size
    splits, names = frame.texts("split")
    for field, what in (("state", "state"), ("block", "independent block")):
        if field == "state" and not frame.repeats:
            continue  # each is there once, and its text is not needed
        codes, texts = frame.texts(field)
        present = np.flatnonzero(codes >= 0)
        first = np.full(len(texts), -1, np.int64)
        # Later assignments win, so the reversed order leaves the first row of each.
        first[codes[present][::-1]] = present[::-1]
        other = present[splits[present] != splits[first[codes[present]]]]
        expected = [f"only in {names[splits[first[code]]]}" for code in codes[other]]
        found = [f"also in {names[split]}" for split in splits[other]]
        outcome.rows(frame, other, f"/{field}", f"The {what} lies in two splits.", expected, found)


@check("split.agreement", "rows")
def agreement(study: Study, outcome: Outcome) -> None:
    observations = study.frame("observation")
    of_file = {entry.path: entry.split for entry in study.bundle.entries}
    for kind in ("observation", "teacher", "trace", "values", "score", "residual"):
        frame = study.frame(kind)
        outcome.inspected += frame.size
        message = "The file holds another split."
        codes, texts = frame.texts("split")
        for path, (start, stop) in zip(frame.paths, frame.extents(), strict=True):
            due = texts.index(split) if (split := of_file[path]) in texts else len(texts)
            outcome.rows(frame, start + np.flatnonzero(codes[start:stop] != due), "/split", message, split)
        if kind == "observation" or not observations.size:
            continue
        states = study.joined.state_of(kind)
        wrong = (states >= 0) & (study.joined.observed_split(kind) != codes)
        message = "The record names another split than its observation."
        outcome.rows(frame, wrong, "/split", message, lambda row: observations.text("split", int(states[row])))


@check("split.rule", "states")
def rule(study: Study, outcome: Outcome) -> None:
    rules = {split.name: split.rule for split in study.declared.splits if split.rule is not None}
    if (declared_deal := study.declared.assignment) is not None:
        (_drawn if declared_deal.generator == "python-randrange" else _dealt)(study, declared_deal, outcome)
    elif not rules:
        outcome.not_applicable = "the protocol declares no assignment rule"
        return
    frame = study.frame("observation")
    states, ids = frame.texts("state")
    outcome.inspected = frame.size if rules else outcome.inspected
    suffixes = [_SUFFIX.search(text) for text in ids]
    for name, declared in rules.items():
        modulus = declared.modulus or 1
        remainders = np.array([int(match.group()) % modulus if match else -1 for match in suffixes], np.int64)
        inside = frame.says("split", name)
        wrong = inside != (remainders[states] == declared.remainder)
        message = "The declared rule puts this state into another split."
        outcome.rows(frame, wrong, "/split", message, lambda row: f"{'not ' if inside[row] else ''}{name}")


def _dealt(study: Study, declared: Assignment, outcome: Outcome) -> None:
    """Every state lies in the split that the declared deal gives it."""
    frame = study.frame("observation")
    codes, names = frame.texts("split")
    sizes = {split.name: split.states for split in study.declared.splits}
    taking = [name for name in declared.order if name in sizes and name in names]
    if taking != declared.order:
        outcome.missing = "the assignment names a split that is not there"
        return
    members = in_order(study, np.flatnonzero(np.isin(codes, [names.index(name) for name in taking])))
    outcome.inspected = len(members)
    strata = [study.states.feature(name)[members] for name in declared.strata]
    if any(np.isnan(stratum).any() for stratum in strata):
        outcome.missing = "a stratum cannot be computed at every state"
        return
    if sum(sizes[name] for name in taking) != len(members):
        outcome.missing = "the splits do not hold the declared numbers of states"
        return
    due = np.full(frame.size, -1, np.int64)
    order = resampling.stratified_order(declared.seed, strata, len(members))
    for name, places in zip(taking, resampling.deal(order, [sizes[name] for name in taking]), strict=True):
        due[members[places]] = names.index(name)
    wrong, message = members[due[members] != codes[members]], "The declared seed deals this state into another split."
    outcome.rows(frame, wrong, "/split", message, lambda row: names[due[row]])


def _drawn(study: Study, declared: Assignment, outcome: Outcome) -> None:
    """Every state is the member of the population that the declared draw gives it, and looks as that member does."""
    frame = study.frame("observation")
    there = set(declared.order) <= set(frame.texts("split")[1])
    if declared.member not in study.states.observed or not there or not declared.population:
        outcome.missing = "the assignment names a split or a field that is not there"
        return
    numbers = frame.numbers(declared.member)
    # One stream over the splits in their declared order, as whoever drew them had it.
    drawing = Random(declared.seed)
    for split in declared.order:
        states = states_of(study, split)
        outcome.inspected += len(states)
        due = np.array([drawing.randrange(declared.population) for _ in range(len(states))], np.int64)
        wrong = numbers[states] != due
        message = "The declared draw gives the state another member."
        outcome.rows(frame, states[wrong], f"/{declared.member}", message, due[wrong], numbers[states[wrong]])
    content = _content_codes(frame.table.drop_columns(["state", "split", "block", "legal", declared.member]))
    first: dict[float, int] = {}
    members = enumerate(numbers.tolist())
    odd = [row for row, member in members if content[first.setdefault(member, row)] != content[row]]
    expected = [f"as {frame.text('state', first[float(numbers[row])])}" for row in odd]
    message = "Two draws of one member look different."
    outcome.rows(frame, np.array(odd, np.int64), f"/{declared.member}", message, expected)


@check("split.duplicates", "states")
def duplicates(study: Study, outcome: Outcome) -> None:
    if study.declared.identities == "independent-draws":
        outcome.not_applicable = "states are independent draws, so that two may look alike"
        return
    frame = study.frame("observation")
    outcome.inspected = frame.size
    splits, names = frame.texts("split")
    content = frame.table.drop_columns(["state", "split", "block"])
    # Where nothing but the legal actions is recorded, sameness cannot be seen.
    seen = np.zeros(frame.size, np.bool_)
    for name in content.column_names:
        if name != "legal":
            seen |= content.column(name).is_valid().to_numpy()
    codes, rows = _content_codes(content), np.flatnonzero(seen)
    if _all_differ(codes):
        return
    first = np.empty(int(codes.max(initial=-1)) + 1, np.int64)
    first[codes[rows[::-1]]] = rows[::-1]
    before = first[codes[rows]]
    again = splits[before] != splits[rows]
    expected, found = (
        [f"{word}{frame.text('state', row)} in {names[splits[row]]}" for row in some[again].tolist()]
        for word, some in (("only ", before), ("", rows))
    )
    message = "The same observation is in another split under another id."
    outcome.rows(frame, rows[again], "/state", message, expected, found)


def _content_codes(content: pa.Table) -> Index:
    """A small integer per row, equal where rows say the same."""
    codes = np.zeros(content.num_rows, np.int64)
    # Flat columns first: they usually tell all rows apart, and nested ones take long to compare.
    for column in sorted(content.columns, key=lambda column: bool(pa.types.is_nested(column.type))):
        if column.null_count < len(column):
            array = one_chunk(column)
            here = blocks.codes_of(array)
            if pa.types.is_list(array.type):
                # An empty list and an absent one show the player the same.
                here[pc.list_value_length(array).fill_null(0).to_numpy() == 0] = -1
            codes = codes if (here == here[0]).all() else blocks.paired(codes, here)
            if _all_differ(codes):
                break
    return codes


def _all_differ(codes: Index) -> bool:
    """Whether each row has a number of its own: as many numbers as rows, and none left out."""
    low, high = (int(codes.min()), int(codes.max())) if len(codes) else (0, 0)
    return high - low == len(codes) - 1 and bool(np.bincount(codes - low).all())


def _told_apart(study: Study, outcome: Outcome, *kinds: str) -> bool:
    """Reports records with the same key. Returns whether observations have distinct keys, so that records can join."""
    for kind in ("observation", *kinds):
        frame = study.frame(kind)
        if frame.repeats:
            row = min(frame.repeats)
            outcome.missing = f"{frame.place(row)[0]} has {' '.join(frame.key(row).values())} twice"
            return kind != "observation"
    return True


@check("join.teacher", "states")
def teacher(study: Study, outcome: Outcome) -> None:
    frame = study.frame("teacher")
    taught_by = (study.declared.shows_teacher(candidate.interface) for candidate in study.candidates)
    if not frame.size and not any(taught_by):
        outcome.not_applicable = "no policy uses a teacher"
        return
    observations = study.frame("observation")
    if not _told_apart(study, outcome, "teacher"):
        return
    outcome.inspected = observations.size
    places = study.joined.state_of("teacher")
    outcome.rows(frame, places < 0, "/state", "No single observation has this state.", "one observation")
    taught = np.zeros(observations.size, np.bool_)
    taught[places[places >= 0]] = True
    outcome.rows(observations, ~taught, "/state", "The state has no teacher record.", "one teacher record", "none")


@check("join.trace", "traces")
def trace(study: Study, outcome: Outcome) -> None:
    frame = study.frame("trace")
    observations = study.frame("observation")
    if not _told_apart(study, outcome, "trace"):
        return
    outcome.inspected = frame.size
    states, candidates = study.joined.state, study.joined.candidate
    outcome.rows(frame, states < 0, "/state", "No single observation has this state.", "one observation")

    def named(row: int) -> str:
        return f"{frame.text('arm', row)}@{frame.text('scale', row)}"

    message = "No single candidate of the bank has this arm and scale."
    outcome.rows(frame, candidates < 0, "/arm", message, "one candidate", named)
    # A split is traced for a candidate wholly or not at all.
    known = (states >= 0) & (candidates >= 0)
    study.evidence.require_memory("candidates x states", len(study.candidates), observations.size, width=1)
    present = np.zeros((len(study.candidates), observations.size), np.bool_)
    present[candidates[known], states[known]] = True
    splits, names = observations.texts("split")
    for split in distinct(splits).tolist():
        members = np.flatnonzero(splits == split)
        traced = present[:, members]
        if not traced.any():
            if study.bank.roles.get(names[split]) in ("calibration", "held-out"):
                outcome.missing = f"{names[split]} was not traced"
            continue
        for place, candidate in enumerate(study.candidates):
            name = candidate.name
            if candidate.splits is not None and names[split] not in candidate.splits:
                beyond = known & (candidates == place) & np.isin(states, members)
                message = f"The candidate {name} is not declared to be traced on this split."
                outcome.rows(frame, beyond, "/split", message, ", ".join(candidate.splits))
                continue
            absent, message = members[~traced[place]], f"The candidate {name} has no trace at this state."
            outcome.rows(observations, absent, "/state", message, f"one trace of {name}", "none")


@check("join.values", "states")
def values(study: Study, outcome: Outcome) -> None:
    frame = study.frame("values")
    if not _told_apart(study, outcome, "values"):
        return
    places = study.joined.state_of("values")
    outcome.rows(frame, places < 0, "/state", "No single observation has this state.", "one observation")
    observations = study.frame("observation")
    traced = distinct(study.joined.state[(study.joined.state >= 0) & study.joined.to_be_scored])
    outcome.inspected = len(traced)
    evaluators = study.declared.evaluators
    for evaluator in sorted({evaluators.utility, evaluators.risk}):
        valued = np.zeros(observations.size, np.bool_)
        valued[places[frame.says("evaluator", evaluator) & (places >= 0)]] = True
        absent = traced[~valued[traced]]
        message = f"The state has no single record of {evaluator} action values."
        outcome.rows(observations, absent, "/state", message, f"one {evaluator} record", "none")


@check("join.score", "traces")
def score(study: Study, outcome: Outcome) -> None:
    traces, scores = study.frame("trace"), study.frame("score")
    _told_apart(study, outcome, "trace", "score")
    outcome.inspected = traces.size
    joined = study.joined.score
    outcome.rows(
        traces, (joined == -1) & study.joined.to_be_scored, "/state", "The trace has no score.", "one score", "none"
    )
    unscored = np.ones(scores.size, np.bool_)
    unscored[joined[joined >= 0]] = False
    unscored[[row for pair in scores.repeats.items() for row in pair]] = False
    outcome.rows(scores, unscored, "/state", "The score has no trace.", "one trace", "none")
