"""One named way to break the good bundle for every check that it exercises, and where the finding must point.

A mutation changes the records; the bundle is then sealed anew, so that only what the mutation means is
wrong. Mutations of identity keep the old seals.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealtrace.bundle.content import document_digest, table_digest
from sealtrace.bundle.identity import ListedFile, file_digest, manifest_document, sums_text
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.stores import read_rows as read_store
from sealtrace.paper.model import Table
from sealtrace.witnesses.disclosure import disclosed, salted, tree_of
from set_pages import page_of, pdf
from support import EMPTY, Row, copy_of_small_fixture, edit_document, edit_rows, read_rows, unseal, write_rows

PROTOCOL = "declare/protocol.json"
SELECTION = "select/selection.json"
TRACES = "trace/trace.calibration.jsonl"
SCORES = "calibrate/score.calibration.jsonl"
VALUES = "calibrate/values.calibration.jsonl"
TEACHER = "bank/teacher.calibration.jsonl"
OBSERVATIONS = "declare/observation.calibration.jsonl"
CANDIDATES = "bank/candidate.jsonl"


@dataclass(frozen=True)
class Mutation:
    """How to break a bundle, and what must be found."""

    check: str
    apply: Callable[[Path], None]
    source: str
    pointer: str | None
    key: dict[str, str] | None = None
    reseal: bool = True
    rescore: bool = True
    """Whether scores are told the content digest of the changed traces."""
    options: dict[str, Any] = field(default_factory=dict)
    """Arguments of `verify`."""

    def broken(self, directory: Path) -> Path:
        """A copy of the good bundle, broken."""
        bundle = copy_of_small_fixture(directory)
        self.break_bundle(bundle)
        return bundle

    def break_bundle(self, bundle: Path) -> None:
        """Applies the mutation to a copy of the good bundle."""
        self.apply(bundle)
        if self.reseal:
            if self.rescore:
                name_the_traces(bundle)
            unseal(bundle)
            seal(bundle, empty=EMPTY, lenient=True)


MUTATIONS: dict[str, Mutation] = {}


def mutation(
    check: str, source: str, where: str | None, key: dict[str, str] | None = None, **settings: Any
) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    """Registers a function as the mutation of a check."""

    def register(apply: Callable[[Path], None]) -> Callable[[Path], None]:
        assert check not in MUTATIONS, f"{check} has a mutation already"
        MUTATIONS[check] = Mutation(check, apply, source, where, key, **settings)
        return apply

    return register


def name_the_traces(bundle: Path) -> None:
    """Writes the content digest of each trace file into the scores of its split."""
    for traces, scores in ((TRACES, SCORES), ("replay/trace.held-out.jsonl", "report/score.held-out.jsonl")):
        path = bundle / scores
        if not path.exists() or not (bundle / traces).exists():
            continue
        store = read_store((bundle / traces).read_bytes(), traces, "trace", "jsonl")
        if store.whole is None:
            continue
        digest = table_digest(store.whole, "trace")
        set_in_all_rows(path, trace_sha256=digest)


def set_in_all_rows(path: Path, **values: Any) -> None:
    """Gives every row of a file these values."""

    def update(rows: list[Row]) -> None:
        for row in rows:
            row.update(values)

    edit_rows(path, update)


def one(rows: list[Row], **wanted: Any) -> Row:
    """The one row with these values."""
    (row,) = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
    return row


def change(path: Path, edit: Callable[[Row], None], **wanted: Any) -> None:
    """Changes the one row with these values."""
    edit_rows(path, lambda rows: edit(one(rows, **wanted)))


def remove(path: Path, **wanted: Any) -> None:
    """Removes the one row with these values."""
    edit_rows(path, lambda rows: rows.remove(one(rows, **wanted)))


def restamp(bundle: Path, edit_entries: Callable[[list[Row]], None] | None = None) -> None:
    """Writes manifest and sums anew around seals that were edited by hand."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    for entry in manifest["files"]:
        if entry["kind"] == "seal":
            data = (bundle / entry["path"]).read_bytes()
            entry.update(bytes=len(data), sha256=file_digest(data), content_sha256=document_digest(json.loads(data)))
    if edit_entries:
        edit_entries(manifest["files"])
    document = manifest_document(manifest["name"], [ListedFile(**entry) for entry in manifest["files"]])
    (bundle / "manifest.json").write_text(json.dumps(document, indent=2) + "\n")
    resum(bundle)


