"""Makes a large bundle of the fixture's shape, as Parquet, with its own column arithmetic."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.parquet_writing import RowWriter, write_parquet
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.bundle.writing import write_document, write_rows

ACTIONS = ["fold", "call", "raise"]
SCALES = ["0", "0.04", "0.08", "0.12", "0.16"]
FAMILIES = {"fixed": 5, "patient": 5, "bold": 5, "steep": 4}
TEMPERATURE, TEACHER, UNIFORM, TAU = 2.5, 0.92, 0.08, 0.05

Matrix = npt.NDArray[np.float64]


def candidates() -> list[tuple[str, str | None, tuple[float, ...]]]:
    """Arm, scale and direction constants: the anchor and nineteen tilts. Actions beyond the first three stay."""
    rest = (0.0,) * (len(ACTIONS) - 3)
    bank: list[tuple[str, str | None, tuple[float, ...]]] = [("anchor", None, (0.0, 0.0, 0.0, *rest))]
    for index, (family, count) in enumerate(FAMILIES.items()):
        direction = (-0.2, 0.05, 0.55 + 0.1 * index, *rest)
        bank.extend((family, scale, direction) for scale in SCALES[5 - count :])
    return sorted(bank, key=lambda one: (one[0], one[1] or ""))


def protocol(states: int) -> dict[str, Any]:
    """The declarations of the study."""
    return {
        "study": "large",
        "title": "A large study of the fixture's shape",
        "anonymous": True,
        "actions": ACTIONS,
        "splits": [
            {"name": "calibration", "role": "calibration", "states": states // 2},
            {"name": "held-out", "role": "held-out", "states": states - states // 2},
        ],
        "tau": str(TAU),
        "scale_grid": SCALES,
        "evaluators": {"utility": "weak", "risk": "strong"},
        "features": {"pot_pressure": {"field": "pot", "form": "capped-ratio", "cap": "10"}},
        "teacher": {"temperature": str(TEMPERATURE)},
        "anchor": {"teacher": str(TEACHER), "uniform": str(UNIFORM)},
        "charges": {
            "policy": {"tokens": 1, "latency_ms": "0.1", "tool_calls": 0},
            "residual": {"tokens": 2, "latency_ms": "0.3", "tool_calls": 0},
        },
        "interfaces": {"teacher-backed": ["pot", "legal", "teacher.distribution"]},
        "selectors": [{"name": "empirical-zero", "rule": "empirical-zero", "arm": "fixed"}],
        "ties": {"action": "earliest-legal"},
        "tolerances": {"normalization": "1e-9", "replay": "1e-9"},
    }


def normalized(weights: Matrix) -> Matrix:
    shares: Matrix = weights / weights.sum(axis=1, keepdims=True)
    return shares


def make(directory: Path, states: int, seed: int = 7) -> None:
    """Writes and seals the bundle: `states` states, twenty candidates, everything scored."""
    generator = np.random.default_rng(seed)
    write_document(directory / "declare/protocol.json", protocol(states))
    write_rows(directory / "bank/candidate.jsonl", "candidate", [_candidate(*one) for one in candidates()])
    crossings = {scale: [0, 0] for scale in SCALES}
    first = 0
    for split, size, traced, scored in (
        ("calibration", states // 2, "trace", "calibrate"),
        ("held-out", states - states // 2, "replay", "report"),
    ):
        part = _Part(directory, split, first, size, generator)
        part.states()
        part.traces(directory / f"{traced}/trace.{split}.parquet")
        part.scores(scored, crossings if split == "calibration" else None)
        first += size
    certified = [scale for scale, (crossed, _) in crossings.items() if not crossed]
    write_document(
        directory / "select/selection.json",
        {
            "selector": "empirical-zero",
            "split": "calibration",
            "grid": SCALES,
            "tau": str(TAU),
            "counts": [{"scale": s, "crossings": k, "states": n} for s, (k, n) in crossings.items()],
            "certified": certified,
            "outcome": "selected",
            "choice": certified[-1],
            "held_out": {"split": "held-out", "status": "not-joined"},
        },
    )
    seal(directory, empty={"structure": "No partition is learned."})


def _candidate(arm: str, scale: str | None, direction: tuple[float, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "arm": arm,
        "policy": "anchor" if scale is None else "tilt",
        "interface": "teacher-backed",
        "serializer": ACTIONS,
        "normalization": "none" if scale is None else "shifted-exponential",
    }
    if scale is None:
        return row
    rules: dict[str, Any] = {
        action: {"constant": str(round(value, 2))} for action, value in zip(ACTIONS, direction, strict=True)
    }
    rules["raise"]["terms"] = {"pot_pressure": "1"}
    return {**row, "scale": scale, "family": arm, "direction": rules}


class _Part:
    """One split of the study."""

    def __init__(self, directory: Path, split: str, first: int, size: int, generator: np.random.Generator) -> None:
        self.directory, self.split, self.size = directory, split, size
        self.ids = pa.array([f"{number:07d}" for number in range(first, first + size)])
        # No two states may be the same observation.
        self.pot = generator.integers(4, 11, size).astype(np.float64) + np.arange(first, first + size) / 1e7
        self.teacher = generator.normal(0, 3, (size, len(ACTIONS))).round(3)
        self.weak = self.teacher + generator.normal(0, 0.5, (size, len(ACTIONS))).round(3)
        self.strong = self.teacher + generator.normal(0, 0.1, (size, len(ACTIONS))).round(3)
        self.distribution = normalized(np.exp((self.teacher - self.teacher.max(axis=1, keepdims=True)) / TEMPERATURE))
        self.anchor = TEACHER * self.distribution + UNIFORM / len(ACTIONS)
        self.bank = candidates()
        self.trace_digest = hashlib.sha256().hexdigest()

    def _policies(self, some: slice) -> list[Matrix]:
        """The distributions of every candidate at some states."""
        anchor, pressure = (
            self.anchor[some],
            np.minimum(1, self.pot[some] / 10)[:, None] * (np.arange(len(ACTIONS)) == 2),
        )
        return [
            anchor
            if scale in (None, "0")
            else normalized(anchor * np.exp(float(scale or 0) * (np.array([round(one, 2) for one in tilt]) + pressure)))
            for _, scale, tilt in self.bank
        ]

    def states(self) -> None:
        """Observations, teacher records and action values."""
        constant = {"state": self.ids, "split": _same(self.split, self.size)}
        legal = _lists([ACTIONS] * 1, self.size)
        self._write("declare/observation", "observation", {**constant, "legal": legal, "pot": pa.array(self.pot)})
        self._write(
            "bank/teacher",
            "teacher",
            {
                **constant,
                "values": _maps(self.teacher),
                "distribution": _maps(self.distribution),
                "value": pa.array((self.teacher * self.distribution).sum(axis=1)),
            },
        )

    def traces(self, path: Path) -> None:
        """Every candidate at every state, by state."""
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = RowWriter(path, "trace")
        for some in _stretches(self.size):
            policies = self._policies(some)
            matrix = np.stack(policies, axis=1).reshape(-1, len(ACTIONS))
            tilt = np.tile(np.array([scale is not None for _, scale, _ in self.bank]), len(policies[0]))
            columns = {
                **self._identity(some),
                "inputs": _lists([["legal", "pot", "teacher.distribution"]], len(matrix)),
                "legal": _lists([ACTIONS], len(matrix)),
                "probabilities": _maps(matrix),
                "action": pa.DictionaryArray.from_arrays(pa.array(matrix.argmax(axis=1).astype(np.int32)), ACTIONS),
                "ledger": _ledger(tilt),
            }
            writer.write(_table("trace", columns))
        self.trace_digest = writer.close()

    def scores(self, stage: str, crossings: dict[str, list[int]] | None) -> None:
        """Action values, and the scores that they give."""
        both = np.stack([self.strong, self.weak], axis=1).reshape(2 * self.size, len(ACTIONS))
        which = np.tile([0, 1], self.size).astype(np.int32)
        names = pa.DictionaryArray.from_arrays(pa.array(which), ["strong", "weak"])
        rows = pa.array(np.repeat(np.arange(self.size), 2))
        self._write(
            f"{stage}/values",
            "values",
            {"state": self.ids.take(rows), "evaluator": names, "split": _same(self.split, 2 * self.size),
             "values": _maps(both)},
        )  # fmt: skip
        base = next(index for index, (arm, _, _) in enumerate(self.bank) if arm == "anchor")
        writer = RowWriter(self.directory / f"{stage}/score.{self.split}.parquet", "score")
        for some in _stretches(self.size):
            policies = self._policies(some)
            weak = np.stack([(policy * self.weak[some]).sum(axis=1) for policy in policies], axis=1)
            strong = np.stack([(policy * self.strong[some]).sum(axis=1) for policy in policies], axis=1)
            delta = strong - strong[:, [base]]
            crossed = delta < -TAU
            for index, (arm, scale, _) in enumerate(self.bank):
                if crossings is not None and arm == "fixed" and scale is not None:
                    crossings[scale][0] += int(crossed[:, index].sum())
                    crossings[scale][1] += len(crossed)
            columns = {
                **self._identity(some),
                "weak": pa.array(weak.ravel()),
                "strong": pa.array(strong.ravel()),
                "delta": pa.array(delta.ravel()),
                "crossing": pa.array(crossed.ravel()),
                "trace_sha256": _same(self.trace_digest, crossed.size),
            }
            writer.write(_table("score", columns))
        writer.close()

    def _identity(self, some: slice) -> dict[str, pa.Array]:
        count, size = len(self.bank), some.stop - some.start
        arms = sorted({arm for arm, _, _ in self.bank})
        arm = np.tile([arms.index(arm) for arm, _, _ in self.bank], size).astype(np.int32)
        scale = np.tile([SCALES.index(scale) if scale else -1 for _, scale, _ in self.bank], size).astype(np.int32)
        codes = np.repeat(np.arange(size), count).astype(np.int32)
        return {
            "state": pa.DictionaryArray.from_arrays(pa.array(codes), self.ids[some.start : some.stop]),
            "arm": pa.DictionaryArray.from_arrays(pa.array(arm), arms),
            "scale": pa.DictionaryArray.from_arrays(pa.array(scale, mask=scale < 0), SCALES),
            "split": _same(self.split, size * count),
        }

    def _write(self, stem: str, kind: str, columns: dict[str, pa.Array]) -> None:
        path = self.directory / f"{stem}.{self.split}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(_table(kind, columns), kind, path, laid_out=True)


def _stretches(size: int) -> list[slice]:
    """Some states at a time, so that memory does not grow with their number."""
    return [slice(start, min(start + 2**15, size)) for start in range(0, size, 2**15)]


def _same(text: str, size: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(size, np.int32)), [text])


def _lists(distinct: list[list[str]], size: int) -> pa.Array:
    (names,) = distinct
    codes = pa.array(np.tile(np.arange(len(names)), size).astype(np.int32))
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * len(names))
    return pa.ListArray.from_arrays(offsets, pa.DictionaryArray.from_arrays(codes, names))


def _maps(matrix: Matrix) -> pa.Array:
    size, width = matrix.shape
    keys = pa.DictionaryArray.from_arrays(pa.array(np.tile(np.arange(width), size).astype(np.int32)), ACTIONS)
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * width)
    return pa.MapArray.from_arrays(offsets, keys.dictionary_decode(), pa.array(np.ascontiguousarray(matrix).ravel()))


def _ledger(tilt: npt.NDArray[np.bool_]) -> pa.Array:
    events = pa.StructArray.from_arrays(
        [
            pa.DictionaryArray.from_arrays(pa.array(tilt.astype(np.int32)), ["policy", "residual"]).dictionary_decode(),
            pa.array(np.where(tilt, 2, 1)),
            pa.array(np.where(tilt, 0.3, 0.1)),
            pa.array(np.zeros(len(tilt), np.int64)),
        ],
        names=["event", "tokens", "latency_ms", "tool_calls"],
    )
    return pa.ListArray.from_arrays(pa.array(np.arange(len(tilt) + 1, dtype=np.int32)), events)


def _table(kind: str, columns: dict[str, pa.Array]) -> pa.Table:
    schema = arrow_schema(kind)
    size = len(next(iter(columns.values())))
    arrays = [columns.get(field.name, pa.nulls(size, field.type)) for field in schema]
    return pa.table(dict(zip(schema.names, arrays, strict=True))).cast(schema)
