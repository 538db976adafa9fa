"""The certificates against what the calibration states give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import Index, Matrix, Vector
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.evidence import once
from sealtrace.studies.policies.evidence.bank import competing
from sealtrace.studies.policies.evidence.calibration import UNCOMPUTABLE, Calibration, declared_setting
from sealtrace.studies.policies.evidence.choice import RULES
from sealtrace.studies.policies.evidence.deployment import calibration_split
from sealtrace.studies.policies.evidence.outcomes import outcomes_of, states_of, traces_by_state
from sealtrace.studies.policies.evidence.partitions import Partition, frozen_partitions
from sealtrace.studies.policies.evidence.study import Study


@contextmanager
def missing_where_undefined(outcome: Outcome) -> Iterator[None]:
    """What cannot be recomputed from the records is missing evidence, with its reason."""
    try:
        yield
    except UNCOMPUTABLE as error:
        outcome.missing = str(error)


def _no_certificate(study: Study, outcome: Outcome) -> bool:
    if study.bundle.of_kind("certificate"):
        return False
    if _certified_in(study):
        outcome.missing = "the protocol certifies, and the bundle has no certificate"
    else:
        outcome.not_applicable = "the study certifies nothing"
    return True


def _certified_in(study: Study) -> dict[str, str]:
    """The partitions in which the protocol certifies, each with what says so."""
    named = {
        one.partition: f"the selector {one.name} chooses"
        for one in study.declared.selectors
        if RULES[one.rule].certified and one.partition is not None
    }
    deployed = study.declared.deployed
    return named | ({} if deployed is None else {deployed: "the protocol deploys"})


@once
def calibration_of(study: Study, partition: Partition) -> Calibration:
    """The certificates of a partition on the calibration split, at the declared operating point."""
    return Calibration(study, declared_setting(study), partition, states_of(study, calibration_split(study)))


@dataclass(frozen=True)
class Joined:
    """The reported certificates of one partition, with their places in the recomputed tables."""

    partition: Partition
    rows: Index
    """Rows of the certificate frame."""
    candidates: Index
    """Rows of the recomputed tables."""
    groups: Index
    """Columns of the recomputed tables."""

    def of(self, table: Matrix) -> Vector:
        """What a recomputed table has for each certificate."""
        values: Vector = table[self.candidates, self.groups]
        return values


@once
def joined(study: Study) -> list[Joined]:
    """Certificates by partition; those that name nothing known are reported as incomplete."""
    frame = study.frame("certificate")
    names, partition_texts = frame.texts("partition")
    of_row = study.candidate_of("certificate")
    place_of = {candidate: place for place, candidate in enumerate(competing(study))}
    places = np.array([place_of.get(one, -1) for one in of_row.tolist()], np.int64)
    found = []
    for name, partition in frozen_partitions(study).items():
        if name not in partition_texts:
            continue
        groups = frame.lookup("group", pa.array(partition.groups))
        rows = np.flatnonzero((names == partition_texts.index(name)) & (places >= 0) & (groups >= 0))
        found.append(Joined(partition, rows, places[rows], groups[rows]))
    return found


@check("certificate.complete", "certificates", unless=_no_certificate)
def complete(study: Study, outcome: Outcome) -> None:
    frame = study.frame("certificate")
    outcome.inspected = frame.size
    known = np.zeros(frame.size, np.bool_)
    bank = competing(study)
    for one in joined(study):
        known[one.rows] = True
        present = np.zeros((len(bank), len(one.partition.groups)), np.bool_)
        present[one.candidates, one.groups] = True
        for row, group in np.argwhere(~present).tolist():
            key = {"partition": one.partition.name, "group": one.partition.groups[group]}
            at = outcome.at(one.partition.document.path, {**key, "candidate": study.candidates[bank[row]].name})
            at.error(None, "The pair of candidate and group has no certificate.", "one certificate", "none")
    found = [" ".join(frame.key(row).values()) for row in np.flatnonzero(~known).tolist()]
    message = "The certificate belongs to no frozen partition, group and competing candidate."
    expected = "a group of a frozen partition, and a competing candidate"
    outcome.rows(frame, np.flatnonzero(~known), "/group", message, expected, found)
    certified = {one.partition.name for one in joined(study)}
    for name, reason in _certified_in(study).items():
        if name not in certified:
            pointer = "/certification/partition" if reason == "the protocol deploys" else "/selectors"
            message = f"{reason} in this partition, and nothing is certified in it."
            outcome.at(study.protocol_path, {"partition": name}).error(
                pointer, message, f"certificates of {name}", "none"
            )


def _compare(study: Study, outcome: Outcome, field: str, name: str, message: str, *, exactly: bool = False) -> None:
    """A column of the certificates against a recomputed table."""
    frame = study.frame("certificate")
    stored = frame.numbers(field)
    for one in joined(study):
        with missing_where_undefined(outcome):
            table = _table(calibration_of(study, one.partition), name)
            due = one.of(np.asarray(table, np.float64))
            told = ~np.isnan(stored[one.rows]) | np.isnan(due)
            outcome.inspected += len(one.rows)
            absent = "The certificate leaves out its bound."
            outcome.rows(frame, one.rows[~told], f"/{field}", absent, due[~told], "nothing")
            rows, due = one.rows[told], due[told]
            void = np.isnan(due)
            stated = rows[void & ~np.isnan(stored[rows])]
            empty = "A group without calibration states has no mean."
            outcome.rows(frame, stated, f"/{field}", empty, "nothing", stored[stated])
            rows, due = rows[~void], due[~void]
            # A utility bound is a normalized mean less a radius: as exact as numbers around one are.
            size = 1.0 if field.startswith("utility") else 0.0
            allowed = 0.0 if exactly else study.tolerance
            outcome.compare(frame, rows, f"/{field}", due, stored[rows], allowed, message, size)


def _table(calibration: Calibration, name: str) -> Matrix:
    if name == "counts":
        return np.broadcast_to(calibration.counts, calibration.crossings.shape).astype(np.float64)
    table: Matrix = getattr(calibration, name)
    return table


@check("certificate.counts", "certificates", unless=_no_certificate)
def counts(study: Study, outcome: Outcome) -> None:
    message = "The {} is not that of the group's calibration states."
    _compare(study, outcome, "states", "counts", message.format("denominator"), exactly=True)
    _compare(study, outcome, "crossings", "crossings", message.format("count"), exactly=True)


@check("certificate.risk", "certificates", unless=_no_certificate)
def risk(study: Study, outcome: Outcome) -> None:
    message = "The risk bound is not the Clopper-Pearson bound of the recomputed count at its share."
    _compare(study, outcome, "risk_upper", "upper", message)


@check("certificate.range", "utilities")
def utility_range(study: Study, outcome: Outcome) -> None:
    setting = declared_setting(study)
    if setting.utility_range is None:
        outcome.not_applicable = "the protocol declares no utility range"
        return
    low, high = setting.utility_range
    outcomes = outcomes_of(study, setting.utility, setting.risk, setting.tau)
    frame = study.frame("trace")
    bank = competing(study)
    beyond = outcomes.outside(bank, low, high)
    for row, candidate in enumerate(bank):
        values = outcomes.of(candidate).utility
        outcome.inspected += int((~np.isnan(values)).sum())
        states = np.flatnonzero(beyond[row])
        rows = traces_by_state(study, candidate)[states]
        message = "The utility lies outside the declared range, which voids the utility certificates that it enters."
        expected = f"from {_text(low)} to {_text(high)}"
        outcome.rows(frame, rows, "/probabilities", message, expected, values[states])


def _text(value: Fraction) -> str:
    return repr(float(value)) if value.denominator != 1 else str(value.numerator)


@check("certificate.utility", "certificates", unless=_no_certificate)
def utility(study: Study, outcome: Outcome) -> None:
    if declared_setting(study).zeta_util is None:
        frame = study.frame("certificate")
        for field in ("utility_mean", "utility_lower"):
            stored = frame.numbers(field)
            message = "The certificate bounds a utility, and the protocol declares no failure probability for it."
            outcome.rows(frame, ~np.isnan(stored), f"/{field}", message, "nothing", lambda row: float(stored[row]))
        outcome.not_applicable = "the protocol certifies no utility"
        return
    message = "The mean is not that of the normalized utilities."
    _compare(study, outcome, "utility_mean", "normalized", message)
    message = "The utility bound is not the Hoeffding bound of the recomputed mean at its share."
    _compare(study, outcome, "utility_lower", "stated_lower", message)


@check("certificate.certified", "certificates", unless=_no_certificate)
def certified(study: Study, outcome: Outcome) -> None:
    frame = study.frame("certificate")
    stored = frame.flags("certified")
    for one in joined(study):
        with missing_where_undefined(outcome):
            due = calibration_of(study, one.partition).within_budgets[one.candidates, one.groups]
            outcome.inspected += len(one.rows)
            wrong = one.rows[stored[one.rows] != due]
            message = "The records give another answer to whether the bound is within the group's budget."
            outcome.rows(
                frame, wrong, "/certified", message, lambda row: not stored[row], lambda row: bool(stored[row])
            )