def resum(bundle: Path) -> None:
    """Writes SHA256SUMS for the manifest as it is."""
    data = (bundle / "manifest.json").read_bytes()
    digests = {entry["path"]: entry["sha256"] for entry in json.loads(data)["files"]}
    (bundle / "SHA256SUMS").write_text(sums_text(digests | {"manifest.json": file_digest(data)}))


# Identity


@mutation("identity.manifest", "manifest.json", "", reseal=False)
def manifest_without_conventions(bundle: Path) -> None:
    edit_document(bundle / "manifest.json", lambda manifest: manifest.pop("hashes"))


@mutation("identity.listing", "report/stray.txt", None, reseal=False)
def unlisted_file(bundle: Path) -> None:
    (bundle / "report/stray.txt").write_text("nobody listed me\n")


@mutation("identity.bytes", SCORES, "/bytes", reseal=False)
def space_after_a_row(bundle: Path) -> None:
    path = bundle / SCORES
    path.write_bytes(path.read_bytes().replace(b"}\n", b"} \n", 1))


@mutation("identity.sums", "SHA256SUMS", None, reseal=False)
def digit_of_a_sum(bundle: Path) -> None:
    path = bundle / "SHA256SUMS"
    text = path.read_text()
    path.write_text(("0" if text[0] != "0" else "1") + text[1:])


@mutation("identity.content", SCORES, "/content_sha256", reseal=False)
def other_content_digest(bundle: Path) -> None:
    restamp(bundle, lambda files: one(files, path=SCORES).update(content_sha256="0" * 64))


@mutation("identity.root", "manifest.json", "/root_sha256", reseal=False)
def other_root(bundle: Path) -> None:
    edit_document(bundle / "manifest.json", lambda manifest: manifest.update(root_sha256="0" * 64))
    resum(bundle)


@mutation("identity.expected-root", "manifest.json", "/root_sha256", reseal=False, options={"expect_root": "0" * 64})
def another_bundle(bundle: Path) -> None:
    assert bundle.is_dir()


# Schema


@mutation("schema.json", TRACES, None)
def key_twice(bundle: Path) -> None:
    path = bundle / TRACES
    path.write_text(path.read_text().replace('{"state": "0000"', '{"state": "0000", "state": "0000"', 1))


@mutation("schema.documents", SELECTION, "")
def unknown_field(bundle: Path) -> None:
    edit_document(bundle / SELECTION, lambda record: record.update(mood="good"))


@mutation("schema.rows", TEACHER, "/value", {"state": "0004"})
def value_as_text(bundle: Path) -> None:
    change(bundle / TEACHER, lambda row: row.update(value="high"), state="0004")


@mutation("protocol.domain", PROTOCOL, "/bootstrap/confidence")
def confidence_above_one(bundle: Path) -> None:
    edit_document(bundle / PROTOCOL, lambda protocol: protocol["bootstrap"].update(confidence="1.5"))


@mutation(
    "join.unique-key",
    SCORES,
    "/state+arm+scale+split",
    {"state": "0000", "arm": "residual", "scale": "0.08", "split": "calibration"},
)
def score_twice(bundle: Path) -> None:
    edit_rows(bundle / SCORES, lambda rows: rows.append(one(rows, state="0000", arm="residual", scale="0.08")))


# Stages


@mutation("stage.chain", "seals/5-calibrate.json", "/previous", {"stage": "calibrate"}, reseal=False)
def broken_chain(bundle: Path) -> None:
    edit_document(bundle / "seals/5-calibrate.json", lambda document: document.update(previous="0" * 64))
    restamp(bundle)


@mutation("stage.members", SCORES, None, {"stage": "calibrate"}, reseal=False)
def seal_without_a_file(bundle: Path) -> None:
    edit_document(
        bundle / "seals/5-calibrate.json",
        lambda document: document["files"].remove(one(document["files"], path=SCORES)),
    )
    restamp(bundle)


