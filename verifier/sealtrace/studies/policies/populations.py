"""What the arguments of a policy metric mean: candidates, states, populations, and the traces behind them.

Records that are absent or spoilt make a metric missing, never smaller: a population is used only where all
its states are there, and a trace only where everything that it joins is certain.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sealtrace.bundle.frames import Index
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.printed.metrics import Arguments, MissingEvidenceError, RecipeError, constant_of
from sealtrace.studies.policies.evidence.outcomes import in_order, states_of, traces_by_state
from sealtrace.studies.policies.evidence.study import Study


def candidate_place(study: Study, text: str) -> int:
    """The bank's candidate that `arm` or `arm@scale` names; scales are compared as numbers."""
    arm, _, scale = text.partition("@")
    place = _candidate_places(study).get((arm, constant_of(scale) if scale else None))
    if place is None:
        raise RecipeError(f"the bank has no policy {text!r}")
    return place


@once
def _candidate_places(study: Study) -> dict[tuple[str, Fraction | None], int]:
    scales = [None if one.scale is None else exact(one.scale) for one in study.candidates]
    return {(one.arm, scale): place for place, (one, scale) in enumerate(zip(study.candidates, scales, strict=True))}


def state_place(study: Study, text: str) -> int:
    if text not in _state_places(study):
        raise RecipeError(f"there is no observed state {text!r}")
    return _state_places(study)[text]


@once
def _state_places(study: Study) -> dict[str, int]:
    return {name: place for place, name in enumerate(study.states.to_pylist())}


@once
def members_of(study: Study, population: str) -> Index:
    """The observed states of a population, in order of their ids."""
    if (reason := study.incomplete(None if population == "all" else population)) is not None:
        raise MissingEvidenceError(reason)
    if population == "all":
        return in_order(study, np.arange(len(study.states)))
    if population not in study.frame("observation").texts("split")[1]:
        raise RecipeError(f"there is no population {population!r}; it is `all` or a split")
    return states_of(study, population)


def traces_of(study: Study, arguments: Arguments) -> Index:
    """The traces of a policy over a population or at a state, in order of state."""
    rows = traces_by_state(study, candidate_place(study, arguments["policy"]))
    if "state" in arguments:
        members = np.array([state_place(study, arguments["state"])])
    else:
        members = members_of(study, arguments.get("population", "all"))
    chosen: Index = rows[members]
    if not len(chosen) or (chosen < 0).any():
        raise MissingEvidenceError(f"{arguments['policy']} has no single trace at {int((chosen < 0).sum())} states")
    return chosen


def scored_traces(study: Study, arguments: Arguments) -> tuple[Index, Index]:
    """Traces, and their places among the recomputed scores."""
    rows = traces_of(study, arguments)
    places = _places_of_scores(study)[rows]
    if (places < 0).any():
        raise MissingEvidenceError("a state has no anchor or no action values")
    return rows, places


@once
def _places_of_scores(study: Study) -> Index:
    places = np.full(study.frame("trace").size, -1, np.int64)
    places[study.scored.rows] = np.arange(len(study.scored.rows))
    return places
