"""Whether something that policies may see gives what only evaluators know.

A label can be shown under any name, so that names prove nothing: every field that an interface shows, every declared
feature and every sealed direction without weights is compared with the action values, and with what each policy
reaches by them. Policies are replayed for this, so that no trace is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.frames import Index, Mask, Matrix, Vector
from sealtrace.checks.outcome import FindingPlace, Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.replaying import replay_of, sealed_directions
from sealtrace.studies.policies.evidence.states import States
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.mathematics import leaks as mathematics
from sealtrace.studies.policies.mathematics.policies import top_action
from sealtrace.studies.policies.mathematics.scores import expected_utility
from sealtrace.studies.policies.records.protocol import RuleGiven

MOST_COMPARED = 2**11
"""States of each split that are compared. What a field gives at all states it gives at these."""
MOST_ITEMS = 16
"""Places of a list that are compared one by one."""


MOST_SURE = 1 - 1e-6
"""A level of one would leave shuffled labels no chance at all."""


@dataclass(frozen=True, eq=False)
class _Column:
    """Something that policies may see, or what only evaluators know, at every compared state; NaN where absent."""

    name: str
    values: Vector
    numbers: bool
    """Whether its order means something; otherwise values are codes of names."""
    field: str = ""
    """The observation's field that it comes from."""
    pointer: str = ""
    source: str | None = None
    actions: bool = False
    """Whether its codes are places of actions."""
    of_choice: bool = False
    """Whether it is a value of the action that a policy takes: its few classes may be what the policy itself sees."""

    @cached_property
    def known(self) -> Mask:
        """Where there is a value."""
        return np.isfinite(self.values)

    @cached_property
    def gaps(self) -> bytes:
        """Where there is none, for comparison: most columns have the same."""
        return np.packbits(~self.known).tobytes()


@check("boundary.leaks", "comparisons")
def leaks(study: Study, outcome: Outcome) -> None:
    states = _compared(study)
    shown = [column for column in _shown(study, states) if _varies(column)]
    if not shown:
        outcome.not_applicable = "no interface shows anything that varies"
        return
    evaluators = sorted(set(study.frame("values").texts("evaluator")[1]))
    values = {name: np.where(states.legal.named, states.evaluator(name), np.nan) for name in evaluators}
    ruled = _ruled(study, states, outcome, values)
    targets = [column for column in _targets(study, states, values, ruled) if _varies(column)]
    declared = study.declared.boundary
    text = (declared.level if declared else None) or mathematics.USUAL_LEVEL
    at = outcome.at(study.evidence.protocol_path)
    if exact(text) > exact(mathematics.USUAL_LEVEL):
        message = "The declared level lets fields pass that give a value but for a little noise."
        at.warning("/boundary/level", message, f"at most {mathematics.USUAL_LEVEL}", text)
    parts = list(_parts(states, shown))
    outcome.inspected = len(shown) * len(targets) * len(parts)
    if not outcome.inspected:
        outcome.not_applicable = "no value varies over enough states for a field to give it"
        return
    guilty: set[str] = set()
    comparing = _Comparing(min(as_double(exact(text)), MOST_SURE), parts)
    comparing.count(shown, targets)
    for column in shown:
        if not column.field or column.field not in guilty:
            found = [(target, how) for target in targets if (how := comparing.relation(column, target))]
            if found:
                guilty.add(column.field)
                _accuse(outcome, column, found)
    left = [column for column in shown if not column.field or column.field not in guilty]
    _together(outcome.at(study.evidence.protocol_path), left, targets)


