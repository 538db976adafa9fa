"""Fields that give a sealed value are found whatever they are called, and honest fields are not accused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import sealtrace
from sealtrace.bundle.sealing import seal
from sealtrace.contract.result import Finding
from sealtrace.studies.policies.mathematics import leaks
from studies.certified_study import certified_study
from support import EMPTY, Row, copy_of_small_fixture, edit_document, read_rows, unseal, write_rows

SPLITS = {"calibration": "calibrate", "held-out": "report"}


def accused(bundle: Path) -> list[Finding]:
    """What `boundary.leaks` says of a bundle, notes apart."""
    unseal(bundle)
    seal(bundle, empty=EMPTY, lenient=True)
    return said(bundle)


def said(bundle: Path) -> list[Finding]:
    """The same of a bundle that is sealed."""
    found = sealtrace.verify(bundle).findings
    return [one for one in found if one.check == "boundary.leaks" and one.severity != "note"]


def show(bundle: Path, field: str, schema: Row, value: Callable[[Row, Row], object]) -> None:
    """Adds a field to every observation, made of it and of the strong values, and shows it to all policies."""
    for split, stage in SPLITS.items():
        path = bundle / "declare" / f"observation.{split}.jsonl"
        rows = read_rows(bundle / stage / f"values.{split}.jsonl")
        strong = {row["state"]: row["values"] for row in rows if row["evaluator"] == "strong"}
        write_rows(path, [{**row, field: value(row, strong[row["state"]])} for row in read_rows(path)])

    def declare(protocol: Row) -> None:
        texts = {"type": "string"}
        lists = {"type": "array", "items": texts}
        card_game = {"hero": texts, "board": lists, "position": texts, "pot": {"type": "number"}}
        protocol["observation"] = {**card_game, "stack": {"type": "number"}, "history": lists, field: schema}
        for fields in protocol["interfaces"].values():
            fields.append(field)

    edit_document(bundle / "declare" / "protocol.json", declare)


def best(strong: Row) -> str:
    """The best action of a state."""
    return max(strong, key=lambda action: strong[action])


NUMBER = {"type": "number"}
TEXT = {"type": "string"}
FORMS: dict[str, tuple[Row, Callable[[Row, Row], object]]] = {
    "equal": (NUMBER, lambda _, strong: strong["raise"]),
    "affine": (NUMBER, lambda _, strong: 3 - 2 * strong["raise"]),
    "monotone": (NUMBER, lambda _, strong: 2.0 ** strong["raise"]),
    "a difference of two actions": (NUMBER, lambda _, strong: strong["raise"] - strong["call"]),
    "written as text": (TEXT, lambda _, strong: str(strong["call"])),
    "in a text with other words": (TEXT, lambda row, strong: f"{row['state']} at {strong['raise']:+} chips"),
    "in a list": ({"type": "array", "items": NUMBER}, lambda row, strong: [row["pot"], strong["raise"]]),
    "a name for each value": (TEXT, lambda _, strong: f"bucket {hash(strong['raise']) % 1000}"),
    "the name of the best action": (TEXT, lambda _, strong: best(strong)),
    "a code of the best action": (TEXT, lambda _, strong: best(strong)[0]),
    "the place of the best action": (NUMBER, lambda _, strong: 1 + list(strong).index(best(strong))),
    "a flag for each action": (
        {"type": "array", "items": NUMBER},
        lambda _, strong: [float(action == best(strong)) for action in strong],
    ),
    "flags in a text": (TEXT, lambda _, strong: "".join(str(int(action == best(strong))) for action in strong)),
    "the actions from the worst": (
        {"type": "array", "items": TEXT},
        lambda _, strong: sorted(strong, key=lambda action: strong[action]),
    ),
    "behind a hyphen": (TEXT, lambda row, strong: f"s{row['state']}-{strong['raise']}"),
    "behind the state's name": (TEXT, lambda row, strong: f"{row['state']}{strong['raise']}"),
    "a word behind the state's name": (TEXT, lambda row, strong: f"s{row['state']}-{best(strong)}"),
    "the last of a list": (
        {"type": "array", "items": TEXT},
        lambda row, strong: [*row["history"], best(strong)],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_field_that_gives_a_value_is_found(form: str, tmp_path: Path) -> None:
    bundle = copy_of_small_fixture(tmp_path)
    schema, value = FORMS[form]
    show(bundle, "tempo", schema, value)
    found = accused(bundle)
    assert [(one.source, one.severity) for one in found] == [("declare/protocol.json", "error")]
    assert "tempo" in found[0].message
    assert found[0].field == "/interfaces/teacher-backed/8"


HONEST: dict[str, tuple[Row, Callable[[Row, Row], object]]] = {
    "the id": (TEXT, lambda row, _: row["state"]),
    "the hand and the board": (TEXT, lambda row, _: row["hero"] + "".join(row["board"])),
    "chips to come": (NUMBER, lambda row, _: row["stack"] / row["pot"]),
    "random": (NUMBER, lambda row, _: Random(row["state"]).random()),
    "hardly a hint": (NUMBER, lambda row, strong: strong["raise"] + Random(row["state"]).gauss(0, 4)),
}


@pytest.mark.parametrize("form", HONEST)
def test_an_honest_field_is_not_accused(form: str, tmp_path: Path) -> None:
    bundle = copy_of_small_fixture(tmp_path)
    schema, value = HONEST[form]
    show(bundle, "tempo", schema, value)
    assert accused(bundle) == []


def test_a_value_hidden_in_a_sum_is_warned_of(tmp_path: Path) -> None:
    """The pot is shown as well, so that the value is a difference. The game may pay so: nobody can tell."""

    def hide(parts: dict[str, Any]) -> None:
        for split, rows in parts["observation"].items():
            valued = {row["state"]: row["values"] for row in parts["values"][split] if row["evaluator"] == "strong"}
            for row in rows:
                row["stack"] = 100 + valued[row["state"]]["move"] + 2 * row["pot"]

    found = said(certified_study(tmp_path / "bundle", hide))
    assert [(one.field, one.severity) for one in found] == [("/interfaces", "warning")]
    assert "1 × the field stack" in found[0].message
    assert "-2 × the field pot" in found[0].message


def test_sums_of_random_columns_give_nothing() -> None:
    """Few distinct values, ties and many columns: an exact sum needs more equations than there are weights."""
    random = np.random.default_rng(5)
    for _ in range(500):
        size, width = int(random.integers(20, 80)), int(random.integers(2, 30))
        fields = random.integers(0, random.integers(2, 40), (size, width)).astype(np.float64)
        fields = fields[:, leaks.independent(fields)]
        assert leaks.exact_sum(fields, random.integers(0, 60, size).astype(np.float64)) is None


def test_a_column_that_others_give_is_not_independent() -> None:
    fields = np.random.default_rng(4).normal(0, 5, (30, 3))
    repeated = np.column_stack([fields, fields[:, 0] / 10, np.full(30, 3.0), fields[:, 1] - fields[:, 2] + 1])
    assert leaks.independent(repeated) == [0, 1, 2]


def test_the_weights_of_a_sum_are_found_and_idle_columns_have_none() -> None:
    fields = np.random.default_rng(3).normal(0, 5, (60, 4))
    weights = leaks.exact_sum(fields, 3 * fields[:, 0] - fields[:, 2] + 7)
    assert weights is not None
    assert weights == pytest.approx([3, 0, -1, 0], abs=1e-9)


def test_a_value_that_follows_by_rule_is_declared_or_found(tmp_path: Path) -> None:
    """Without the declaration, the pot gives what a fold costs."""
    bundle = copy_of_small_fixture(tmp_path)
    assert accused(bundle) == []
    edit_document(bundle / "declare" / "protocol.json", lambda protocol: protocol.pop("boundary"))
    assert [one.field for one in accused(bundle)] == ["/interfaces/teacher-backed/3"]


def test_a_rule_cannot_excuse_what_evaluators_differ_in(tmp_path: Path) -> None:
    bundle = copy_of_small_fixture(tmp_path)
    show(bundle, "tempo", NUMBER, lambda _, strong: strong["raise"])
    rule = {"action": "raise", "constant": "0", "terms": {"tempo": "1"}}
    edit_document(bundle / "declare" / "protocol.json", lambda protocol: protocol["boundary"]["given"].append(rule))
    assert [one.field for one in accused(bundle)] == ["/boundary/given/1", "/interfaces/teacher-backed/8"]


def test_a_raised_level_is_named(tmp_path: Path) -> None:
    bundle = copy_of_small_fixture(tmp_path)
    edit_document(bundle / "declare" / "protocol.json", lambda protocol: protocol["boundary"].update(level="1"))
    assert [(one.field, one.severity) for one in accused(bundle)] == [("/boundary/level", "warning")]


def test_a_field_hidden_from_policies_may_hold_anything(tmp_path: Path) -> None:
    bundle = copy_of_small_fixture(tmp_path)
    show(bundle, "tempo", NUMBER, lambda _, strong: strong["raise"])
    path = bundle / "declare" / "protocol.json"

    def hide(protocol: Row) -> None:
        for fields in protocol["interfaces"].values():
            fields.remove("tempo")

    edit_document(path, hide)
    assert "tempo" in json.loads(path.read_text(encoding="utf-8"))["observation"]
    assert accused(bundle) == []


def test_random_columns_are_never_said_to_give_each_other() -> None:
    """Ten thousand pairs of every mixture of few and many values, ties and lengths."""
    random = np.random.default_rng(7)
    for _ in range(10_000):
        size = int(random.integers(2, 200))
        field, target = (
            leaks.ranked(random.integers(0, random.integers(1, 60), size).astype(np.float64)) for _ in range(2)
        )
        assert not leaks.orders(field, target, float(leaks.USUAL_LEVEL))
        assert not leaks.classifies(field, target, float(leaks.USUAL_LEVEL), 10_000)


@pytest.mark.parametrize("digits", [1, 2, 6])
def test_a_rounded_value_orders_states_as_the_value_does(digits: int) -> None:
    values = np.random.default_rng(digits).normal(0, 3, 500)
    field = leaks.ranked(np.round(values, digits))
    assert leaks.orders(field, leaks.ranked(values), float(leaks.USUAL_LEVEL))


def test_labels_agree_but_for_as_few_states_as_the_level_leaves() -> None:
    """Of 512 flags five are wrong, and then six; where fewer states than twenty agree, nothing is said."""
    random = np.random.default_rng(11)
    target = random.integers(0, 3, 512).astype(np.float64)
    for wrong, found in ((5, True), (6, False)):
        field = target.copy()
        field[:wrong] = (field[:wrong] + 1) % 3
        assert leaks.classifies(leaks.ranked(5 - field), leaks.ranked(target), 0.99, 100) is found
    assert not leaks.classifies(leaks.ranked(target[:19]), leaks.ranked(target[:19]), 0.99, 1)


def test_states_that_look_the_same_count_once(tmp_path: Path) -> None:
    """Forty calibration states of two kinds: what is seen of each kind gives its value, and that is no leak."""

    def alike(parts: dict[str, Any]) -> None:
        for split, rows in parts["observation"].items():
            for row in rows:
                row |= {"pot": 4, "position": "early", "stack": 100 + (row["pot"] > 5)}
            kinds = {row["state"]: row["stack"] - 100 for row in rows}
            for row in parts["values"][split]:
                row["values"] = {"stay": 0.0, "move": 2 * kinds[row["state"]] - 1.0}

    assert said(certified_study(tmp_path / "bundle", alike)) == []


def test_the_chance_of_equal_classes_is_that_of_counting() -> None:
    """Of the 6 ways to place two ones and two twos, two have the classes of 1, 1, 2, 2."""
    assert leaks.log_chance(leaks.ranked(np.array([1.0, 1.0, 2.0, 2.0]))) == pytest.approx(np.log(2 / 6))
