"""Students are what their weights say, and their calibration is what the drawn states give."""

from __future__ import annotations

import numpy as np

from sealtrace.checks.outcome import USUAL_TOLERANCE, Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.students import Students, students_of

NEAR = 1e-11
"""Closer to the threshold than this, rounding could decide; the count is then not stated."""
SEEDS = ("training_seed", "evaluation_seed", "resampling_seed")


def _students(study: GameStudy, outcome: Outcome) -> Students | None:
    if not study.bundle.documents_of("distillation") and not study.bundle.documents_of("student"):
        outcome.not_applicable = "the study has no students"
        return None
    return students_of(study) if study.playable else None


def _taught(study: GameStudy, outcome: Outcome) -> Students | None:
    """Students with a teacher to be measured against."""
    students = _students(study, outcome)
    if students is not None and students.evaluators is None:
        outcome.missing = "the teacher's profile is not whole"
        return None
    return students


@check("student.declared", "settings", of=_students)
def declared(students: Students, outcome: Outcome) -> None:
    at, settings = outcome.at(students.path), students.declared
    scales, listed = [exact(scale) for scale in settings.scales], ", ".join(settings.scales)
    outcome.inspected = len(scales) + len(settings.features) + 5
    if scales != sorted(set(scales)) or scales[0] != 0:
        at.error("/scales", "Scales ascend from 0.", "ascending scales, the first of them 0", listed)
    if settings.fixed not in settings.scales:
        at.error("/fixed", "The fixed scale is one of the grid.", listed, settings.fixed)
    for place in np.flatnonzero(np.isnan(students.inputs).any(axis=0)).tolist():
        found = settings.features[place]
        at.error(f"/features/{place}", "No such feature is known.", "a feature of information sets", found)
    for name, high in (("smoothing", 1), ("tau", None), ("epsilon", 1), ("zeta", 1)):
        text = getattr(settings, name)
        if exact(text) <= 0 or (high is not None and exact(text) >= high):
            domain = f"above 0{'' if high is None else f' and below {high}'}"
            at.error(f"/{name}", "The declared value is outside its allowed range.", domain, text)
    if settings.calibration.seed == settings.held_out.seed:
        message = "Calibration and held-out states are drawn apart."
        at.error("/held_out/seed", message, "another seed", settings.held_out.seed)


def _runs(students: Students) -> dict[str, list[int]]:
    """Run to its rows, of runs that students name."""
    codes, names = students.study.frame("run").texts("run")
    found: dict[str, list[int]] = {run: [] for run in students.documents}
    for row, code in enumerate(codes.tolist()):
        if code >= 0 and names[code] in found:
            found[names[code]].append(row)
    return found


@check("student.runs", "runs", of=_students)
def runs(students: Students, outcome: Outcome) -> None:
    frame = students.study.frame("run")
    for run, rows in _runs(students).items():
        outcome.inspected += 1
        at = outcome.at(students.documents[run].path)
        if len(rows) != 1:
            at.error("/run", "A student has one run.", "1 run of this name", len(rows))
        for row in rows:
            for field in ("data_order", "checkpoint_rule", "checkpoint_sha256"):
                if frame.text(field, row) is None:
                    outcome.on(frame, row).error(f"/{field}", "The run does not declare this.", "a value", "nothing")


@check("student.seeds", "seeds", of=_students)
def seeds(students: Students, outcome: Outcome) -> None:
    frame = students.study.frame("run")
    columns = {name: frame.numbers(name) for name in SEEDS}
    trained: dict[float, str] = {}
    for run, row in ((run, row) for run, rows in _runs(students).items() for row in rows):
        at, found = outcome.on(frame, row), {name: columns[name][row] for name in SEEDS}
        outcome.inspected += len(SEEDS)
        for place, (name, value) in enumerate(found.items()):
            earlier = [other for other in SEEDS[:place] if found[other] == value]
            if np.isnan(value):
                at.error(f"/{name}", "The run does not name the seed.", "a seed", "nothing")
            elif earlier:
                message = f"The same seed is used as {earlier[0].replace('_', ' ')}. Take another."
                at.error(f"/{name}", message, "another seed", int(value))
        own = found["training_seed"]
        if (first := trained.setdefault(own, run)) != run:
            message = f"The run {first} was trained with the same seed."
            at.error("/training_seed", message, "another seed", int(own))


