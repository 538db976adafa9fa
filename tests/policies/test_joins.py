"""Joins of a study's records: a key that is missing or stands twice joins nothing, and everything else as before."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sealtrace.bundle.reading import read_bundle
from sealtrace.evidence import Evidence
from sealtrace.studies.policies.checks import splits
from sealtrace.studies.policies.evidence.study import Study
from support import FIXTURE, Row, copy_of_fixture, edit_document, edit_rows

OBSERVED = "declare/observation.calibration.jsonl"
TEACHER = "bank/teacher.calibration.jsonl"
CANDIDATES = "bank/candidate.jsonl"
TRACED = "trace/trace.calibration.jsonl"
SCORED = "calibrate/score.calibration.jsonl"
VALUED = "calibrate/values.calibration.jsonl"

Open = Callable[..., Study]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """The fixture's study with the rows of some files edited."""

    def study(**edits: Callable[[list[Row]], Any]) -> Study:
        bundle = copy_of_fixture(tmp_path)
        for name, edit in edits.items():
            edit_rows(bundle / globals()[name], edit)
        return Evidence(read_bundle(bundle)).view(Study)

    return study


@pytest.fixture(scope="module")
def good() -> Study:
    """The study as it is shipped."""
    return Evidence(read_bundle(FIXTURE)).view(Study)


def sound_rows(study: Study, kind: str) -> Any:
    """The rows of a kind that join one playable state."""
    return study.joined.sound if kind == "trace" else study.states.sound(kind)


def states_of(study: Study, kind: str) -> list[str]:
    """The state that each row names."""
    return [study.frame(kind).text("state", row) or "" for row in range(study.frame(kind).size)]


def key_of(study: Study, kind: str, row: int) -> dict[str, str]:
    """A row's key by field, whichever kind it is."""
    return study.frame(kind).key(row)


def row_at(study: Study, kind: str, file: str, place: int) -> int:
    """Where a row of a file stands among all rows of its kind."""
    return next(row for row in range(study.frame(kind).size) if study.frame(kind).place(row) == (file, place + 1))


@pytest.mark.parametrize("kind", ["teacher", "trace", "values", "score"])
def test_every_row_joins_the_state_that_it_names(good: Study, kind: str) -> None:
    """Whatever the order of rows and files."""
    ids = good.states.ids.to_pylist()
    assert [ids[place] for place in good.joined.state_of(kind)] == states_of(good, kind)


def test_a_row_of_no_observed_state_joins_nothing(opened: Open, good: Study) -> None:
    """Its neighbours join as before."""
    study = opened(TRACED=lambda rows: rows[4].update(state="nowhere"))
    expected = good.joined.state_of("trace").copy()
    expected[row_at(good, "trace", TRACED, 4)] = -1
    assert study.joined.state_of("trace").tolist() == expected.tolist()


def test_a_state_observed_twice_joins_nothing(opened: Open) -> None:
    """Neither observation is preferred; every other state keeps its rows."""
    study = opened(OBSERVED=lambda rows: rows.append({**rows[0], "pot": 99}))
    for kind in ("teacher", "trace", "values", "score"):
        joined = study.joined.state_of(kind)
        names = states_of(study, kind)
        assert [place == -1 for place in joined] == [name == "0000" for name in names]
    assert study.states.by_state("teacher")[[0, 12]].tolist() == [-1, -1]
    assert (study.states.by_state("teacher") >= 0).sum() == 23


@pytest.mark.parametrize(
    "edit",
    [lambda rows: rows.pop(1), lambda rows: rows.append(rows[1]), lambda rows: rows[1].update(state="0000")],
    ids=["missing", "twice", "under another state"],
)
def test_by_state_takes_one_row_or_none(opened: Open, edit: Callable[[list[Row]], Any]) -> None:
    """No row and several rows are the same to whoever needs one."""
    study = opened(TEACHER=edit)
    found = dict(zip(study.states.ids.to_pylist(), study.states.by_state("teacher").tolist(), strict=True))
    assert found["0002"] == -1
    assert all(key_of(study, "teacher", row)["state"] == state for state, row in found.items() if row >= 0)
    lost = {state for state, row in found.items() if row < 0}
    assert lost in ({"0002"}, {"0000", "0002"})
    assert np.isnan(study.states.teacher[list(found).index("0002")]).all()


def test_traces_find_their_scores_in_any_order(opened: Open) -> None:
    """The key joins them, not the place."""
    study = opened(SCORED=lambda rows: rows.reverse())
    found = study.joined.score
    assert sorted(found.tolist()) == list(range(216))
    for trace, score in enumerate(found.tolist()):
        assert key_of(study, "trace", trace) == key_of(study, "score", score)