@mutation(
    "stage.chronology", "replay/score.held-out.jsonl", "/stage", {"kind": "score", "split": "held-out"}, rescore=False
)
def scores_with_their_traces(bundle: Path) -> None:
    (bundle / "report/score.held-out.jsonl").rename(bundle / "replay/score.held-out.jsonl")


@mutation(
    "source.preserved",
    "declare/attachments/rsd_fixture/study.py.txt",
    "/bytes",
    {"path": "declare/attachments/rsd_fixture/study.py.txt"},
)
def edited_source(bundle: Path) -> None:
    with (bundle / "declare/attachments/rsd_fixture/study.py.txt").open("a") as file:
        file.write("# edited\n")


# The bank


@mutation("bank.scales", PROTOCOL, "/scale_grid/2")
def grid_out_of_order(bundle: Path) -> None:
    edit_document(bundle / PROTOCOL, lambda record: record.update(scale_grid=["0", "0.08", "0.04", "0.12", "0.16"]))


@mutation("bank.serializer", CANDIDATES, "/serializer", {"arm": "residual", "scale": "0.04"})
def swapped_serializer(bundle: Path) -> None:
    change(bundle / CANDIDATES, lambda row: row.update(serializer=["call", "fold", "raise"]), scale="0.04")


@mutation("bank.policies", CANDIDATES, "/direction", {"arm": "residual", "scale": "0.04"})
def direction_without_an_action(bundle: Path) -> None:
    change(bundle / CANDIDATES, lambda row: row["direction"].pop("fold"), scale="0.04")


# Splits


@mutation("split.inventory", PROTOCOL, "/splits/1/states", {"split": "held-out"})
def one_state_too_many(bundle: Path) -> None:
    edit_document(bundle / PROTOCOL, lambda protocol: protocol["splits"][1].update(states=13))


@mutation("split.disjoint", "declare/observation.held-out.jsonl", "/block", {"state": "0001"})
def block_in_two_splits(bundle: Path) -> None:
    change(bundle / OBSERVATIONS, lambda row: row.update(block="table 1"), state="0000")
    change(bundle / "declare/observation.held-out.jsonl", lambda row: row.update(block="table 1"), state="0001")


@mutation("split.agreement", TEACHER, "/split", {"state": "0006"})
def teacher_of_the_other_split(bundle: Path) -> None:
    change(bundle / TEACHER, lambda row: row.update(split="held-out"), state="0006")


@mutation("split.rule", OBSERVATIONS, "/split", {"state": "0000"})
def odd_states_calibrate(bundle: Path) -> None:
    def swap(protocol: Row) -> None:
        for split in protocol["splits"]:
            split["rule"]["remainder"] = 1 - split["rule"]["remainder"]

    edit_document(bundle / PROTOCOL, swap)


@mutation("split.duplicates", "declare/observation.held-out.jsonl", "/state", {"state": "0023"})
def observation_copied(bundle: Path) -> None:
    # 0002 and 0023 have the same pot and history: the copy changes nothing that a tilt reads.
    seen = one(read_rows(bundle / OBSERVATIONS), state="0002")
    copied = {name: seen[name] for name in ("hero", "board", "position", "pot", "stack", "history")}
    change(bundle / "declare/observation.held-out.jsonl", lambda row: row.update(copied), state="0023")


# Joins


@mutation("join.teacher", OBSERVATIONS, "/state", {"state": "0010"})
def teacher_removed(bundle: Path) -> None:
    remove(bundle / TEACHER, state="0010")


@mutation("join.trace", OBSERVATIONS, "/state", {"state": "0012"})
def trace_removed(bundle: Path) -> None:
    remove(bundle / TRACES, state="0012", arm="residual", scale="0.04")
    remove(bundle / SCORES, state="0012", arm="residual", scale="0.04")


@mutation("join.values", OBSERVATIONS, "/state", {"state": "0014"})
def values_removed(bundle: Path) -> None:
    remove(bundle / VALUES, state="0014", evaluator="strong")