@check("student.checkpoint", "checkpoints", of=_students)
def checkpoint(students: Students, outcome: Outcome) -> None:
    frame = students.study.frame("run")
    for run, row in ((run, row) for run, rows in _runs(students).items() for row in rows):
        if (named := frame.text("checkpoint_sha256", row)) is not None:
            outcome.inspected += 1
            message = "The weights in the bundle are not those that the run names."
            outcome.on(frame, row).expect("/checkpoint_sha256", message, students.digest(run), named)


@check("student.policy", "strategies", of=_students)
def policy(students: Students, outcome: Outcome) -> None:
    for run, document in students.documents.items():
        if (problem := students.problem(run)) is not None:
            field, expected, found = problem
            outcome.at(document.path).error(field, "The weights cannot be run.", expected, found)
    study = students.study
    frame, sets, stored = study.frame("profile"), study.information_sets, study.strategies.values
    codes, names = frame.texts("profile")
    for code, name in enumerate(names):
        if name in students.policies:
            rows = np.flatnonzero((codes == code) & (sets >= 0))
            outcome.inspected += len(rows)
            due = students.policies[name][sets[rows]]
            distance = np.abs(due - stored[rows]).max(axis=1)
            wrong = ~(distance <= study.tolerance)
            both = [
                [", ".join(f"{value:.6g}" for value in row) for row in matrix[wrong]] for matrix in (due, stored[rows])
            ]
            message = "The student's weights give another policy."
            outcome.rows(frame, rows[wrong], "/probabilities", message, both[0], both[1])
            excess = np.where(wrong, 0.0, distance - USUAL_TOLERANCE)
            outcome.warn_of_tolerance(frame, rows, "/probabilities", distance, np.zeros_like(distance), excess)
            outcome.farthest(frame, rows, "/probabilities", distance)


def _calibrations(students: Students) -> dict[tuple[str, str], list[int]]:
    """Run and scale to the rows of their calibration; every scale of every student that can be judged comes first."""
    found: dict[tuple[str, str], list[int]] = {
        (run, scale): [] for run in students.calibrated for scale in students.declared.scales
    }
    records = students.study.frame("scale").table.select(["run", "scale"]).to_pylist()
    for row, record in enumerate(records):
        found.setdefault((record["run"], record["scale"]), []).append(row)
    return found


@check("student.calibration", "scales", of=_taught)
def calibration(students: Students, outcome: Outcome) -> None:
    frame, scales = students.study.frame("scale"), students.declared.scales
    for run in students.by_run:
        if students.nearest_to_threshold(run) < NEAR:
            outcome.missing = f"a state of {run} lies on the threshold, and rounding would decide"
            return
    for (run, scale), rows in _calibrations(students).items():
        if run not in students.calibrated or scale not in scales:
            for row in rows:
                at = outcome.on(frame, row)
                at.error("/scale", "No student has this scale.", "a run and a scale of the grid", scale)
            continue
        outcome.inspected += 1
        if len(rows) != 1:
            at = outcome.at(frame.paths[0], {"run": run, "scale": scale})
            at.error("/scale", "Every scale of every student is calibrated once.", "1 row", len(rows))
            continue
        due, row = students.calibrated[run][scales.index(scale)], rows[0]
        at, stored = outcome.on(frame, row), {name: frame.numbers(name)[row] for name in ("states", "violations")}
        message = "The states that the declared seed draws give another count."
        for field, found in stored.items():
            at.expect(f"/{field}", message, getattr(due, field), int(found))
        bound = float(frame.numbers("bound")[row])
        if not abs(bound - due.bound) <= 1e-9:
            at.error("/bound", "The count gives another bound.", due.bound, bound)
        elif np.isfinite(bound):
            outcome.difference(abs(bound - due.bound), frame, row, "/bound")
        certified = bool(frame.flags("certified")[row])
        at.expect("/certified", "The recomputed bound gives another answer.", due.certified, certified)


@check("student.choice", "students", of=_taught)
def choice(students: Students, outcome: Outcome) -> None:
    frame = students.study.frame("scale")
    flags = frame.flags("chosen")
    outcome.inspected = len(students.calibrated)
    for (run, scale), row in ((key, row) for key, rows in _calibrations(students).items() for row in rows):
        if run in students.calibrated and scale in students.declared.scales:
            place = students.chosen(run)
            due = place is not None and scale == students.declared.scales[place]
            message = "This is the largest certified scale." if due else "Another scale is the largest certified one."
            outcome.on(frame, row).expect("/chosen", message, due, bool(flags[row]))