def test_a_score_that_is_missing_or_stands_twice_is_told_apart(opened: Open, good: Study) -> None:
    """-1 for none, -2 for several; all other traces keep theirs."""

    def edit(rows: list[Row]) -> None:
        rows.append(rows[7])
        rows.pop(3)

    study = opened(SCORED=edit)
    found = study.joined.score
    # Scores stand in the order of the traces.
    assert np.flatnonzero(found == -1).tolist() == [row_at(good, "trace", TRACED, 3)]
    assert np.flatnonzero(found == -2).tolist() == [row_at(good, "trace", TRACED, 7)]
    kept = np.flatnonzero(found >= 0).tolist()
    assert len(kept) == 214
    assert [key_of(study, "score", int(found[row])) for row in kept] == [key_of(study, "trace", row) for row in kept]


def test_a_split_without_scores(opened: Open) -> None:
    """Every trace of it says that it has none, and those of the other keep theirs."""
    study = opened(SCORED=lambda rows: rows.clear())
    for row, score in enumerate(study.joined.score.tolist()):
        assert (score == -1) == (key_of(study, "trace", row)["split"] == "calibration")


def test_traces_belong_to_the_candidate_of_their_arm_and_scale(good: Study) -> None:
    """An absent scale is a scale of its own."""
    for trace, candidate in enumerate(good.joined.candidate.tolist()):
        one, key = good.candidates[candidate], key_of(good, "trace", trace)
        assert (one.arm, one.scale) == (key["arm"], key.get("scale"))
    assert {good.candidates[one].scale is None for one in good.joined.candidate.tolist()} == {True, False}


def test_a_candidate_that_stands_twice_or_not_at_all_owns_no_trace(opened: Open, good: Study) -> None:
    """The traces of all others keep their candidate."""

    def edit(rows: list[Row]) -> None:
        rows.append(rows[1])
        rows.pop(0)

    lost = {good.candidates[0].name, good.candidates[1].name}
    study = opened(CANDIDATES=edit)
    for row, before in enumerate(good.joined.candidate.tolist()):
        after = int(study.joined.candidate[row])
        name = good.candidates[before].name
        assert (name in lost) == (after == -1)
        assert after == -1 or study.candidates[after].name == name


def test_two_anchors_are_none(opened: Open) -> None:
    """Nothing is measured from an anchor that could be either."""
    study = opened(
        CANDIDATES=lambda rows: rows.append({**next(one for one in rows if one["policy"] == "anchor"), "arm": "other"})
    )
    assert study.bank.anchor is None
    assert set(study.joined.anchors.tolist()) == {-1}
    assert len(study.scored.rows) == 0


def test_values_of_every_legal_action_or_none(opened: Open, good: Study) -> None:
    """Absent is not zero: a legal action without a value is NaN, an illegal one counts nothing."""
    study = opened(VALUED=lambda rows: [row["values"].pop("call") for row in rows if row["state"] == "0002"])
    found, state = study.states.evaluator("strong"), study.states.ids.to_pylist().index("0002")
    assert np.isnan(found[state]).any()
    others = np.arange(len(found)) != state
    assert (found[others] == good.states.evaluator("strong")[others]).all()
    assert (found[~study.states.legal.named] == 0).all()
    assert np.isnan(study.states.evaluator("nobody")[study.states.legal.named]).all()


@pytest.mark.parametrize(
    ("file", "kind", "edit"),
    [
        ("TEACHER", "teacher", lambda row: row.update(split="held-out")),
        ("TEACHER", "teacher", lambda row: row["distribution"].pop("raise")),
        ("VALUED", "values", lambda row: row["values"].update(jump=1.0)),
        ("TRACED", "trace", lambda row: row["legal"].remove("fold")),
        ("TRACED", "trace", lambda row: row.update(split="nowhere")),
    ],
    ids=["another split", "an action too few", "an action too many", "other legal actions", "an undeclared split"],
)
def test_a_row_that_contradicts_its_state_is_not_sound(
    opened: Open, good: Study, file: str, kind: str, edit: Callable[[Row], Any]
) -> None:
    """It joins its state, but nothing is computed from it; all other rows stay sound."""
    study = opened(**{file: lambda rows: edit(rows[2])})
    row = row_at(good, kind, globals()[file], 2)
    expected = sound_rows(good, kind).copy()
    assert expected.all()
    expected[row] = False
    assert sound_rows(study, kind).tolist() == expected.tolist()
    assert study.joined.state_of(kind)[row] == good.joined.state_of(kind)[row]


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda rows: rows.pop(), "calibration holds 11 states and declares 12"),
        (lambda rows: rows.__setitem__(1, rows[0]), "a state of calibration is there twice"),
        (lambda rows: rows[0].update(legal=["fold", "jump"]), "has no usable legal actions"),
        (lambda rows: rows[0].update(pot="four"), "has rows that its schema refuses"),
    ],
    ids=["too few", "twice", "unplayable", "refused"],
)
def test_a_split_that_cannot_be_counted_on_says_why(
    opened: Open, edit: Callable[[list[Row]], Any], reason: str
) -> None:
    """A count over it would be of something else."""
    study = opened(OBSERVED=edit)
    assert reason in (study.states.incomplete("calibration") or "")
    assert study.states.incomplete(None) is not None


