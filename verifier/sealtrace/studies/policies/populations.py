"""What the arguments of a policy metric mean: candidates, states, populations, and the traces behind them.

Records that are absent or spoilt make a metric missing, never smaller: a population is used only where all
its states are there, and a trace only where everything that it joins is certain.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from sealtrace.contract.scalars import exact
from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, constant_of
from sealtrace.studies.policies.evidence.frame import Index
from sealtrace.studies.policies.evidence.study import Study


def candidate_place(study: Study, text: str) -> int:
    """The bank's candidate that `arm` or `arm@scale` names; scales are compared as numbers."""
    places: dict[tuple[str, Fraction | None], int] = once(
        study,
        "candidate places",
        lambda: {
            (one.arm, None if one.scale is None else exact(one.scale)): place
            for place, one in enumerate(study.candidates)
        },
    )
    arm, _, scale = text.partition("@")
    place = places.get((arm, constant_of(scale) if scale else None))
    if place is None:
        raise RecipeError(f"the bank has no policy {text!r}")
    return place


def state_place(study: Study, text: str) -> int:
    places: dict[str, int] = once(
        study, "state places", lambda: {name: place for place, name in enumerate(study.states.to_pylist())}
    )
    if text not in places:
        raise RecipeError(f"there is no observed state {text!r}")
    return places[text]


def once(study: Study, name: str, compute_it: Callable[[], Any]) -> Any:
    """What many cells need is computed for the first of them."""
    if name not in study.memory:
        study.memory[name] = compute_it()
    return study.memory[name]


def members_of(study: Study, population: str) -> Index:
    """The observed states of a population, in order of their ids."""
    members: Index = once(study, f"members of {population}", lambda: _members_in_order(study, population))
    return members


def _members_in_order(study: Study, population: str) -> Index:
    if (reason := study.incomplete(None if population == "all" else population)) is not None:
        raise MissingEvidenceError(reason)
    splits, names = study.frame("observation").texts("split")
    if population == "all":
        members = np.arange(len(study.states))
    elif population in names:
        members = np.flatnonzero(splits == names.index(population))
    else:
        raise RecipeError(f"there is no population {population!r}; it is `all` or a split")
    ids = [text.encode() for text in study.states.to_pylist()]
    return np.array(sorted(members.tolist(), key=ids.__getitem__), np.int64)


def traces_of(study: Study, arguments: Arguments) -> Index:
    """The traces of a policy over a population or at a state, in order of state."""
    candidate = candidate_place(study, arguments["policy"])
    rows: Index = once(
        study,
        f"traces of {candidate}",
        lambda: study.by_state("trace", np.flatnonzero((study.trace_candidate == candidate) & study.sound("trace"))),
    )
    if "state" in arguments:
        members = np.array([state_place(study, arguments["state"])])
    else:
        members = members_of(study, arguments.get("population", "all"))
    chosen = rows[members]
    if not len(chosen) or (chosen < 0).any():
        raise MissingEvidenceError(f"{arguments['policy']} has no single trace at {int((chosen < 0).sum())} states")
    traces: Index = chosen
    return traces


def scored_traces(study: Study, arguments: Arguments) -> tuple[Index, Index]:
    """Traces, and their places among the recomputed scores."""
    rows = traces_of(study, arguments)
    places: Index = once(study, "places of scores", lambda: _places_of_scores(study))
    if (places[rows] < 0).any():
        raise MissingEvidenceError("a state has no anchor or no action values")
    return rows, places[rows]


def _places_of_scores(study: Study) -> Index:
    places = np.full(study.frame("trace").size, -1, np.int64)
    places[study.scored.rows] = np.arange(len(study.scored.rows))
    return places