@mutation("join.score", TRACES, "/state", {"state": "0016", "arm": "top-1", "split": "calibration"})
def score_removed(bundle: Path) -> None:
    remove(bundle / SCORES, state="0016", arm="top-1")


# Actions


@mutation("action.legal-set", OBSERVATIONS, "/legal", {"state": "0018"})
def no_legal_action(bundle: Path) -> None:
    change(bundle / OBSERVATIONS, lambda row: row.update(legal=[]), state="0018")


@mutation("action.order", TRACES, "/legal", {"state": "0020", "arm": "anchor", "split": "calibration"})
def legal_actions_in_another_order(bundle: Path) -> None:
    change(bundle / TRACES, lambda row: row.update(legal=["call", "fold", "raise"]), state="0020", arm="anchor")


@mutation("action.vocabulary", VALUES, "/values", {"state": "0022", "evaluator": "weak"})
def value_of_an_undeclared_action(bundle: Path) -> None:
    change(bundle / VALUES, lambda row: row["values"].update({"all-in": 9.0}), state="0022", evaluator="weak")


@mutation(
    "action.chosen", TRACES, "/action", {"state": "0000", "arm": "residual", "scale": "0.08", "split": "calibration"}
)
def second_best_action(bundle: Path) -> None:
    change(bundle / TRACES, lambda row: row.update(action="fold"), state="0000", arm="residual", scale="0.08")


# Probabilities


@mutation(
    "probability.support", TRACES, "/probabilities/fold", {"state": "0014", "arm": "top-1", "split": "calibration"}
)
def negative_probability(bundle: Path) -> None:
    change(bundle / TRACES, lambda row: row["probabilities"].update(fold=-1e-13), state="0014", arm="top-1")


@mutation("probability.normalized", TRACES, "/probabilities", {"state": "0014", "arm": "top-1", "split": "calibration"})
def sum_above_one(bundle: Path) -> None:
    # At 0014 fold and call have opposite values, so what is added here adds nothing to the utilities.
    change(
        bundle / TRACES,
        lambda row: row["probabilities"].update(fold=0.9e-12, call=0.9e-12),
        state="0014",
        arm="top-1",
    )


# Replay


@mutation("replay.teacher", TEACHER, "/distribution/fold", {"state": "0002"})
def other_teacher_value(bundle: Path) -> None:
    change(bundle / TEACHER, lambda row: row["values"].update(fold=-3.5), state="0002")


@mutation("replay.teacher-value", TEACHER, "/value", {"state": "0002"})
def other_state_value(bundle: Path) -> None:
    change(bundle / TEACHER, lambda row: row.update(value=row["value"] + 1e-6), state="0002")


@mutation("replay.normalizer", CANDIDATES, "/scale", {"arm": "residual", "scale": "2e308"})
def overflowing_scale(bundle: Path) -> None:
    def rename(rows: list[Row]) -> None:
        for row in rows:
            if row.get("scale") == "1":
                row["scale"] = "2e308"

    for path in (CANDIDATES, TRACES, SCORES, "report/summary.jsonl"):
        edit_rows(bundle / path, rename)
    for path in ("replay/trace.held-out.jsonl", "report/score.held-out.jsonl"):
        edit_rows(bundle / path, rename)


@mutation("replay.anchor", TRACES, "/probabilities/fold", {"state": "0008", "arm": "anchor", "split": "calibration"})
def anchor_moved(bundle: Path) -> None:
    def move(row: Row) -> None:
        row["probabilities"]["fold"] += 1e-9
        row["probabilities"]["call"] -= 1e-9

    change(bundle / TRACES, move, state="0008", arm="anchor")


@mutation("replay.top-action", TRACES, "/probabilities/call", {"state": "0010", "arm": "top-1", "split": "calibration"})
def another_top_action(bundle: Path) -> None:
    def imitate(row: Row) -> None:
        row.update(probabilities={"fold": 0.0, "call": 1.0, "raise": 0.0}, action="call")

    change(bundle / TRACES, imitate, state="0010", arm="top-1")