def _together(at: FindingPlace, shown: list[_Column], targets: list[_Column]) -> None:
    """Warns of the simplest value that several visible numbers give exactly, by a sum with weights.

    A label may be hidden in a sum, such as with the pot; or the game may pay so, which is then declared. No record
    tells which of the two it is.
    """
    numbers = [column for column in shown if column.numbers and column.known.all()]
    if len(numbers) < 2:
        return
    table = np.column_stack([column.values for column in numbers])
    places = mathematics.independent(table)
    numbers, table = [numbers[place] for place in places], table[:, places]
    for target in targets:
        if (
            target.numbers
            and target.known.all()
            and (weights := mathematics.exact_sum(table, target.values)) is not None
        ):
            used = [f"{weight:.6g} × {column.name}" for column, weight in zip(numbers, weights, strict=True) if weight]
            message = (
                f"Policies are shown what gives {target.name} exactly, up to a constant: {' + '.join(used)}. Hide what "
                "holds the value, or declare the rule of the game under /boundary/given."
            )
            at.warning("/interfaces", message, "fields that give no sealed value", target.name)
            return


def _accuse(outcome: Outcome, column: _Column, found: list[tuple[_Column, str]]) -> None:
    target, how = found[0]
    others = f", and {len(found) - 1} more" if len(found) > 1 else ""
    message = (
        f"Policies are shown {column.name}, which gives {target.name}{others}: {how}. A certificate of a policy that "
        "sees its own score is worth nothing. Hide the field; a value that the rules of the game give is declared "
        "under /boundary/given."
    )
    outcome.at(column.source).error(column.pointer, message, "a field that gives no sealed value", column.name)


class _Comparing:
    """Comparisons of columns, each of which is ranked once for the same rows."""

    def __init__(self, level: float, parts: list[Mask]) -> None:
        self._level, self._parts, self._comparisons = level, parts, 0
        self._rows: dict[bytes, Index] = {}
        self._found: dict[tuple[bytes, bytes], list[bytes]] = {}
        self._ranked: dict[tuple[_Column, bytes], mathematics.RankedColumn] = {}

    def count(self, shown: list[_Column], targets: list[_Column]) -> None:
        """Counts the pairs whose classes may agree: only these can agree by chance."""
        self._comparisons = sum(
            mathematics.comparable(self._of(column, key), self._of(target, key), self._level) is not None
            for column in shown
            for target in targets
            for key in self._shared(column, target)
        )

    def relation(self, column: _Column, target: _Column) -> str | None:
        """How a visible column gives a target, over all states or in one split; None where it does not."""
        numbers = column.numbers and target.numbers
        for key in self._shared(column, target):
            field, hidden = self._of(column, key), self._of(target, key)
            ordered = numbers and mathematics.orders(field, hidden, self._level)
            rows = self._rows[key]
            named = target.actions and not column.numbers and _equal_names(column.values[rows], target.values[rows])
            told = not target.of_choice or hidden.distinct >= mathematics.MIN_DISTINCT
            if ordered or named or (told and mathematics.classifies(field, hidden, self._level, self._comparisons)):
                how = mathematics.described(column.values[rows], target.values[rows], numbers=numbers)
                return f"{'the two are equal' if named else how} at {len(rows)} states"
        return None

    def _shared(self, column: _Column, target: _Column) -> list[bytes]:
        """The rows of all states, and of each split, in which neither column has a gap; each once."""
        gaps = column.gaps, target.gaps
        if gaps not in self._found:
            masks = [part & column.known & target.known for part in self._parts]
            found = {np.packbits(mask).tobytes(): np.flatnonzero(mask) for mask in masks}
            self._rows |= found
            self._found[gaps] = list(found)
        return self._found[gaps]

    def _of(self, column: _Column, key: bytes) -> mathematics.RankedColumn:
        if (column, key) not in self._ranked:
            self._ranked[column, key] = mathematics.ranked(column.values[self._rows[key]])
        return self._ranked[column, key]


def _equal_names(field: Vector, target: Vector) -> bool:
    """Whether names of actions are the same; names that agree so often need no other chance."""
    varies = bool((target != target[:1]).any())
    return varies and len(target) >= mathematics.MIN_DISTINCT and np.array_equal(field, target)


def _varies(column: _Column) -> bool:
    known = column.values[column.known]
    return bool((known != known[:1]).any())