def test_the_other_split_is_whole(opened: Open, good: Study) -> None:
    """Damage stays where it is."""
    assert good.states.incomplete(None) is None
    assert opened(OBSERVED=lambda rows: rows.pop()).states.incomplete("held-out") is None


def test_damage_leaves_every_other_score(opened: Open, good: Study) -> None:
    """A state without strong values has utilities only; the rest is scored bit for bit as before."""
    study = opened(
        VALUED=lambda rows: rows.pop(next(at for at, row in enumerate(rows) if row["evaluator"] == "strong"))
    )
    before, after = scores_of(good), scores_of(study)
    lost = {key for key in before if ("state", "0000") in key}
    assert {key: one for key, one in after.items() if key not in lost} == {
        key: one for key, one in before.items() if key not in lost
    }
    assert (len(after), len(lost)) == (216, 9)
    for key in lost:
        weak, *others, crossed = after[key]
        assert (weak, crossed) == (before[key][0], False)
        assert np.isnan(others).all()


def scores_of(study: Study) -> dict[tuple[tuple[str, str], ...], tuple[float, float, float, bool]]:
    """Key of a trace to what it scores."""
    found = study.scored
    columns = (found.weak.tolist(), found.strong.tolist(), found.delta.tolist(), found.crossed.tolist())
    keys = (tuple(key_of(study, "trace", row).items()) for row in found.rows.tolist())
    return dict(zip(keys, zip(*columns, strict=True), strict=True))


def test_scores_are_those_of_a_plain_loop(good: Study) -> None:
    """Expected value under the stored distribution, and its difference from the anchor's at the same state."""
    traces = [
        json.loads(line)
        for path in map(FIXTURE.joinpath, good.frame("trace").paths)
        for line in path.read_text().splitlines()
    ]
    values = {
        (row["state"], row["evaluator"]): row["values"]
        for path in map(FIXTURE.joinpath, good.frame("values").paths)
        for row in map(json.loads, path.read_text().splitlines())
    }

    def expected(trace: Row, evaluator: str) -> float:
        of = values[trace["state"], evaluator]
        return float(sum(chance * of[action] for action, chance in trace["probabilities"].items()))

    anchors = {row["state"]: expected(row, "strong") for row in traces if row["arm"] == "anchor"}
    assert len(good.scored.rows) == len(traces)
    for place, row in enumerate(good.scored.rows.tolist()):
        trace = traces[row]
        assert good.scored.weak[place] == pytest.approx(expected(trace, "weak"), abs=1e-12)
        delta = expected(trace, "strong") - anchors[trace["state"]]
        assert good.scored.delta[place] == pytest.approx(delta, abs=1e-12)


def test_undeclared_actions_spoil_their_rows_only(tmp_path: Path, good: Study) -> None:
    """A protocol that forgets an action makes every state that uses it unplayable."""
    bundle = copy_of_fixture(tmp_path)
    edit_document(bundle / "declare/protocol.json", lambda protocol: protocol.update(actions=["fold", "call", "bet"]))
    study = Evidence(read_bundle(bundle)).view(Study)
    assert study.states.legal.unknown.all()
    assert not study.states.playable.any()
    assert len(study.scored.rows) == 0
    assert good.states.playable.all()


def test_rows_that_say_the_same_have_the_same_number() -> None:
    """An absent list says what an empty one does; texts that nobody uses leave gaps, which are no differences."""
    names = pa.DictionaryArray.from_arrays(pa.array([0, 0, 2], pa.int32()), pa.array(["a", "b", "c"]))
    for column in (pa.array([None, [], ["x"]]), names):
        codes = splits._content_codes(pa.table({"seen": column}))
        assert (codes[0] == codes[1], codes[1] == codes[2]) == (True, False)
        assert not splits._all_differ(codes)
    pots = splits._content_codes(pa.table({"pot": [2.5, 0.0, 1.5], "cards": [["x"], ["x"], ["x"]]}))
    assert splits._all_differ(pots)
    assert not splits._all_differ(splits._content_codes(pa.table({"pot": [0.0, 1.5, -0.0]})))


def test_rows_may_name_many_arms_and_scales(opened: Open, good: Study) -> None:
    """Each is no candidate, and what that takes grows with the rows, not with all pairs of an arm and a scale."""

    def name_many(rows: list[Row]) -> None:
        rows += [{**rows[0], "arm": f"arm {number}", "scale": str(number)} for number in range(3000)]

    study = opened(TRACED=name_many)
    assert study.frame("trace").size == good.frame("trace").size + 3000
    tracemalloc.start()
    found = study.joined.candidate
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found >= 0).sum() == (good.joined.candidate >= 0).sum() == good.frame("trace").size
    assert most < 3000 * 3000
