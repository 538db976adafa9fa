"""Students as policies: from frozen weights and observations alone, at every scale of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sealtrace.bundle.content import document_digest
from sealtrace.bundle.model import TypedDocument
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import Index, Vector, networks
from sealtrace.mathematics.bounds import risk_at_most, risk_upper_of
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.mathematics import students
from sealtrace.studies.games.records import Distillation, Student

ARMS = ("no-residual", "fixed", "calibrated")
"""The scale 0, the declared fixed scale, and the scale that calibration takes."""


class Students:
    """The students of a study that declares a distillation."""

    def __init__(self, study: GameStudy, declared: TypedDocument[Distillation]) -> None:
        self.study, self.path, self.declared = study, declared.path, declared.record

    @cached_property
    def documents(self) -> dict[str, TypedDocument[Student]]:
        """Run to the document of its weights; a run with two has none."""
        found: dict[str, list[TypedDocument[Student]]] = {}
        for document in self.study.bundle.sealed(Student):
            found.setdefault(document.record.run, []).append(document)
        return {run: documents[0] for run, documents in found.items() if len(documents) == 1}

    def digest(self, run: str) -> str:
        return document_digest(self.documents[run].value)

    @cached_property
    def scales(self) -> Vector:
        return np.array([float(exact(scale)) for scale in self.declared.scales])

    def problem(self, run: str) -> tuple[str, str, str] | None:
        """(field, expected, found) where weights cannot be run on the declared features."""
        student = self.documents[run].record
        for head, layers in (("base", student.base), ("residual", student.residual)):
            wrong = networks.misfit(layers, len(self.declared.features), 3)
            if wrong is not None:
                return f"/{head}{wrong[0]}", wrong[1], wrong[2]
        return None

    @cached_property
    def inputs(self) -> Vector:
        return students.features(self.study.game, self.declared.features)

    @cached_property
    def by_run(self) -> dict[str, Vector]:
        """Run to scale × information set × action, where its weights can be run."""
        if np.isnan(self.inputs).any():
            return {}
        found = {}
        for run, document in self.documents.items():
            if self.problem(run) is None:
                base, residual = map(networks.layers_of, (document.record.base, document.record.residual))
                policies = students.student_policies(self.study.game, self.inputs, base, residual, self.scales)
                if np.isfinite(policies).all():
                    found[run] = policies
        return found

    @cached_property
    def policies(self) -> dict[str, Vector]:
        """`run@scale` to its policy."""
        return {
            f"{run}@{scale}": policies[place]
            for run, policies in self.by_run.items()
            for place, scale in enumerate(self.declared.scales)
        }

    @cached_property
    def evaluators(self) -> tuple[Vector, Vector] | None:
        """Weak and strong action values; None where the teacher's profile is not whole."""
        teacher = self.study.profiles.get(self.declared.teacher)
        if teacher is None:
            return None
        return students.evaluators(self.study.game, teacher, float(exact(self.declared.smoothing)))

    @cached_property
    def samples(self) -> dict[str, Index]:
        """The drawn states: of `calibration` and of `held_out`."""
        drawn = {"calibration": self.declared.calibration, "held_out": self.declared.held_out}
        return {name: students.sample(self.study.game, each.seed, each.draws) for name, each in drawn.items()}

    def _beyond(self, policies: Vector, run: str) -> Vector:
        """Policy × information set: the strong value less that of the run's base, and tau; violated below zero."""
        assert self.evaluators is not None
        lost = students.deltas(policies, self.evaluators[1], self.by_run[run][0])
        return lost + float(exact(self.declared.tau))

    def violated(self, policies: Vector, run: str, states: Index) -> Index:
        """How many drawn states each policy violates: its strong value lies more than tau below that of the base."""
        counts: Index = (self._beyond(policies, run)[:, states] < 0).sum(axis=1)
        return counts

    def nearest_to_threshold(self, run: str) -> float:
        """How near any strong delta of a student lies to the threshold: rounding must not decide."""
        return float(np.abs(self._beyond(self.by_run[run], run)).min())

    @cached_property
    def calibrated(self) -> dict[str, list[Calibrated]]:
        """Every run that can be judged: each scale with its count, its bound, and whether it is certified."""
        if self.evaluators is None:
            return {}
        states, budget = self.samples["calibration"], exact(self.declared.epsilon)
        share = exact(self.declared.zeta) / len(self.scales)
        return {
            run: [
                Calibrated(
                    int(count),
                    len(states),
                    risk_upper_of(int(count), len(states), share),
                    risk_at_most(int(count), len(states), share, budget),
                )
                for count in self.violated(self.by_run[run], run, states)
            ]
            for run in self.by_run
        }

    def chosen(self, run: str) -> int | None:
        """The place of the largest certified scale; None where there is none."""
        certified = [place for place, each in enumerate(self.calibrated[run]) if each.certified]
        return certified[-1] if certified else None

    def candidate(self, arm: str, run: str) -> str | None:
        """The candidate that an arm deploys for a run; None where calibration certifies none."""
        scales = self.declared.scales
        if arm == "no-residual":
            return f"{run}@{scales[0]}"
        if arm == "fixed":
            return f"{run}@{self.declared.fixed}"
        place = self.chosen(run)
        return None if place is None else f"{run}@{scales[place]}"


@dataclass(frozen=True)
class Calibrated:
    """One student at one scale on the calibration states."""

    violations: int
    states: int
    bound: float
    certified: bool


@once
def students_of(study: GameStudy) -> Students | None:
    """The students of a study, computed once; None where it declares no distillation."""
    declared = study.bundle.only(Distillation)
    return None if declared is None else Students(study, declared)