def _parts(states: States, shown: list[_Column]) -> Iterator[Mask]:
    """All states, and those of each split: a label may be shown in one of them only.

    States that look the same count once: whatever follows from what is seen is equal in them.
    """
    codes, names = states.frame("observation").texts("split")
    seen = np.column_stack([codes, *(np.nan_to_num(column.values, nan=np.inf) for column in shown if column.field)])
    different = np.zeros(len(codes), np.bool_)
    different[np.unique(seen, axis=0, return_index=True)[1]] = True
    yield different
    if len(names) > 1:
        for code in range(len(names)):
            yield (codes == code) & different


@once
def _compared(study: Study) -> States:
    """The states that are compared: all, or of each split as many as are enough, evenly spread."""
    observations = study.frame("observation")
    codes, names = observations.texts("split")
    taken = np.zeros(observations.size, np.bool_)
    for code in range(-1, len(names)):
        # Spread over the split: states that lie together in a file are often alike.
        rows = np.flatnonzero(codes == code)
        taken[rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_COMPARED)).astype(np.int64)]] = True
    if taken.all():
        return study.states
    frames = {"observation": observations.subset(np.flatnonzero(taken))}
    for kind in ("teacher", "values", "residual"):
        frame = study.frame(kind)
        places = study.states.places_of(frame)
        frames[kind] = frame.subset(np.flatnonzero((places >= 0) & taken[places]))
    return study.with_rows({**study.evidence.frames, **frames}).states


# What policies may see


def _shown(study: Study, states: States) -> Iterator[_Column]:
    declared, frame, protocol = study.declared, states.frame("observation"), study.evidence.protocol_path
    seen, ids = set[str](), states.ids.to_pylist()
    for interface, fields in declared.interfaces.items():
        for index, field in enumerate(fields):
            if field in states.observed and field not in seen:
                seen.add(field)
                pointer = f"/interfaces/{interface}/{index}"
                met: set[tuple[bytes, bool]] = set()
                for name, values, numbers in _numbered(field, frame.column(field), ids, study.actions):
                    if (written := (values.tobytes(), numbers)) not in met:
                        met.add(written)
                        yield _Column(f"the field {name}", values, numbers, field, pointer, protocol)
    for name, feature in declared.features.items():
        pointer = f"/features/{name}/field"
        yield _Column(f"the feature {name}", states.feature(name), True, feature.field, pointer, protocol)
    residuals, weighed = states.frame("residual"), {weights.family for weights in study.bank.checkpoints.values()}
    for family in dict.fromkeys(candidate.family for candidate in study.candidates):
        # Directions that weights give from features hold nothing that the features do not.
        if family not in weighed and (directions := sealed_directions(states, family)) is not None:
            for place, action in enumerate(study.actions):
                name, source = f"the direction of {family} for {action}", residuals.paths[0]
                yield _Column(name, directions[:, place], True, "", f"/direction/{action}", source)


