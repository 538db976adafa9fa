"""Datasets are what they declare; predictions are complete, measurements are alike, and runs are there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import numpy as np

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check, lacking
from sealtrace.recipes.entities import appearance
from sealtrace.studies.results.evidence import Results
from sealtrace.studies.results.joins import Gap

_EMPHASIS = re.compile(r"(\*\*|__|\\\w+\{)(.{0,200})(?:\*\*|__|\})")
"""Bold and the like, which tells no two names apart."""


@check("result.predictions", "predictions", unless=lacking("prediction", "the bundle holds no predictions"))
def predictions(results: Results, outcome: Outcome) -> None:
    frame, labels = results.frame("prediction"), results.frame("label")
    outcome.inspected = frame.size
    of_file = {entry.path: entry.split for entry in results.bundle.entries}
    for place, path in enumerate(labels.paths):
        if (named := of_file.get(path)) is not None:
            other = (labels.file_of() == place) & ~labels.says("split", named)
            outcome.rows(labels, other, "/split", "The file is named after another split.", named)
    outcome.rows(frame, results.item_of_prediction < 0, "/item", "No single label is about this item.", "one label")
    splits, names = labels.texts("split")
    models, predicted = results.predicted
    places = results.bundle.of_kind("prediction")[0].path
    for model, row in zip(models, predicted, strict=True):
        # A model is evaluated on a split wholly or not at all.
        for split, name in enumerate(names):
            inside = splits == split
            if row[inside].any() and not row[inside].all():
                absent = np.flatnonzero(inside & ~row)
                first = labels.text("item", int(absent[0]))
                at, found = outcome.at(places, {"model": model, "split": name}), f"{int(row[inside].sum())} items"
                message = f"{model} leaves out items of {name} that it was evaluated on. Add their predictions."
                at.error("/item", message, f"{int(inside.sum())} items, {first} among them", found)
    covered = [tuple(row[splits == split].any() for split in range(len(names))) for row in predicted]
    if len(set(covered)) > 1:
        told = "; ".join(
            f"{model}: {', '.join(name for name, there in zip(names, row, strict=True) if there) or 'none'}"
            for model, row in zip(models, covered, strict=True)
        )
        outcome.at(places).warning("/item", "Models are evaluated on different splits.", "the same splits", told)


@check("result.measurements", "measurements", unless=lacking("measurement", "the bundle holds no measurements"))
def measurements(results: Results, outcome: Outcome) -> None:
    frame = results.frame("measurement")
    outcome.inspected = frame.size
    quantities, names = frame.texts("quantity")
    subjects, of = frame.texts("subject")
    units, written = frame.texts("unit")
    repeats = frame.numbers("repeat").astype(np.int64)
    for quantity, name in enumerate(names):
        rows = np.flatnonzero(quantities == quantity)
        usual = np.bincount(units[rows]).argmax()
        outcome.rows(frame, rows[units[rows] != usual], "/unit", f"{name} is measured in two units.", written[usual])
        measured = sorted(set(subjects[rows].tolist()))
        counts = {subject: np.sort(repeats[rows[subjects[rows] == subject]]) for subject in measured}
        most = max(int(count[-1]) + 1 for count in counts.values())
        for subject, found in counts.items():
            if not np.array_equal(found, np.arange(most)):
                source, _ = frame.place(int(rows[0]))
                message = f"{name} of {of[subject]} was not measured as often as the others. Keep every repeat."
                outcome.at(source, {"quantity": name, "subject": of[subject]}).error(
                    "/repeat", message, f"repeats 0 to {most - 1}", f"{len(found)} of them"
                )


@check("result.runs", "runs")
def runs(results: Results, outcome: Outcome) -> None:
    frame, predictions = results.frame("run"), results.frame("prediction")
    outcome.inspected = frame.size
    codes, digests = frame.texts("checkpoint_sha256")
    lost = np.array([digest not in results.checkpoints for digest in digests] + [False])
    message = "The checkpoint that the run names is not in the bundle. Add it, or leave the digest out."
    outcome.rows(frame, lost[codes], "/checkpoint_sha256", message, "the digest of a file or checkpoint of the bundle")
    known = set(frame.texts("run")[1])
    codes, names = predictions.texts("run")
    if not frame.size and not names:
        outcome.not_applicable = "the bundle holds no run records"
    if results.evidence.unreadable("run") is None:
        unknown = np.array([name not in known for name in names] + [False])
        outcome.rows(predictions, unknown[codes], "/run", "The run that the record names is not there.", "a run record")
    _mixed_runs(results, outcome)


def _mixed_runs(results: Results, outcome: Outcome) -> None:
    """The predictions of a model on a split are those of one run: others among them may have been chosen."""
    frame = results.frame("prediction")
    models, _ = frame.texts("model")
    runs, names = frame.texts("run")
    splits, _ = results.frame("label").texts("split")
    items = results.item_of_prediction
    groups = np.stack([models, np.r_[splits, -1][items]])
    for model, split in np.unique(groups, axis=1).T.tolist():
        rows = np.flatnonzero((groups[0] == model) & (groups[1] == split))
        if len(set(runs[rows].tolist())) > 1:
            usual = int(np.bincount(runs[rows][runs[rows] >= 0]).argmax())
            message = (
                "The prediction comes from another run than most of its model's on this split. Keep those of one run."
            )
            outcome.rows(frame, rows[runs[rows] != usual], "/run", message, names[usual])


_no_datasets = lacking("dataset", "the bundle declares no dataset")


def _unless_demanded(results: Results, outcome: Outcome, what: str, words: str) -> None:
    """Says what turns a check off: no declaration demands that of its rows."""
    if not any(getattr(declaration, what) for declaration in results.declarations.values()):
        outcome.not_applicable = f"no declaration says {words}"


@check("dataset.declared", "datasets", unless=_no_datasets)
def declared(results: Results, outcome: Outcome) -> None:
    for name, declaration in results.declarations.items():
        outcome.inspected += 1
        at = outcome.at(results.declared_at[name], {"dataset": name})
        if not any(entry.records == name for entry in results.bundle.entries):
            at.error("/dataset", "The dataset has no rows.", f"rows.{name}.jsonl, .parquet or .csv", "no such file")
        for number, reference in enumerate(declaration.references or []):
            if results.target(reference) is None:
                wanted = f"{reference.dataset} ({', '.join(reference.to or ['its key'])})"
                message = "The reference names a dataset or a field that is not declared."
                at.error(f"/references/{number}", message, "a declared dataset and its fields", wanted)
        seen: dict[str, str] = {}
        for field in declaration.properties:
            if (other := seen.setdefault(appearance(field), field)) != field:
                at.error("/row/properties", "Two fields look the same. Rename one.", ascii(other), ascii(field))
        for number, nesting in enumerate(declaration.nested or []):
            if lost := sorted({nesting.field, *nesting.within} - set(declaration.key)):
                wanted = f"fields of the key: {', '.join(declaration.key)}"
                message = "What is nested, and in what, are fields of the key."
                at.error(f"/nested/{number}", message, wanted, ", ".join(lost))
        for field, why in (declaration.absent or {}).items():
            if (lacking := results.lacking(name, field)) is None:
                message = "Only a measured number may be left out, and no flag, right answer or part of the key."
                at.error(f"/absent/{field}", message, "a number", field)
            elif lacking:
                rows = results.frame(name).size
                at.note("/absent", f"{lacking} of {rows} rows lack {field} ({why}); queries take means of the others.")
        for field, outer in results.nested(name):
            groups = " and ".join(outer)
            at.note(
                "/nested",
                f"Each {field} belongs to one {groups}: what tables compare by {groups} is of different ones.",
            )
        for field, groups, truth in results.same_for_each(name):
            message = f"They are the same everywhere: equal values have the same {truth} in each {groups}."
            at.error("/nested", message, f"a {field} of each {groups} by itself", f"one {truth} for each {field}")
        if not declaration.complete and len(declaration.key) > 1 and not results.nested(name):
            message = "Nothing declares which rows must be there, so a deleted row would go unnoticed."
            at.note("/complete", f"{message} Declare `complete`.")


@check("dataset.references", "rows", unless=_no_datasets)
def references(results: Results, outcome: Outcome) -> None:
    _unless_demanded(results, outcome, "references", "that its rows name rows of another dataset")
    for (name, number), (here, there) in results.lost.items():
        reference = (results.declarations[name].references or [])[number]
        frame, other = results.frame(name), results.frame(reference.dataset)
        outcome.inspected += frame.size
        to = reference.dataset
        outcome.rows(frame, here, f"/{reference.fields[0]}", f"{to} has no such row.", f"a row of {to}")
        target = f"/{(results.target(reference) or [''])[0]}"
        outcome.rows(other, there, target, f"No row of {name} refers to this row.", f"a row of {name}")


@check("dataset.complete", "rows", unless=_no_datasets)
def complete(results: Results, outcome: Outcome) -> None:
    apart = [(name, *found) for name in results.declarations for found in results.unequal(name)]
    if not apart:
        _unless_demanded(results, outcome, "complete", "which combinations must be there")
    for name, field, gap in apart:
        outcome.inspected += 1
        outcome.at(results.declared_at[name], {"dataset": name, **gap.key}).error(
            "/complete",
            f"Tables compare by {field}, but not the same rows, and nothing declares which must be there. Add the "
            "rows, declare in `complete` what there is, or in `nested` what belongs to one (each patient to one arm).",
            gap.expected,
            gap.found,
        )
    for name in results.declarations:
        for less, more in _unequal(results, name) if results.bundle.contract != "0.1" else ():
            outcome.at(results.declared_at[name], {"dataset": name}).error(
                "/complete",
                "Some values have fewer rows than others, and the declaration lets them vary together. Declare every "
                "combination, and add the rows.",
                more,
                less,
            )
    demanding = {name for name, declaration in results.declarations.items() if declaration.complete}
    _tell(results, outcome, results.completeness_gaps, demanding)


@check("dataset.depends", "rows", unless=_no_datasets)
def depends(results: Results, outcome: Outcome) -> None:
    determined = {name for name in results.declarations if results.determined(name)}
    if not determined:
        outcome.not_applicable = "no declaration says which fields others determine, and none has right answers"
        return
    _tell(results, outcome, results.dependency_gaps, determined)
    for name in determined:
        for flag, answer, rows in results.flattered(name):
            outcome.on(results.frame(name), int(rows[0])).warning(
                f"/{flag}", f"It calls {answer} right where it is wrong, in {len(rows)} rows; in all others they agree."
            )
        for apart, few, gap in results.told_apart(name):
            outcome.at(results.declared_at[name], {"dataset": name, **gap.key}).say(
                "error" if few else "warning",
                gap.field,
                f"{'Few' if few else 'Most'} right answers differ by {apart}, which tables compare; the declaration "
                "allows it. Mend them, or give items that are others other names.",
                gap.expected,
                gap.found,
            )


def _unequal(results: Results, name: str) -> Iterator[tuple[str, str]]:
    """Fields that are declared to vary together, or apart, where one value has fewer of the other than another has.

    Values that belong to one other value only, such as a task's own examples, may be more for one than for another.
    """
    declaration = results.declarations[name]
    if results.evidence.unreadable(name):
        return
    frame, key = results.frame(name), declaration.key
    nested = {(outer, field) for field, outers in results.nested(name) for outer in outers}
    for rule in declaration.complete or ():
        pairs = [(first, other) for group in rule.every for first in group for other in group if first != other]
        pairs += [(by, field) for by in rule.by or () for group in rule.every for field in group]
        for first, other in pairs:
            if first not in key or other not in key or (first, other) in nested:
                continue
            table = frame.columns([first, other])
            found = table.group_by([first, other]).aggregate([]).to_pylist()
            held: dict[object, set[object]] = {}
            for row in found:
                held.setdefault(row[first], set()).add(row[other])
            shared = sum(map(len, held.values())) > len(set().union(*held.values()))
            sizes = sorted(held.items(), key=lambda item: len(item[1]))
            if shared and sizes and len(sizes[0][1]) < len(sizes[-1][1]):
                (less, few), (more, many) = sizes[0], sizes[-1]
                yield f"{first} {less} with {len(few)} of {other}", f"{first} {more} with {len(many)} of {other}"


def _tell(results: Results, outcome: Outcome, gaps: dict[str, list[Gap]], demanding: Collection[str]) -> None:
    for name in results.declarations:
        if name in demanding:
            outcome.inspected += results.frame(name).size
        for gap in gaps.get(name, ()):
            source, row = results.frame(name).place(int(gap.rows[0]))
            outcome.at(source, gap.key, row).error(gap.field, gap.message, gap.expected, gap.found)


@check("dataset.counts", "counts", unless=_no_datasets)
def counts(results: Results, outcome: Outcome) -> None:
    for name, declaration in results.declarations.items():
        if results.evidence.unreadable(name):
            continue
        frame = results.frame(name)
        at = outcome.at(results.declared_at[name], {"dataset": name})
        if (rows := declaration.rows) is not None:
            outcome.inspected += 1
            if rows != frame.size:
                at.error("/rows", "The dataset does not have as many rows as declared.", rows, frame.size)
        for field, count in (declaration.counts or {}).items():
            outcome.inspected += 1
            found = results.distinct(name, field)
            if found != count:
                at.error(f"/counts/{field}", f"{field} does not have as many values as declared.", count, found)
        for field, labels in (declaration.printed or {}).items():
            outcome.inspected += 1
            values = {str(value) for value in results.frame(name).distinct(field).to_pylist()}
            if lost := sorted(set(labels) - values):
                at.error(f"/printed/{field}/{lost[0]}", "No row has this value.", "a value of the rows", lost[0])
            named: dict[str, set[str]] = {}
            for value in values:
                named.setdefault(appearance(labels.get(value, value)), set()).add(value)
            for value, label in labels.items():
                for other in sorted(named.get(appearance(_EMPHASIS.sub(r"\2", label)), set()) - {value})[:1]:
                    message = "The value is printed as what another is called. Print another name."
                    at.error(f"/printed/{field}/{value}", message, f"not {other!a}", ascii(label))
    if not outcome.inspected:
        outcome.not_applicable = "no declaration counts anything"
