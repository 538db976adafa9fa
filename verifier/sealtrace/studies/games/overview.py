"""What a study of games says of itself: its part of the summary, and what a page draws of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sealtrace.contract.details import Plot, PlotPoint, PlotSeries
from sealtrace.contract.scalars import exact
from sealtrace.studies.games.behaviour import POLICIES, behaviour_of
from sealtrace.studies.games.contest import hands_of, spread
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.students import ARMS, students_of

if TYPE_CHECKING:
    from sealtrace.examination import Examination

NORMAL = 1.96
"""Standard errors of an interval where the study declares none."""


def summary(study: GameStudy, __: Examination) -> dict[str, object]:
    """What was there to inspect."""
    inspected = []
    if study.frame("profile").size and study.playable:
        _, names = study.frame("profile").texts("profile")
        inspected.append(f"{len(names)} profiles of {len(study.form.information_sets)} information sets")
    if students := study.bundle.documents_of("student"):
        inspected.append(f"{len(students)} students")
    if hands := study.frame("match").size:
        inspected.append(f"{hands} hands")
    if snapshots := study.frame("snapshot").size:
        inspected.append(f"{snapshots} snapshots of {study.frame('hand').size} recorded hands")
    return {"inspected": inspected, "tolerance": None if study.rules is None else study.rules.tolerance}


def details(study: GameStudy, examination: Examination) -> dict[str, object]:
    """Exploitability by iteration, what arms win against opponents, and predicted actions, where they are computed."""
    plots = []
    if examination.holds("profile.complete", "profile.actions", "profile.simplex"):
        plots += list(_learning(study))
    if examination.holds("match.pairs", "match.legal", "match.deal", "contest.players"):
        plots += list(_winnings(study))
    if examination.holds("behaviour.declared", "behaviour.hands", "behaviour.snapshots"):
        plots += list(_predictions(study))
    return {"plots": plots}


def _learning(study: GameStudy) -> Iterator[Plot]:
    """Profiles whose runs differ in their iterations only."""
    frame = study.frame("run")
    series: dict[tuple[str, str], list[PlotPoint]] = {}
    for record in frame.table.select(["run", "arm", "data_order", "settings"]).to_pylist():
        settings = dict(record["settings"] or [])
        iterations = settings.pop("iterations", None)
        if iterations is None or exact(iterations) <= 0 or record["run"] not in study.profiles:
            continue
        place, values = study.evaluation(record["run"])
        others = ", ".join(f"{value} {name}" for name, value in sorted(settings.items()))
        point = PlotPoint(label=record["run"], x=float(exact(iterations)), y=float(values.exploitability[place]))
        series.setdefault((record["arm"], others or record["data_order"] or ""), []).append(point)
    found = {name: points for name, points in series.items() if len(points) > 1}
    if found:
        yield Plot(
            title="Exploitability by iteration",
            caption="The exact exploitability of every stored average of a run. Both axes are logarithmic.",
            across="iterations",
            up="exploitability",
            logarithmic=True,
            series=[
                PlotSeries(name=f"{arm}, {other}", points=sorted(points, key=lambda point: point.x or 0.0))
                for (arm, other), points in found.items()
            ],
        )


def _winnings(study: GameStudy) -> Iterator[Plot]:
    """Mean return and score by arm and opponent, with intervals over deals."""
    hands, students = hands_of(study), students_of(study)
    if hands is None:
        return
    declared, z = hands.declared, float(exact(hands.declared.z))
    groups: dict[str, list[str]] = {}
    if students is not None and students.evaluators is not None:
        for arm in ARMS:
            deployed = [students.candidate(arm, run) for run in students.by_run]
            if all(name in declared.arms for name in deployed):
                groups[arm] = [name for name in deployed if name is not None]
    if not groups and len(declared.arms) <= 12:
        groups = {arm: [arm] for arm in declared.arms}
    returns, scores = [], []
    for opponent in declared.opponents:
        for arm, names in groups.items():
            rows = hands.rows_of(names, [opponent])
            found = spread(hands.pair_means(rows))
            label = f"{arm} / {opponent}"
            returns.append(_point(label, found.mean, found.error, z))
            won = (np.sign(hands.due_returns[rows]) + 1) / 2
            pairs = np.bincount(hands.matches[rows], won, minlength=declared.pairs)
            scored = spread(pairs / (len(rows) / declared.pairs))
            scores.append(_point(label, scored.mean, scored.error, z))
    for title, axis, points in (
        ("What arms win against opponents", "chips per hand", returns),
        ("Wins and half of the ties", "share of hands", scores),
    ):
        if points:
            yield Plot(
                title=title,
                caption=f"Paired hands: the mean over {declared.pairs} deals, each played in both seats, and "
                f"{declared.z} standard errors.",
                across=axis,
                series=[PlotSeries(name=axis, points=points)],
            )


STREETS = ("before the flop", "flop", "turn", "river")


def _predictions(study: GameStudy) -> Iterator[Plot]:
    """What predictors expected of the actions that were taken, street by street."""
    behaviour = behaviour_of(study)
    if behaviour is None:
        return
    streets = np.array([each.decision.street for each in behaviour.of_split("evaluation")], np.int64)
    series = []
    for policy in POLICIES:
        given = behaviour.forecast(policy).probabilities[np.arange(len(streets)), behaviour.labels]
        points = []
        for street in [street for street in np.unique(streets).tolist() if (streets == street).sum() > 1]:
            found = spread(given[streets == street])
            note = f"{int((streets == street).sum())} snapshots"
            points.append(_point(f"{policy}, {STREETS[street]}", found.mean, found.error, NORMAL, note))
        series.append(PlotSeries(name=policy, points=points))
    if len(streets):
        yield Plot(
            title="What predictors expected of recorded actions",
            caption="The probability that a predictor gave to the action that was taken: its mean over the evaluation "
            f"snapshots of a street, and {NORMAL} standard errors.",
            across="probability",
            series=series,
        )


def _point(label: str, mean: float, error: float, z: float, note: str = "") -> PlotPoint:
    return PlotPoint(label=label, y=mean, low=mean - z * error, high=mean + z * error, note=note)
