"""Writes and seals the records, stage by stage, with the stratified study's bank, formulas and selectors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from rsd_operating import drawing, tables
from rsd_operating.names import NAMES
from rsd_operating.protocol import GRID, protocol
from rsd_stratified import bank, build, certification, generator, selectors
from rsd_stratified.cases import case_of
from rsd_stratified.evaluation import Deployment
from rsd_stratified.partitions import competing
from rsd_stratified.population import Population
from rsd_stratified.protocol import MANUAL_LEAVES
from rsd_stratified.runs import run_rows
from rsd_stratified.states import Row, State
from rsd_stratified.tracing import score_rows
from sealtrace.bundle.writing import write_document, write_rows

DEPLOYED = "robust-group"
"""The selector whose map is deployed, and which the adaptive opponent learns."""


class Build(build.Build):
    """One run of the study in an empty directory."""

    def __init__(self, directory: Path, attachments: dict[str, bytes]) -> None:
        super().__init__(directory, [], attachments)
        # The tracer stays the stratified study's: policies, features and charges are the same.
        self._protocol = protocol()
        self._states: dict[str, list[State]] = {split["name"]: [] for split in self._protocol["splits"]}
        self._roles = {split["name"]: split["role"] for split in self._protocol["splits"]}
        self._bank_names = {("anchor", None), *((one.arm, one.scale) for one in competing(self._protocol))}

    def _declare(self) -> None:
        build._check_ranges()
        for state in drawing.states():
            self._states[state.split].append(state)
        write_document(self._root / "declare/protocol.json", self._protocol)
        write_document(self._root / "declare/names.json", NAMES)
        for split, states in self._states.items():
            rows = [state.observation for state in states]
            write_rows(self._root / f"declare/observation.{split}.parquet", "observation", rows)
        self._archive()

    def _bank(self) -> None:
        members = [one for one in bank.CANDIDATES if (one.arm, one.scale) in self._bank_names]
        rows = [bank.candidate_row(one, self._weights) for one in members]
        write_rows(self._root / "bank/candidate.jsonl", "candidate", rows)
        runs = [row for row in run_rows(self._weights) if row["arm"] in {one.arm for one in members}]
        write_rows(self._root / "bank/run.jsonl", "run", runs)
        for family, record in self._weights.items():
            write_document(self._root / f"bank/checkpoint.{family}.json", record)
        for split, states in self._states.items():
            teachers = [self._teacher_row(state) for state in states]
            write_rows(self._root / f"bank/teacher.{split}.parquet", "teacher", teachers)

    def _structure(self) -> None:
        leaves = {"global": [{"group": "all", "conditions": []}], "manual": MANUAL_LEAVES}
        for name, groups in leaves.items():
            record = {"name": name, "leaves": groups, "allocations": self._allocations(groups)}
            self._partitions.append(record)
            write_document(self._root / f"structure/partition.{name}.json", record)

    def _allocations(self, leaves: list[Row]) -> list[Row]:
        """Equal shares of the risk budget; of the utility budget 4:3:2:1 from the smallest scale to the largest."""
        candidates = competing(self._protocol)
        weights = {scale: len(GRID) - place for place, scale in enumerate(GRID)}
        total = sum(weights[one.scale or ""] for one in candidates) * len(leaves)
        return [
            {
                "arm": one.arm,
                "scale": one.scale,
                "group": leaf["group"],
                "risk": str(Fraction(1, len(candidates) * len(leaves))),
                "utility": str(Fraction(weights[one.scale or ""], total)),
            }
            for leaf in leaves
            for one in candidates
        ]

    def _trace(self) -> None:
        self._write_traces("trace", "calibration")

    def _calibrate(self) -> None:
        self._write_scores("calibrate", "calibration")
        rows = certification.certificate_rows(self._protocol, self._partitions, self._traced["calibration"])
        write_rows(self._root / "calibrate/certificate.jsonl", "certificate", rows)

    def _select(self) -> None:
        for record in selectors.map_records(self._protocol, self._partitions, self._traced["calibration"]):
            write_document(self._root / f"select/map.{record['selector']}.json", record)

    def _replay(self) -> None:
        for split in self._held_out():
            self._write_traces("replay", split)

    def _report(self) -> None:
        self._adapt()
        for split in self._held_out():
            self._write_scores("report", split)
        for table in tables.table_records(self._protocol, self._partitions, self._traced):
            name = table["label"].removeprefix("tab:")
            write_document(self._root / f"report/table.{name}.json", table)

    def _adapt(self) -> None:
        """The opponents that have learned how often the deployed policy raises at each held-out state."""
        calibration = Population(self._traced["calibration"])
        case = case_of(self._protocol, self._partitions, DEPLOYED)
        held_out = Population(self._traced["held-out"])
        chosen = selectors.choose(case, calibration, calibration.everyone)
        for name, places in Deployment(chosen, held_out, held_out.everyone).members:
            for place in places:
                one = held_out.traced[place]
                for evaluator in ("weak", "strong"):
                    known = one.state.values[evaluator]
                    raising = one.policies[name]["raise"]
                    one.state.values[f"{evaluator}-adaptive"] = generator.adaptive_values(evaluator, known, raising)

    def _write_traces(self, stage: str, split: str) -> None:
        """Runs the bank on a split; what the stratified study's bank has besides is left out."""
        traced = self._traced[split] = [self._tracer.traced(state) for state in self._states[split]]
        partition = next(one for one in self._partitions if one["name"] == "manual")
        rows = self._members(self._tracer.trace_rows(traced, partition))
        self._digests[split] = write_rows(self._root / f"{stage}/trace.{split}.parquet", "trace", rows)

    def _write_scores(self, stage: str, split: str) -> None:
        self._write_values(stage, split, sorted(self._states[split][0].values))
        rows = self._members(score_rows(self._protocol, self._traced[split], self._digests[split]))
        write_rows(self._root / f"{stage}/score.{split}.parquet", "score", rows)

    def _members(self, rows: list[Row]) -> list[Row]:
        return [row for row in rows if (row["arm"], row.get("scale")) in self._bank_names]
