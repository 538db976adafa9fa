"""Students are what their weights say, and their calibration is what the drawn states give."""

from __future__ import annotations

import numpy as np

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.contract.scalars import exact
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.students import Calibrated, Students, students_of

NEAR = 1e-11
"""Closer to the threshold than this, rounding could decide; the count is then not stated."""
SEEDS = ("training_seed", "evaluation_seed", "resampling_seed")


def _students(study: GameStudy, outcome: Outcome) -> Students | None:
    if not study.bundle.documents_of("distillation") and not study.bundle.documents_of("student"):
        outcome.not_applicable = "the study has no students"
        return None
    students = students_of(study)
    return students if study.playable and students.declared else None


@check("student.declared", "settings")
def declared(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    at, settings = outcome.at(students.path), students.declared
    scales = [exact(scale) for scale in settings["scales"]]
    outcome.inspected = len(scales) + len(settings["features"]) + 5
    if scales != sorted(set(scales)) or scales[0] != 0:
        at.error(
            "/scales", "Scales ascend from 0.", "ascending scales, the first of them 0", ", ".join(settings["scales"])
        )
    if settings["fixed"] not in settings["scales"]:
        at.error("/fixed", "The fixed scale is one of the grid.", ", ".join(settings["scales"]), settings["fixed"])
    for place in np.flatnonzero(np.isnan(students.inputs).any(axis=0)).tolist():
        at.error(
            f"/features/{place}",
            "No such feature is known.",
            "a feature of information sets",
            settings["features"][place],
        )
    for name, low, high in (("smoothing", 0, 1), ("tau", 0, None), ("epsilon", 0, 1), ("zeta", 0, 1)):
        value = exact(settings[name])
        if value <= low or (high is not None and value >= high):
            at.error(
                f"/{name}",
                "The declared value is outside its allowed range.",
                f"above {low}{'' if high is None else f' and below {high}'}",
                settings[name],
            )
    if settings["calibration"]["seed"] == settings["held_out"]["seed"]:
        at.error(
            "/held_out/seed",
            "Calibration and held-out states are drawn apart.",
            "another seed",
            settings["held_out"]["seed"],
        )


def _runs(study: GameStudy, students: Students) -> dict[str, list[int]]:
    """Run to its rows, of runs that students name."""
    codes, names = study.frame("run").texts("run")
    found: dict[str, list[int]] = {run: [] for run in students.documents}
    for row, code in enumerate(codes.tolist()):
        if code >= 0 and names[code] in found:
            found[names[code]].append(row)
    return found


@check("student.runs", "runs")
def runs(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    frame = study.frame("run")
    for run, rows in _runs(study, students).items():
        outcome.inspected += 1
        if len(rows) != 1:
            document = students.documents[run]
            outcome.at(document.path).error("/run", "A student has one run.", "1 run of this name", str(len(rows)))
        for row in rows:
            for field in ("data_order", "checkpoint_rule", "checkpoint_sha256"):
                if frame.text(field, row) is None:
                    outcome.on(frame, row).error(f"/{field}", "The run does not declare this.", "a value", "nothing")


@check("student.seeds", "seeds")
def seeds(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    frame = study.frame("run")
    columns = {name: frame.numbers(name) for name in SEEDS}
    trained: dict[float, str] = {}
    for run, rows in _runs(study, students).items():
        for row in rows:
            found = {name: columns[name][row] for name in SEEDS}
            outcome.inspected += len(SEEDS)
            for place, name in enumerate(SEEDS):
                value = found[name]
                earlier = [other for other in SEEDS[:place] if found[other] == value]
                if np.isnan(value):
                    outcome.on(frame, row).error(f"/{name}", "The run does not name the seed.", "a seed", "nothing")
                elif earlier:
                    message = f"The same seed is used as {earlier[0].replace('_', ' ')}. Take another."
                    outcome.on(frame, row).error(f"/{name}", message, "another seed", int(value))
            first = trained.setdefault(found["training_seed"], run)
            if first != run:
                outcome.on(frame, row).error(
                    "/training_seed",
                    f"The run {first} was trained with the same seed.",
                    "another seed",
                    int(found["training_seed"]),
                )


@check("student.checkpoint", "checkpoints")
def checkpoint(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    frame = study.frame("run")
    for run, rows in _runs(study, students).items():
        for row in rows:
            named = frame.text("checkpoint_sha256", row)
            if named is not None:
                outcome.inspected += 1
                if named != students.digest(run):
                    outcome.on(frame, row).error(
                        "/checkpoint_sha256",
                        "The weights in the bundle are not those that the run names.",
                        students.digest(run),
                        named,
                    )


@check("student.policy", "strategies")
def policy(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    for run in students.documents:
        if (problem := students.problem(run)) is not None:
            field, expected, found = problem
            outcome.at(students.documents[run].path).error(field, "The weights cannot be run.", expected, found)
    frame, sets = study.frame("profile"), study.information_sets
    codes, names = frame.texts("profile")
    stored = study.strategies.values
    for code, name in enumerate(names):
        if name in students.policies:
            rows = np.flatnonzero((codes == code) & (sets >= 0))
            outcome.inspected += len(rows)
            due = students.policies[name][sets[rows]]
            distance = np.abs(due - stored[rows]).max(axis=1)
            place = {int(row): index for index, row in enumerate(rows.tolist())}
            outcome.rows(
                frame,
                rows[~(distance <= study.tolerance)],
                "/probabilities",
                "The student's weights give another policy.",
                lambda row: ", ".join(f"{value:.6g}" for value in due[place[row]]),
                lambda row: ", ".join(f"{value:.6g}" for value in stored[row]),
            )
            if len(rows) and np.isfinite(distance).any():
                worst = int(np.nan_to_num(distance, nan=-1).argmax())
                outcome.difference(float(distance[worst]), frame, int(rows[worst]), "/probabilities")


@check("student.calibration", "scales")
def calibration(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    if students.evaluators is None:
        outcome.missing = "the teacher's profile is not whole"
        return
    frame = study.frame("scale")
    judged = _scale_rows(frame.table.select(["run", "scale"]).to_pylist())
    for run in students.by_run:
        if students.nearest_to_threshold(run) < NEAR:
            outcome.missing = f"a state of {run} lies on the threshold, and rounding would decide"
            return
    for run, calibrated in students.calibrated.items():
        for place, due in enumerate(calibrated):
            scale = students.declared["scales"][place]
            rows = judged.get((run, scale), [])
            outcome.inspected += 1
            if len(rows) != 1:
                outcome.at(frame.paths[0], {"run": run, "scale": scale}).error(
                    "/scale", "Every scale of every student is calibrated once.", "1 row", str(len(rows))
                )
                continue
            _compare_scale(outcome, study, rows[0], due)
    known = {(run, scale) for run in students.calibrated for scale in students.declared["scales"]}
    for key, rows in judged.items():
        for row in rows if key not in known else []:
            outcome.on(frame, row).error(
                "/scale", "No student has this scale.", "a run and a scale of the grid", key[1]
            )


def _scale_rows(records: list[dict[str, str]]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for row, record in enumerate(records):
        found.setdefault((record["run"], record["scale"]), []).append(row)
    return found


def _compare_scale(outcome: Outcome, study: GameStudy, row: int, due: Calibrated) -> None:
    frame = study.frame("scale")
    at = outcome.on(frame, row)
    for field, expected in (("states", due.states), ("violations", due.violations)):
        found = int(frame.numbers(field)[row])
        if found != expected:
            at.error(f"/{field}", "The states that the declared seed draws give another count.", expected, found)
    bound = float(frame.numbers("bound")[row])
    if not abs(bound - due.bound) <= 1e-9:
        at.error("/bound", "The count gives another bound.", due.bound, bound)
    elif np.isfinite(bound):
        outcome.difference(abs(bound - due.bound), frame, row, "/bound")
    if bool(frame.flags("certified")[row]) != due.certified:
        at.error("/certified", "The recomputed bound gives another answer.", due.certified, not due.certified)


@check("student.choice", "students")
def choice(study: GameStudy, outcome: Outcome) -> None:
    if (students := _students(study, outcome)) is None:
        return
    if students.evaluators is None:
        outcome.missing = "the teacher's profile is not whole"
        return
    frame = study.frame("scale")
    flags = frame.flags("chosen")
    judged = _scale_rows(frame.table.select(["run", "scale"]).to_pylist())
    for run in students.calibrated:
        outcome.inspected += 1
        place = students.chosen(run)
        due = None if place is None else students.declared["scales"][place]
        for scale in students.declared["scales"]:
            for row in judged.get((run, scale), []):
                if bool(flags[row]) != (scale == due):
                    message = (
                        "Another scale is the largest certified one."
                        if flags[row]
                        else "This is the largest certified scale."
                    )
                    outcome.on(frame, row).error("/chosen", message, scale == due, bool(flags[row]))
