"""States some at a time: the records of a stretch of them as a study of their own, and checks that need no more.

However many states there are, what is computed of them is computed of a stretch and let go. A check that looks at each
state by itself says of all stretches together what it says of the whole, if every record belongs to some stretch.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from sealtrace.bundle.encoding import arrow_array
from sealtrace.bundle.frames import Frame, Index
from sealtrace.bundle.model import UnfinishedBundle
from sealtrace.bundle.shard_columns import NotLaidOutError
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import FUNCTIONS
from sealtrace.contract.result import Place
from sealtrace.studies.policies.evidence.study import Study

BESIDE = ("teacher", "values", "residual")
"""Kinds whose records belong to an observed state each; traces and scores apart."""


class Stretches:
    """The records of states, which must lie in the order of the observations; `NotLaidOutError` where they do not."""

    def __init__(self, study: Study, reading: UnfinishedBundle) -> None:
        """`reading` is the bundle of the study while it is read, whose files of rows are held once."""
        self.study = study
        self._once = True
        """Whether no key was met twice."""
        self._states: dict[str, Index] = {}
        for kind in BESIDE:
            frame = study.frame(kind)
            self._states[kind] = frame.lookup("state", study.states.ids)
            for start, stop in frame.extents():
                places = self._states[kind][start:stop]
                if len(places) and (places[0] < 0 or (places[1:] < places[:-1]).any()):
                    raise NotLaidOutError(f"{kind} records are not in the order of the observations")
            _name_states_once(frame, study.states.ids)
        _name_states_once(study.frame("observation"), study.states.ids)
        _release(study, reading)

    def part(self, start: int, stop: int) -> Study:
        """The records of the states from `start` up to `stop`, as a study."""
        frames = {**self.study.evidence.frames, "observation": self.study.frame("observation").stretch(start, stop)}
        names, joined = self.study.states.ids.slice(start, stop - start), {}
        for kind, states in self._states.items():
            frame = self.study.frame(kind)
            # Of the same type as where they are looked for, or numpy would convert all of that.
            sought = np.array((start, stop), states.dtype)
            ends = [low + np.searchsorted(states[low:high], sought) for low, high in frame.extents()]
            inside = [(int(low), int(high)) for low, high in ends if low < high] or [(0, 0)]
            frames[kind] = Frame.concatenated([frame.stretch(*extent) for extent in inside])
            joined[kind] = np.concatenate([states[low:high] for low, high in inside]) - sought[0]
            # By reference to the names of the stretch: a look through all names each time would be too long.
            frames[kind].replace_column("state", pa.DictionaryArray.from_arrays(arrow_array(joined[kind]), names))
        return self.study.with_rows(frames, joined)

    def judge(self, part: Study) -> None:
        """Sees whether a stretch holds a key twice; no two stretches can share one."""
        self._once = self._once and not any(part.frame(kind).repeats for kind in BESIDE)

    def settle(self) -> None:
        """After the last stretch: what was seen of all of them is known of the whole."""
        for kind in BESIDE if self._once else ():
            self.study.frame(kind).has_single_keys()


def _name_states_once(frame: Frame, states: pa.Array) -> None:
    """Has rows refer to the observations' names, where theirs are the same, so that those are held once."""
    column = frame.column("state") if frame.size else states
    if pa.types.is_dictionary(column.type) and column.dictionary.equals(states):
        frame.replace_column("state", pa.DictionaryArray.from_arrays(column.indices, states))
    elif column.equals(states) and frame.size:
        frame.replace_column("state", states)


def _release(study: Study, reading: UnfinishedBundle) -> None:
    """Has files of rows be stretches of their kind's columns, so that what those replaced is not held as well."""
    held = {store.path: place for place, store in enumerate(reading.stores)}
    for kind in ("observation", *BESIDE):
        frame = study.frame(kind)
        for path, (start, stop) in zip(frame.paths, frame.extents(), strict=True):
            store, table = reading.stores[held[path]], frame.table.slice(start, stop - start)
            whole = table if store.whole is store.table else store.whole
            refused = store.refused if store.refused.num_rows else table.slice(0, 0)
            reading.stores[held[path]] = replace(store, table=table, whole=whole, refused=refused)


class ByStretch(Outcome):
    """What a check says of one stretch after another; of equal differences, the one is kept that the whole shows."""

    def __init__(self, check: str) -> None:
        function, unit = FUNCTIONS[check]
        super().__init__(check, unit)
        self._function = function
        self._met: dict[tuple[str, str], Place] = {}
        self._total = 0

    def look(self, part: Study) -> None:
        """One more stretch."""
        if self.plain:
            self._function(part, self)
            self._total, self.inspected = self._total + self.inspected, 0

    @property
    def plain(self) -> bool:
        """Whether nothing was said but how much there is; otherwise the check must look at the whole."""
        return not (any(self.counts.values()) or self.missing or self.not_applicable)

    def difference(self, value: float, frame: Frame, row: int, field: str) -> None:
        known = self._met.get((frame.kind, field))
        if known is None or value >= known.value:
            self.largest = None
            super().difference(value, frame, row, field)
            assert self.largest is not None
            # Stretches come in the order of traces, and the whole would be looked at in the order of files and rows.
            met = [place for place in (known, self.largest) if place is not None]
            self._met[frame.kind, field] = min(
                met, key=lambda place: (-place.value, frame.paths.index(place.source), place.line or 0)
            )

    def settled(self) -> Outcome:
        """What the check says of all stretches."""
        # max keeps the first of equals, and fields come in the order in which the check compares them.
        largest = max(self._met.values(), key=lambda place: place.value, default=None)
        return Outcome(self.check, self.unit, self._total, largest=largest)
