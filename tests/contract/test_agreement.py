"""Column predicates, the published schema and the model say the same of every record.

Rows are validated by predicates on whole columns, because that is fast; the contract is the JSON
Schema, because that is what others read; the models are the source of both. A record that one of
them accepts and another refuses would be a hole in the verifier, so here they judge the same
records: variants of a whole record, and random ones.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from contract.specimens import (
    DOCUMENTS,
    ROWS,
    json_lines,
    mutants,
    places,
    records,
    specimen,
    variants,
    with_value,
    without,
)
from sealtrace.bundle.documents import misfits_of, plainly_fits
from sealtrace.bundle.resources import schema_document
from sealtrace.bundle.stores import read_rows
from sealtrace.contract.kinds import model_of
from support import LONG, schema_accepts

EXAMPLES = 1000 if LONG else 12
VARIANTS = None if LONG else 60
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=not LONG,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def by_columns(kind: str, batch: list[Any], *, every_row: bool = False) -> list[bool]:
    """What the column predicates say of each record of a file."""
    store = read_rows(json_lines(batch), "file.jsonl", kind, "jsonl", every_row=every_row)
    assert store.syntax.total == 0
    accepted = set(store.rows)
    verdicts = [number in accepted for number in range(1, len(batch) + 1)]
    assert (store.misfits.total == 0) == all(verdicts)
    assert store.table.num_rows == len(accepted)
    return verdicts


def by_schema(kind: str, batch: list[Any]) -> list[bool]:
    """What the published schema says of each record."""
    return [schema_accepts(kind, record) for record in batch]


def by_model(kind: str, batch: list[Any]) -> list[bool]:
    """What the model says of each record."""
    return [_model_accepts(kind, record) for record in batch]


def _model_accepts(kind: str, record: Any) -> bool:
    try:
        model_of(kind).model_validate(record)
    except ValidationError:
        return False
    return True


def disputed(batch: list[Any], *judges: list[bool]) -> list[tuple[Any, tuple[bool, ...]]]:
    """The records on which judges differ, with what each said."""
    verdicts = zip(*judges, strict=True)
    return [(record, said) for record, said in zip(batch, verdicts, strict=True) if len(set(said)) > 1]


@pytest.mark.parametrize("kind", ROWS)
def test_judges_agree_on_variants_of_a_row(kind: str) -> None:
    """Places of a whole row, dropped, altered or taken by a stranger: three judges, one verdict."""
    batch = variants(specimen(kind), VARIANTS)
    schema = by_schema(kind, batch)
    assert disputed(batch, by_columns(kind, batch), schema, by_model(kind, batch)) == []
    assert {True, False} == set(schema)


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_judges_agree_on_variants_of_a_document(kind: str) -> None:
    """The same for documents, which have two judges; what is seen to fit without the library, the library accepts."""
    batch = variants(specimen(kind), VARIANTS)
    schema = by_schema(kind, batch)
    assert disputed(batch, schema, by_model(kind, batch)) == []
    assert {True, False} == set(schema)
    assert [one for one, accepted in zip(batch, schema, strict=True) if plainly_fits(kind, one) and not accepted] == []


@pytest.mark.parametrize("kind", ROWS)
@fuzz
@given(data=st.data())
def test_judges_agree_on_random_rows(kind: str, data: st.DataObject) -> None:
    """Random files of good and bad rows: the same rows pass each judge, whatever stands beside them."""
    batch = data.draw(st.lists(mutants(kind), min_size=1, max_size=4))
    schema = by_schema(kind, batch)
    assert disputed(batch, by_columns(kind, batch), schema, by_model(kind, batch)) == []
    assert schema == by_columns(kind, batch, every_row=True)


@pytest.mark.parametrize("kind", DOCUMENTS)
@fuzz
@given(data=st.data())
def test_judges_agree_on_random_documents(kind: str, data: st.DataObject) -> None:
    """Random documents, good and bad: schema and model give one verdict, and it is the one reported."""
    record = data.draw(mutants(kind))
    accepted = schema_accepts(kind, record)
    assert accepted == _model_accepts(kind, record)
    assert accepted == (misfits_of(kind, record) == []) == (misfits_of(kind, record, by_library=True) == [])
    assert accepted or not plainly_fits(kind, record)


@pytest.mark.parametrize("kind", ROWS + DOCUMENTS)
@settings(fuzz, max_examples=EXAMPLES // 4)
@given(data=st.data())
def test_valid_records_are_accepted(kind: str, data: st.DataObject) -> None:
    """The generator makes what the contract allows, so agreement is not agreement on refusing all."""
    record = data.draw(records(kind))
    assert misfits_of(kind, record) == []
    if kind in ROWS:
        assert by_columns(kind, [record]) == [True]


@pytest.mark.parametrize("kind", ROWS + DOCUMENTS)
def test_all_judges_refuse_what_must_never_pass(kind: str) -> None:
    """No required field may be missing or null, no field unknown at any depth, and a record is an object."""
    record = specimen(kind)
    required = schema_document(kind)["required"]
    batch: list[Any] = [without(record, (name,)) for name in required]
    batch += [with_value(record, (name,), None) for name in required]
    batch += [[], None, 1, "x", True, [record]]
    batch += [with_value(record, (*place, "unknown"), {}) for place in places(record) if _is_closed(kind, place)]
    refused = [False] * len(batch)
    assert refused == by_schema(kind, batch)
    assert refused == by_model(kind, batch)
    if kind in ROWS:
        assert refused == by_columns(kind, batch)


def _is_closed(kind: str, place: tuple[str | int, ...]) -> bool:
    """Whether the place holds an object with declared fields, rather than a map of names."""
    node: Any = {**schema_document(kind)}
    definitions = node.get("$defs", {})
    for step in place:
        node = (
            node["items"]
            if isinstance(step, int)
            else node.get("properties", {}).get(step) or node["additionalProperties"]
        )
        if isinstance(node, bool):
            return False
        node = node["anyOf"][0] if "anyOf" in node else node
        node = definitions[node["$ref"].removeprefix("#/$defs/")] if "$ref" in node else node
    return "properties" in node