@mutation(
    "replay.tilt",
    TRACES,
    "/probabilities/fold",
    {"state": "0012", "arm": "residual", "scale": "0.08", "split": "calibration"},
)
def distribution_of_another_scale(bundle: Path) -> None:
    other = one(read_rows(bundle / TRACES), state="0012", scale="0.04")["probabilities"]
    change(bundle / TRACES, lambda row: row.update(probabilities=other), state="0012", scale="0.08")


@mutation(
    "replay.zero-scale",
    TRACES,
    "/probabilities/raise",
    {"state": "0016", "arm": "residual", "scale": "0", "split": "calibration"},
)
def last_bit_of_scale_zero(bundle: Path) -> None:
    def nudge(row: Row) -> None:
        row["probabilities"]["raise"] = math.nextafter(row["probabilities"]["raise"], 2.0)

    change(bundle / TRACES, nudge, state="0016", scale="0")


@mutation(
    "replay.query-gate", TRACES, "/query/accepted", {"state": "0004", "arm": "active-query", "split": "calibration"}
)
def query_denied(bundle: Path) -> None:
    change(bundle / TRACES, lambda row: row["query"].update(accepted=False), state="0004", arm="active-query")


@mutation(
    "replay.query-policy",
    TRACES,
    "/probabilities/fold",
    {"state": "0000", "arm": "active-query", "split": "calibration"},
)
def anchor_without_a_query(bundle: Path) -> None:
    anchor = one(read_rows(bundle / TRACES), state="0000", arm="anchor")

    def replace(row: Row) -> None:
        row.update(probabilities=anchor["probabilities"], action=anchor["action"])

    change(bundle / TRACES, replace, state="0000", arm="active-query")


@mutation(
    "replay.ledger",
    TRACES,
    "/ledger/0/tokens",
    {"state": "0006", "arm": "residual", "scale": "0.16", "split": "calibration"},
)
def cheap_residual(bundle: Path) -> None:
    change(bundle / TRACES, lambda row: row["ledger"][0].update(tokens=1), state="0006", scale="0.16")


# The information boundary


@mutation("boundary.interfaces", PROTOCOL, "/interfaces/teacher-free/7", {"interface": "teacher-free"})
def teacher_shown_to_a_student(bundle: Path) -> None:
    edit_document(
        bundle / PROTOCOL, lambda protocol: protocol["interfaces"]["teacher-free"].append("teacher.distribution")
    )


@mutation(
    "boundary.inputs", TRACES, "/inputs", {"state": "0008", "arm": "residual", "scale": "0.12", "split": "calibration"}
)
def policy_reads_the_scores(bundle: Path) -> None:
    change(bundle / TRACES, lambda row: row["inputs"].append("values.strong"), state="0008", scale="0.12")


@mutation("boundary.leaks", PROTOCOL, "/interfaces/teacher-backed/4")
def policy_sees_what_the_risk_evaluator_says(bundle: Path) -> None:
    for stage, split in (("calibrate", "calibration"), ("report", "held-out")):
        rows = read_rows(bundle / stage / f"values.{split}.jsonl")
        said = {row["state"]: row["values"]["raise"] for row in rows if row["evaluator"] == "strong"}
        observations = bundle / "declare" / f"observation.{split}.jsonl"
        write_rows(observations, [{**row, "stack": said[row["state"]]} for row in read_rows(observations)])


# Scores


@mutation(
    "score.trace-digest",
    SCORES,
    "/trace_sha256",
    {"state": "0000", "arm": "active-query", "split": "calibration"},
    rescore=False,
)
def scores_of_other_traces(bundle: Path) -> None:
    set_in_all_rows(bundle / SCORES, trace_sha256="0" * 64)


@mutation(
    "score.utility", SCORES, "/weak", {"state": "0010", "arm": "residual", "scale": "0.08", "split": "calibration"}
)
def other_weak_utility(bundle: Path) -> None:
    change(bundle / SCORES, lambda row: row.update(weak=row["weak"] + 1e-6), state="0010", scale="0.08")


@mutation(
    "score.delta", SCORES, "/delta", {"state": "0010", "arm": "residual", "scale": "0.08", "split": "calibration"}
)
def sign_of_a_delta(bundle: Path) -> None:
    change(bundle / SCORES, lambda row: row.update(delta=-row["delta"]), state="0010", scale="0.08")


