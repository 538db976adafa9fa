"""The certificates against what the calibration states give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import Index, Mask, Matrix
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.evidence import once
from sealtrace.studies.policies.evidence.calibration import UNCOMPUTABLE, Calibration, declared_setting
from sealtrace.studies.policies.evidence.choice import RULES
from sealtrace.studies.policies.evidence.deployment import calibration_split
from sealtrace.studies.policies.evidence.outcomes import Role, declared_outcomes, states_of, traces_by_state
from sealtrace.studies.policies.evidence.partitions import FrozenPartition, frozen_partitions
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
        selector.partition: f"the selector {selector.name} chooses"
        for selector in study.declared.selectors
        if RULES[selector.rule].certified and selector.partition is not None
    }
    deployed = study.declared.deployed
    return named | ({} if deployed is None else {deployed: "the protocol deploys"})


@once
def calibration_of(study: Study, partition: FrozenPartition) -> Calibration:
    """The certificates of a partition on the calibration split, at the declared operating point."""
    return Calibration(study, declared_setting(study), partition, states_of(study, calibration_split(study)))


@dataclass(frozen=True)
class ReportedCertificates:
    """The reported certificates of one partition, with their places in the recomputed tables."""

    partition: FrozenPartition
    rows: Index
    """Rows of the certificate frame."""
    candidates: Index
    """Rows of the recomputed tables."""
    groups: Index
    """Columns of the recomputed tables."""


@once
def reported_certificates(study: Study) -> list[ReportedCertificates]:
    """Certificates by partition; those that name nothing known are reported as incomplete."""
    frame = study.frame("certificate")
    place_of = {candidate: place for place, candidate in enumerate(study.bank.competing())}
    candidates = study.bank.candidate_of(study.frame("certificate")).tolist()
    places = np.array([place_of.get(candidate, -1) for candidate in candidates], np.int64)
    found = []
    for name, partition in frozen_partitions(study.states).items():
        if (inside := frame.says("partition", name)).any():
            groups = frame.lookup("group", pa.array(partition.groups))
            rows = np.flatnonzero(inside & (places >= 0) & (groups >= 0))
            found.append(ReportedCertificates(partition, rows, places[rows], groups[rows]))
    return found


@check("certificate.complete", "certificates", unless=_no_certificate)
def complete(study: Study, outcome: Outcome) -> None:
    frame = study.frame("certificate")
    outcome.inspected = frame.size
    known = np.zeros(frame.size, np.bool_)
    bank = study.bank.competing()
    for reported in reported_certificates(study):
        partition = reported.partition
        known[reported.rows] = True
        present = np.zeros((len(bank), len(partition.groups)), np.bool_)
        present[reported.candidates, reported.groups] = True
        for row, group in np.argwhere(~present).tolist():
            key = {"partition": partition.name, "group": partition.groups[group]}
            at = outcome.at(partition.path, {**key, "candidate": study.candidates[bank[row]].name})
            at.error(None, "The pair of candidate and group has no certificate.", "one certificate", "none")
    found = [" ".join(frame.key(row).values()) for row in np.flatnonzero(~known).tolist()]
    message = "The certificate belongs to no frozen partition, group and competing candidate."
    expected = "a group of a frozen partition, and a competing candidate"
    outcome.rows(frame, np.flatnonzero(~known), "/group", message, expected, found)
    certified = {reported.partition.name for reported in reported_certificates(study)}
    for name, reason in _certified_in(study).items():
        if name not in certified:
            at = outcome.at(study.evidence.protocol_path, {"partition": name})
            pointer = "/certification/partition" if reason == "the protocol deploys" else "/selectors"
            message = f"{reason} in this partition, and nothing is certified in it."
            at.error(pointer, message, f"certificates of {name}", "none")


def _known(
    outcome: Outcome, calibration: Calibration, reported: ReportedCertificates, role: Role, *, in_range: bool = False
) -> Mask:
    """The reported pairs whose every calibration state is scored; says of the others that they are missing."""
    pairs = reported.candidates, reported.groups
    known: Mask = calibration.absent[role][pairs] == 0
    with missing_where_undefined(outcome):
        calibration.require_scores(roles=(role,))
    if in_range:
        known &= calibration.outside[pairs] == 0
        with missing_where_undefined(outcome):
            calibration.require_range()
    return known


def _compare(study: Study, outcome: Outcome, field: str, table: str, message: str, *, exactly: bool = False) -> None:
    """A column of the certificates against a recomputed table."""
    frame, pointer = study.frame("certificate"), f"/{field}"
    stored = frame.numbers(field)
    for reported in reported_certificates(study):
        with missing_where_undefined(outcome):
            calibration = calibration_of(study, reported.partition)
            numbers: Matrix = getattr(calibration, table)
            # Counts of states are those of the group, whoever the candidate is.
            of_pairs = numbers.ndim > 1
            role: Role = "utility" if field.startswith("utility") else "risk"
            in_range = field == "utility_lower"
            known = _known(outcome, calibration, reported, role, in_range=in_range) if of_pairs else slice(None)
            due = numbers[reported.candidates, reported.groups] if of_pairs else numbers[reported.groups]
            rows, due = reported.rows[known], due[known].astype(np.float64)
            outcome.inspected += len(rows)
            # An empty group has no mean to state, and leaving out any other bound would hide it.
            void, absent = np.isnan(due), np.isnan(stored[rows])
            left_out, stated = ~void & absent, void & ~absent
            wrong = "The certificate leaves out its bound."
            outcome.rows(frame, rows[left_out], pointer, wrong, due[left_out], "nothing")
            wrong = "A group without calibration states has no mean."
            outcome.rows(frame, rows[stated], pointer, wrong, "nothing", stored[rows[stated]])
            both = ~void & ~absent
            # A utility bound is a normalized mean less a radius: as exact as numbers around one are.
            size = 1.0 if field.startswith("utility") else 0.0
            allowed = 0.0 if exactly else study.tolerance
            outcome.compare(frame, rows[both], pointer, due[both], stored[rows[both]], allowed, message, size)


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
    if (declared := declared_setting(study).utility_range) is None:
        outcome.not_applicable = "the protocol declares no utility range"
        return
    (low, high), outcomes = declared, declared_outcomes(study)
    frame = study.frame("trace")
    bank = study.bank.competing()
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
    for reported in reported_certificates(study):
        with missing_where_undefined(outcome):
            calibration = calibration_of(study, reported.partition)
            within, known = calibration.within_budgets, _known(outcome, calibration, reported, "risk")
            rows = reported.rows[known]
            outcome.inspected += len(rows)
            wrong = rows[stored[rows] != within[reported.candidates, reported.groups][known]]
            message = "The records give another answer to whether the bound is within the group's budget."
            outcome.rows(frame, wrong, "/certified", message, ~stored[wrong], stored[wrong])
