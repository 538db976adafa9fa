"""Distributions recomputed at every observed state, from what each policy was allowed to see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sealtrace.bundle.frames import Matrix, Vector, action_matrix
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics.exact import as_double
from sealtrace.studies.policies.evidence.bank import Candidate, network_outputs
from sealtrace.studies.policies.evidence.study import Study, aligned
from sealtrace.studies.policies.mathematics import policies


@dataclass(frozen=True)
class Replay:
    """A candidate's distribution at every observed state, recomputed."""

    probabilities: Matrix
    normalizers: Vector | None = None
    """None where nothing is normalized."""


@once
def replay_of(study: Study, place: int) -> Replay | None:
    """A candidate's distributions, or None where the protocol or the bank does not say how they are formed."""
    declared, candidate, legal = study.declared, study.candidates[place], study.legal.named
    if not study.frame("observation").size:
        return None
    match candidate.policy:
        case "top-action":
            # argmax takes NaN for the largest, so a state without a teacher is said to have none.
            known = np.asarray(np.isfinite(study.teacher).all(axis=1))
            top = np.where(known, policies.top_action(study.teacher, legal), -1)
            return Replay(np.where(known[:, None], policies.point_mass(top, len(study.actions)), np.nan))
        case "anchor" | "tilt" if declared.anchor is None:
            return None
        case "anchor":
            return Replay(smoothed_teacher(study))
        case "tilt":
            unmoved = Replay(smoothed_teacher(study))
        case "student":
            checkpoint = study.checkpoint_of(candidate)
            logits = None if checkpoint is None else network_outputs(study, checkpoint, "base")
            if logits is None:
                return None
            unmoved = _normalized(policies.shifted_exponential(logits, legal))
        case _:
            gated = declared.prior is not None and declared.gate(candidate.arm) is not None
            return _normalized(prior_weights(study)) if gated else None
    if candidate.scale is None or (scale := as_double(exact(candidate.scale))) == 0:
        return None if candidate.scale is None else unmoved
    if (direction := direction_of(study, candidate)) is None:
        return None
    return _normalized(policies.tilt_weights(unmoved.probabilities, direction, scale, legal))


def _normalized(weights: Matrix) -> Replay:
    return Replay(policies.normalized(weights), policies.normalizers(weights))


def direction_of(study: Study, candidate: Candidate) -> Matrix | None:
    """A residual direction at every observed state: from its rule, its weights, or as sealed."""
    if candidate.direction is not None:
        return study.affine(candidate.direction) if set(study.actions) <= set(candidate.direction) else None
    if (checkpoint := study.checkpoint_of(candidate)) is not None:
        return network_outputs(study, checkpoint, "residual")
    return sealed_directions(study, candidate.family)


def sealed_directions(study: Study, family: str | None) -> Matrix | None:
    """The sealed directions of a family by state, NaN where there is none; None where it has none at all."""
    frame = study.frame("residual")
    sealed = np.flatnonzero(frame.says("family", family))
    if not len(sealed):
        return None
    return aligned(action_matrix(frame, "direction", study.actions), study.by_state("residual", sealed))


@once
def smoothed_teacher(study: Study) -> Matrix:
    """The anchor, recomputed from the cached teacher."""
    rule, legal = study.declared.anchor, study.legal.named
    if rule is None:
        return np.full(legal.shape, np.nan)
    return policies.anchor(study.teacher, legal, as_double(exact(rule.teacher)), as_double(exact(rule.uniform)))


@once
def prior_weights(study: Study) -> Matrix:
    """The prior of the query policy, before normalization."""
    prior = study.declared.prior
    if prior is None:
        return np.full(study.legal.named.shape, np.nan)
    return policies.prior_weights(study.affine(prior.logits), study.legal.named, as_double(exact(prior.floor)))