@mutation(
    "threshold.stored", SCORES, "/crossing", {"state": "0000", "arm": "residual", "scale": "1", "split": "calibration"}
)
def crossing_denied(bundle: Path) -> None:
    change(bundle / SCORES, lambda row: row.update(crossing=False), state="0000", scale="1")


@mutation(
    "threshold.recomputed",
    SCORES,
    "/crossing",
    {"state": "0000", "arm": "residual", "scale": "0.08", "split": "calibration"},
)
def crossing_invented(bundle: Path) -> None:
    change(bundle / SCORES, lambda row: row.update(crossing=True, delta=-0.06), state="0000", scale="0.08")


@mutation(
    "aggregate.summary", "report/summary.jsonl", "/weak", {"population": "all", "arm": "residual", "scale": "0.08"}
)
def better_summary(bundle: Path) -> None:
    change(bundle / "report/summary.jsonl", lambda row: row.update(weak=4.2898), population="all", scale="0.08")


# Selection


@mutation("selection.grid", SELECTION, "/grid", {"selector": "empirical-zero"})
def grid_without_a_scale(bundle: Path) -> None:
    edit_document(bundle / SELECTION, lambda record: record["grid"].pop())


@mutation("selection.counts", SELECTION, "/counts/3/crossings", {"selector": "empirical-zero", "scale": "0.12"})
def one_crossing_too_few(bundle: Path) -> None:
    edit_document(bundle / SELECTION, lambda record: record["counts"][3].update(crossings=1))


@mutation("selection.certified", SELECTION, "/certified", {"selector": "empirical-zero"})
def admissible_scale_left_out(bundle: Path) -> None:
    edit_document(bundle / SELECTION, lambda record: record["certified"].remove("0.04"))


@mutation("selection.choice", SELECTION, "/choice", {"selector": "empirical-zero"})
def smaller_choice(bundle: Path) -> None:
    edit_document(bundle / SELECTION, lambda record: record.update(choice="0.04"))


@mutation("selection.held-out", SELECTION, "/held_out/status", {"selector": "empirical-zero"})
def held_out_scores_joined(bundle: Path) -> None:
    edit_document(bundle / SELECTION, lambda record: record["held_out"].update(status="joined"))


# Printed tables


MAIN = "report/table.main.json"


@mutation("table.source", "report/table.controls.json", "/label", {"table": "tab:controls"})
def _seal_a_manuscript_that_prints_something_else(bundle: Path) -> None:
    table = "\\begin{table}\\label{tab:main}\\begin{tabular}{lr}a & b \\\\ \\hline 1 & 2 \\\\\\end{tabular}\\end{table}"
    text = f"\\documentclass{{article}}\\begin{{document}}\n{table}\n\\end{{document}}\n"
    (bundle / "report" / "manuscript.rsd-poker.tex").write_text(text)


@mutation("table.page", MAIN, "/rows/2/cells/1", {"table": "tab:main"})
def _seal_a_pdf_that_prints_another_number(bundle: Path) -> None:
    table = Table.of(json.loads((bundle / MAIN).read_text()))
    content = page_of(table).replace(f"({table.rows[2].texts[1]})", "(9.9999)")
    (bundle / "report" / "manuscript.rsd-poker.pdf").write_bytes(pdf(content))


@mutation("table.shape", MAIN, "/rows/2/cells", {"table": "tab:main", "row": "0.08"})
def row_without_a_cell(bundle: Path) -> None:
    edit_document(bundle / MAIN, lambda table: table["rows"][2]["cells"].pop())


@mutation("table.recipes", MAIN, "/rows/0/cells/1", {"table": "tab:main", "row": "0.00", "column": "Weak EV"})
def unknown_metric(bundle: Path) -> None:
    edit_document(bundle / MAIN, lambda table: table["columns"][1]["recipe"].update(metric="strength"))


@mutation("table.cells", MAIN, "/rows/2/cells/1", {"table": "tab:main", "row": "0.08", "column": "Weak EV"})
def last_digit_too_high(bundle: Path) -> None:
    edit_document(bundle / MAIN, lambda table: table["rows"][2]["cells"].__setitem__(1, "4.2890"))


