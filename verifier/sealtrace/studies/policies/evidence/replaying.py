"""Distributions recomputed at every observed state, from what each policy was allowed to see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sealtrace.bundle.frames import Matrix, Vector, action_matrix
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.bank import BankCandidate
from sealtrace.studies.policies.evidence.states import States, aligned, network_outputs
from sealtrace.studies.policies.mathematics import policies


@dataclass(frozen=True)
class Replay:
    """A candidate's distribution at every observed state, recomputed."""

    probabilities: Matrix
    normalizers: Vector | None = None
    """None where nothing is normalized."""


@once
def replay_of(states: States, place: int) -> Replay | None:
    """A candidate's distributions, or None where the protocol or the bank does not say how they are formed."""
    declared, candidate, legal = states.bank.declared, states.bank.candidates[place], states.legal.named
    if not states.frame("observation").size:
        return None
    match candidate.policy:
        case "top-action":
            # argmax takes NaN for the largest, so a state without a teacher is said to have none.
            known = np.asarray(np.isfinite(states.teacher).all(axis=1))
            top = np.where(known, policies.top_action(states.teacher, legal), -1)
            return Replay(np.where(known[:, None], policies.point_mass(top, len(states.bank.actions)), np.nan))
        case "anchor" | "tilt" if declared.anchor is None:
            return None
        case "anchor":
            return Replay(smoothed_teacher(states))
        case "tilt":
            unmoved = Replay(smoothed_teacher(states))
        case "student":
            checkpoint = states.bank.checkpoint_of(candidate)
            logits = None if checkpoint is None else network_outputs(states, checkpoint, "base")
            if logits is None:
                return None
            unmoved = _normalized(policies.shifted_exponential(logits, legal))
        case _:
            gated = declared.prior is not None and declared.gate(candidate.arm) is not None
            return _normalized(prior_weights(states)) if gated else None
    # Section 3.2: scale 0 is what is tilted, itself. A tilt by nothing would be normalized again, and so rounded.
    if candidate.scale is None or (scale := as_double(exact(candidate.scale))) == 0:
        return None if candidate.scale is None else unmoved
    if (direction := direction_of(states, candidate)) is None:
        return None
    return _normalized(policies.tilt_weights(unmoved.probabilities, direction, scale, legal))


def _normalized(weights: Matrix) -> Replay:
    return Replay(policies.normalized(weights), policies.normalizers(weights))


def direction_of(states: States, candidate: BankCandidate) -> Matrix | None:
    """A residual direction at every observed state: from its rule, its weights, or as sealed."""
    if candidate.direction is not None:
        return states.affine(candidate.direction) if set(states.bank.actions) <= set(candidate.direction) else None
    if (checkpoint := states.bank.checkpoint_of(candidate)) is not None:
        return network_outputs(states, checkpoint, "residual")
    return sealed_directions(states, candidate.family)


def sealed_directions(states: States, family: str | None) -> Matrix | None:
    """The sealed directions of a family by state, NaN where there is none; None where it has none at all."""
    frame = states.frame("residual")
    sealed = np.flatnonzero(frame.says("family", family))
    if not len(sealed):
        return None
    return aligned(action_matrix(frame, "direction", states.bank.actions), states.by_state("residual", sealed))


@once
def smoothed_teacher(states: States) -> Matrix:
    """The anchor, recomputed from the cached teacher."""
    rule, legal = states.bank.declared.anchor, states.legal.named
    if rule is None:
        return np.full(legal.shape, np.nan)
    return policies.anchor(states.teacher, legal, as_double(exact(rule.teacher)), as_double(exact(rule.uniform)))


@once
def prior_weights(states: States) -> Matrix:
    """The prior of the query policy, before normalization."""
    prior = states.bank.declared.prior
    if prior is None:
        return np.full(states.legal.named.shape, np.nan)
    return policies.prior_weights(states.affine(prior.logits), states.legal.named, as_double(exact(prior.floor)))
