"""Writes and seals the records of the study, stage by stage."""

from __future__ import annotations

import hashlib
import sys
from fractions import Fraction
from pathlib import Path

from rsd_stratified import bank, certification, drawing, generator, partitions, policies, selectors, tables
from rsd_stratified.names import NAMES
from rsd_stratified.protocol import UTILITY_RANGES, protocol
from rsd_stratified.runs import run_rows
from rsd_stratified.states import Row, State, Traced
from rsd_stratified.tracing import Tracer, score_rows
from sealtrace.bundle.content import document_digest
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

DIRECTIONS = "student"
"""The family whose directions are sealed beside the traces of its own policy."""


class Build:
    """One run of the study in an empty directory. Each stage is sealed before the next one is computed."""

    def __init__(self, directory: Path, measurements: list[Row], attachments: dict[str, bytes]) -> None:
        self._root = directory
        self._measurements = measurements
        self._attachments = attachments
        self._protocol = protocol()
        self._weights = bank.checkpoints()
        self._tracer = Tracer(self._protocol, self._weights)
        self._states: dict[str, list[State]] = {split["name"]: [] for split in self._protocol["splits"]}
        self._roles: dict[str, str] = {split["name"]: split["role"] for split in self._protocol["splits"]}
        self._traced: dict[str, list[Traced]] = {}
        self._digests: dict[str, str] = {}
        self._partitions: list[Row] = []

    def run(self) -> None:
        """Every stage in order."""
        for stage in (
            self._declare,
            self._bank,
            self._structure,
            self._trace,
            self._calibrate,
            self._select,
            self._replay,
            self._report,
        ):
            name = stage.__name__.removeprefix("_")
            print(f"{name} ...", file=sys.stderr, flush=True)
            stage()
            seal(self._root, [name])

    def _declare(self) -> None:
        _check_ranges()
        for state in drawing.states(self._protocol):
            self._states[state.split].append(state)
        write_document(self._root / "declare/protocol.json", self._protocol)
        write_document(self._root / "declare/names.json", NAMES)
        for split, states in self._states.items():
            rows = [state.observation for state in states]
            write_rows(self._root / f"declare/observation.{split}.parquet", "observation", rows)
        self._archive()

    def _archive(self) -> None:
        """Keeps the recipe beside the records, with the hash that it has now."""
        rows = []
        for name, data in sorted(self._attachments.items()):
            path = f"declare/attachments/{name}"
            (self._root / path).parent.mkdir(parents=True, exist_ok=True)
            (self._root / path).write_bytes(data)
            role = "environment" if name == "environment.json" else "code"
            rows.append({"path": path, "role": role, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
        write_rows(self._root / "declare/source.jsonl", "source", rows)

    def _bank(self) -> None:
        candidates = [bank.candidate_row(one, self._weights) for one in bank.CANDIDATES]
        write_rows(self._root / "bank/candidate.jsonl", "candidate", candidates)
        write_rows(self._root / "bank/run.jsonl", "run", run_rows(self._weights))
        for family, record in self._weights.items():
            write_document(self._root / f"bank/checkpoint.{family}.json", record)
        for split, states in self._states.items():
            rows = [self._teacher_row(state) for state in states]
            write_rows(self._root / f"bank/teacher.{split}.parquet", "teacher", rows)
        self._write_values("bank", "training", ["weak"])
        self._write_traces("bank", "structure")

    def _structure(self) -> None:
        self._write_scores("structure", "structure")
        self._partitions = partitions.partition_records(self._protocol, self._traced["structure"])
        for record in self._partitions:
            write_document(self._root / f"structure/partition.{record['name']}.json", record)

    def _trace(self) -> None:
        self._write_traces("trace", "calibration")
        self._write_directions("trace", "calibration")

    def _calibrate(self) -> None:
        self._write_scores("calibrate", "calibration")
        rows = certification.certificate_rows(self._protocol, self._partitions, self._traced["calibration"])
        write_rows(self._root / "calibrate/certificate.jsonl", "certificate", rows)

    def _select(self) -> None:
        calibration = self._traced["calibration"]
        selection = selectors.selection_record(self._protocol, calibration)
        write_document(self._root / "select/selection.json", selection)
        for record in selectors.map_records(self._protocol, self._partitions, calibration):
            write_document(self._root / f"select/map.{record['selector']}.json", record)
        write_rows(self._root / "select/measurement.jsonl", "measurement", self._measurements)

    def _replay(self) -> None:
        for split in self._held_out():
            self._write_traces("replay", split)
        self._write_directions("replay", "held-out")

    def _report(self) -> None:
        for split in self._held_out():
            self._write_scores("report", split)
        for table in tables.table_records(self._protocol, self._partitions, self._traced, self._measurements):
            name = table["label"].removeprefix("tab:")
            write_document(self._root / f"report/table.{name}.json", table)

    def _held_out(self) -> list[str]:
        return [split for split, role in self._roles.items() if role == "held-out"]

    def _teacher_row(self, state: State) -> Row:
        distribution = policies.teacher(self._protocol, state.teacher)
        return {
            "state": state.id,
            "split": state.split,
            "values": state.teacher,
            "distribution": distribution,
            "value": policies.expected(distribution, state.teacher),
        }

    def _write_traces(self, stage: str, split: str) -> None:
        """Runs the bank on a split. Until the partition is frozen there are no groups to name."""
        traced = self._traced[split] = [self._tracer.traced(state) for state in self._states[split]]
        deployed = self._protocol["certification"]["partition"]
        partition = next((one for one in self._partitions if one["name"] == deployed), None)
        rows = self._tracer.trace_rows(traced, partition)
        self._digests[split] = write_rows(self._root / f"{stage}/trace.{split}.parquet", "trace", rows)

    def _write_scores(self, stage: str, split: str) -> None:
        self._write_values(stage, split, sorted(self._states[split][0].values))
        rows = score_rows(self._protocol, self._traced[split], self._digests[split])
        write_rows(self._root / f"{stage}/score.{split}.parquet", "score", rows)

    def _write_values(self, stage: str, split: str, evaluators: list[str]) -> None:
        rows = [
            {"state": state.id, "evaluator": evaluator, "split": split, "values": state.values[evaluator]}
            for state in self._states[split]
            for evaluator in evaluators
        ]
        write_rows(self._root / f"{stage}/values.{split}.parquet", "values", rows)

    def _write_directions(self, stage: str, split: str) -> None:
        record = self._weights[DIRECTIONS]
        digest = document_digest(record)
        rows = [
            {
                "family": DIRECTIONS,
                "state": one.state.id,
                "split": split,
                "direction": policies.learned_direction(record, one.features, one.state.legal),
                "checkpoint_sha256": digest,
            }
            for one in self._traced[split]
        ]
        write_rows(self._root / f"{stage}/residual.{split}.jsonl", "residual", rows)


def _check_ranges() -> None:
    """A declared range holds by construction only while it is the population's own."""
    for evaluator, bounds in generator.value_ranges().items():
        declared = [Fraction(text) for text in UTILITY_RANGES[evaluator]]
        if declared != [Fraction(bound) for bound in bounds]:
            raise ValueError(f"the action values of {evaluator} reach from {bounds[0]} to {bounds[1]}")