@mutation("table.marks", MAIN, "/rows/1/cells/1", {"table": "tab:main", "row": "0.04", "column": "Weak EV"})
def another_best(bundle: Path) -> None:
    def move(table: Row) -> None:
        table["rows"][1]["marks"] = table["rows"][2].pop("marks")

    edit_document(bundle / MAIN, move)


# Relations between printed numbers


RELATIONS = "report/relation.jsonl"
SAME: Row = {
    "relation": "same-weak-ev",
    "formula": "tab:main[0.08, Weak EV] == tab:scale-full[0.08, Weak EV]",
    "sentence": "Both tables print the weak EV of one policy.",
    "source": "captions of both tables",
}


@mutation("relation.formula", RELATIONS, "/formula", {"relation": "same-weak-ev"})
def relation_of_no_column(bundle: Path) -> None:
    write_rows(bundle / RELATIONS, [{**SAME, "formula": SAME["formula"].replace("Weak EV]", "Strength]", 1)}])


@mutation("relation.holds", RELATIONS, "/formula", {"relation": "same-weak-ev"})
def relation_that_cannot_hold(bundle: Path) -> None:
    write_rows(bundle / RELATIONS, [{**SAME, "formula": f"{SAME['formula']} + 0.02"}])


# Queries that must return no rows


@mutation("query.empty", "report/queries.json", None, {"query": "no-held-out-states"})
def query_that_finds_rows(bundle: Path) -> None:
    sql = "SELECT state FROM observation WHERE split = 'held-out'"
    document = {
        "views": {},
        "must_be_empty": {"no-states": "SELECT 1 FROM observation WHERE state = ''", "no-held-out-states": sql},
    }
    (bundle / "report" / "queries.json").write_text(json.dumps(document), encoding="utf-8")


# Evidence from outside


@mutation("witness.later", "declare/source.jsonl", None, {"stage": "declare"})
def names_later_values(bundle: Path) -> None:
    digest = file_digest((bundle / "report" / "values.held-out.jsonl").read_bytes())
    edit_rows(bundle / "declare" / "source.jsonl", lambda rows: rows[0].update(description=digest))


@mutation("witness.outside", "witnesses/root.dsse.json", None, reseal=False)
def signature_of_nothing(bundle: Path) -> None:
    attach(bundle, "witnesses/root.dsse.json", "{}")


@mutation("witness.disclosed", "report/tree.labels.json", None, {"tree": "labels"})
def changed_disclosure(bundle: Path) -> None:
    rows = salted([{"item": f"i{number}", "label": "a", "split": "held-out"} for number in range(5)])
    tree = tree_of("labels", "label", rows, None)
    shown = disclosed(tree, rows, [3])
    shown["rows"][0]["row"]["label"] = "b"
    attach(bundle, "report/tree.labels.json", tree.model_dump_json(exclude_none=True))
    attach(bundle, "witnesses/labels.rows.json", json.dumps(shown))


# The release


def attach(bundle: Path, path: str, text: str) -> None:
    """Puts a file into the bundle."""
    (bundle / path).parent.mkdir(exist_ok=True)
    (bundle / path).write_text(text)


@mutation("hygiene.anonymous", "report/attachments/notes.txt", None)
def home_directory(bundle: Path) -> None:
    attach(bundle, "report/attachments/notes.txt", "written to /home/reviewer2/results\n")


@mutation("manuscript.references", "report/manuscript.log", None, {"name": "tab:gone"})
def undefined_reference(bundle: Path) -> None:
    warning = "LaTeX Warning: Reference `tab:gone' on page 3 undefined on input line 88.\n"
    attach(bundle, "report/manuscript.log", f"This is a TeX log\n\n{warning}")


@mutation("manuscript.overfull", "report/manuscript.log", None, {"place": "in paragraph at lines 10--12"})
def overfull_box(bundle: Path) -> None:
    attach(bundle, "report/manuscript.log", "Overfull \\hbox (12.5pt too wide) in paragraph at lines 10--12\n")