def _numbered(name: str, column: pa.Array, ids: list[str], actions: list[str]) -> Iterator[tuple[str, Vector, bool]]:
    """A field as columns of numbers, or of codes of its texts, of actions their places; a list or object by parts."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        yield name, column.cast(pa.float64()).fill_null(float("nan")).to_numpy(zero_copy_only=False), True
        return
    rows = column.to_pylist()
    texts = [row if row is None or isinstance(row, str) else repr(row) for row in rows]
    yield name, _coded(texts, actions), False
    # An identifier is no feature: what is glued to it may be one.
    bare = [text and text.replace(state, " ", 1) for text, state in zip(texts, ids, strict=True)]
    yield f"{name} (without the state's name)", _coded(bare, actions), False
    # Where nothing has a sign, both patterns of numbers find the same.
    parted = _PARTS if any(sign in text for text in texts if text for sign in "+-") else _PARTS[1:]
    for written, (pattern, what) in product((texts,) if bare == texts else (texts, bare), parted):
        found = [pattern.findall(text or "") for text in written]
        for place in range(-1, min(max(map(len, found)), MOST_ITEMS)):
            parts = [row[place] if len(row) > max(0, place) else None for row in found]
            numbers = what == "number"
            values = np.array(parts, np.float64) if numbers else _coded(parts, actions)
            yield f"{name} ({f'{what} {place + 1}' if place >= 0 else f'the last {what}'} of its text)", values, numbers
    if pa.types.is_struct(kind):
        for place, part in enumerate(kind):
            yield from _numbered(f"{name}.{part.name}", pc.struct_field(column, place), ids, actions)
    elif pa.types.is_list(kind):
        lengths = pc.list_value_length(column).cast(pa.float64()).fill_null(float("nan"))
        yield f"{name} (its length)", lengths.to_numpy(zero_copy_only=False), True
        longest = int(pc.max(pc.list_value_length(column)).as_py() or 0)
        for place in range(min(longest, MOST_ITEMS)):
            items = [None if row is None or len(row) <= place else row[place] for row in rows]
            yield from _numbered(f"{name}[{place}]", pa.array(items, kind.value_type), ids, actions)


_DIGITS = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?"
_PARTS = (
    (re.compile(rf"[+-]?{_DIGITS}", re.ASCII), "number"),
    # Behind a letter or digit a hyphen joins: s17-0.25.
    (re.compile(rf"(?:(?<![\w.])[+-])?{_DIGITS}", re.ASCII), "number"),
    (re.compile(r"[^\W\d_]+"), "word"),
)
"""What may stand within a text."""


def _coded(texts: list[str | None], actions: list[str]) -> Vector:
    names = dict.fromkeys([*actions, *(text for text in texts if text is not None)])
    known = {name: float(code) for code, name in enumerate(names)}
    return np.array([np.nan if text is None else known[text] for text in texts])


# What only evaluators know


def _ruled(study: Study, states: States, outcome: Outcome, values: dict[str, Matrix]) -> set[int]:
    """The actions whose value follows by a declared rule, for every evaluator; each rule is verified and listed."""
    found = set()
    rules = (study.declared.boundary.given if study.declared.boundary else None) or []
    for index, rule in enumerate(rules):
        spot = outcome.at(study.evidence.protocol_path, {"action": rule.action})
        if (place := _verified(study, states, values, rule, f"/boundary/given/{index}", spot)) is not None:
            found.add(place)
    if len(found) == len(study.actions):
        message = "Rules give every action's value, so that there is nothing left for an evaluator to say."
        outcome.at(study.evidence.protocol_path).error("/boundary/given", message, "an action without a rule")
        return set()
    return found


def _verified(
    study: Study, states: States, values: dict[str, Matrix], rule: RuleGiven, pointer: str, spot: FindingPlace
) -> int | None:
    frame = states.frame("observation")
    total = np.full(frame.size, as_double(exact(rule.constant)))
    for field, weight in rule.terms.items():
        if field not in states.observed or not _is_number(frame.column(field).type):
            spot.error(f"{pointer}/terms", "The rule names no numeric field of the observation.", found=field)
            return None
        total = total + as_double(exact(weight)) * frame.numbers(field)
    if rule.action not in study.actions:
        spot.error(f"{pointer}/action", "The rule names no action of the protocol.", found=rule.action)
        return None
    place = study.actions.index(rule.action)
    for name, table in values.items():
        valued: Index = np.flatnonzero(np.isfinite(table[:, place]))
        distance = np.abs(total[valued] - table[valued, place])
        wrong = ~(distance <= study.tolerance * np.maximum(1.0, np.abs(table[valued, place])))
        if wrong.any():
            at = int(valued[np.flatnonzero(wrong)[0]])
            message = f"The rule does not give what {name} says of {rule.action} at state {states.ids[at].as_py()}."
            spot.error(pointer, message, float(table[at, place]), float(total[at]))
            return None
    parts = [*([rule.constant] if exact(rule.constant) else []), *(f"{w} × {field}" for field, w in rule.terms.items())]
    message = f"By rule, {rule.action} is worth {' + '.join(parts) or '0'} to every evaluator, at every compared state."
    spot.note(pointer, f"{message} A field that gives this value is no leak.")
    return place


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _targets(study: Study, states: States, values: dict[str, Matrix], ruled: set[int]) -> Iterator[_Column]:
    """Values, their order, and what each policy reaches; equal columns once, under the simplest name."""
    seen: set[bytes] = set()
    for column in _every_target(study, states, values, ruled):
        if (written := column.values.tobytes()) not in seen:
            seen.add(written)
            yield column


def _every_target(study: Study, states: States, values: dict[str, Matrix], ruled: set[int]) -> Iterator[_Column]:
    actions, legal = study.actions, states.legal.named
    whole = {name: np.isfinite(np.where(legal, table, 0.0)).all(axis=1) for name, table in values.items()}
    for name, table in values.items():
        for place, action in enumerate(actions):
            if place not in ruled:
                yield _Column(f"what {name} says of {action}", table[:, place], True)
        for one, other in combinations(range(len(actions)), 2):
            if not {one, other} <= ruled:
                difference = table[:, one] - table[:, other]
                yield _Column(f"what {name} says of {actions[one]} less {actions[other]}", difference, True)
                better = np.where(np.isfinite(difference), difference > 0, np.nan)
                yield _Column(f"whether {name} prefers {actions[one]} to {actions[other]}", better, True)
        filled = np.where(legal, table, -np.inf)
        best = np.where(whole[name], filled.max(axis=1), np.nan)
        yield _Column(f"the value of the best action by {name}", best, True)
        top = np.where(whole[name], top_action(np.where(legal, table, np.nan), legal), np.nan)
        yield _Column(f"the best action by {name}", top, False, actions=True)
        # Actions of equal value come in either order, as they are listed from the best or from the worst.
        for worth in (-filled, filled):
            order = np.argsort(worth, axis=1, kind="stable") @ len(actions) ** np.arange(len(actions))
            yield _Column(f"the order of the actions by {name}", np.where(whole[name], order, np.nan), False)
    yield from _reached(study, states, values)


def _reached(study: Study, states: States, values: dict[str, Matrix]) -> Iterator[_Column]:
    """Scores of every policy that can be replayed: what evaluators expect, its chosen action's value, d and v."""
    named, legal = study.declared.evaluators, states.legal.named
    tables = {name: np.where(legal, table, 0.0) for name, table in values.items()}
    anchor = None if study.bank.anchor is None else replay_of(states, study.bank.anchor)
    tau = as_double(exact(study.declared.tau))
    rows = np.arange(len(legal))
    for place, candidate in enumerate(study.candidates):
        replay = replay_of(states, place)
        if replay is None:
            continue
        policy = np.where(legal, replay.probabilities, 0.0)
        known: Mask = np.asarray(np.isfinite(policy).all(axis=1))
        chosen = np.where(known, top_action(np.where(known[:, None], policy, 0.0), legal), 0)
        for name, table in tables.items():
            expected = expected_utility(policy, table)
            yield _Column(f"what {name} expects of {candidate.name}", expected, True, of_choice=True)
            taken = np.where(known, table[rows, chosen], np.nan)
            yield _Column(f"what {name} says of the action that {candidate.name} takes", taken, True, of_choice=True)
        if anchor is not None and named.risk in tables:
            base = expected_utility(np.where(legal, anchor.probabilities, 0.0), tables[named.risk])
            delta = expected_utility(policy, tables[named.risk]) - base
            yield _Column(f"d of {candidate.name}", delta, True)
            crossed = np.where(np.isfinite(delta), delta < -tau, np.nan)
            yield _Column(f"whether {candidate.name} crosses", crossed, True)
