"""Results of any field: labelled items, predictions, measurements, and the runs that made them."""

from sealtrace.contract.packs import STAGES, Form, Kind, Pack, any_role, catalogue, unless_held

_HERE = "sealtrace.studies.results"

KINDS = (
    Kind("label", Form.ROWS, f"{_HERE}.records:Label", ("item",), any_role("declare", "report")),
    Kind("prediction", Form.ROWS, f"{_HERE}.records:Prediction", ("item", "model"), any_role("replay", "report")),
    Kind(
        "measurement",
        Form.ROWS,
        f"{_HERE}.records:Measurement",
        ("quantity", "subject", "repeat"),
        any_role("structure", "select", "report"),
    ),
    Kind("dataset", Form.DOCUMENT, "sealtrace.contract.sealing:Dataset", stages=any_role(*STAGES)),
    Kind("rows", Form.ROWS, "", stages=any_role(*STAGES)),
    Kind("run", Form.ROWS, "sealtrace.contract.sealing:Run", ("run",), any_role("bank", "report")),
)

CATALOGUE = catalogue(
    """
dataset.declared: Every declared dataset has rows, and its references lead to datasets that are declared
    enforces bundle format: datasets
    broken where a reference names a dataset that is not there
    reads dataset rows
dataset.references: Every row that is named is there, and every row that must be named is
    enforces bundle format: references between datasets
    broken where an answer is about an example that the examples do not have
    reads dataset rows; needs dataset.declared; consequences table.cells
dataset.complete: Every declared combination is there as often as declared: every example with every system and seed
    enforces bundle format: completeness of datasets
    broken where the wrong answers of one system are deleted
    reads dataset rows; consequences dataset.counts table.cells
dataset.depends: What is one for each is one: an example has the same right answer for every system
    enforces bundle format: dependencies within datasets
    broken where the right answer of an example is changed for one system
    reads dataset rows; consequences table.cells
dataset.counts: Datasets have as many rows, and fields as many values, as declared
    enforces bundle format: declared counts
    broken where the declaration counts another number of rows
    reads dataset rows
result.predictions: Every model predicts every labelled item of its splits exactly once, and nothing else
    enforces bundle format: predictions join labels
    broken where the wrong predictions of one model are deleted
    reads label prediction; consequences table.cells
result.measurements: Every measured quantity has one unit and the same repeats, from zero, for each subject
    enforces bundle format: measurements
    broken where all but one of the repeats of a subject are deleted
    reads measurement; consequences table.cells
result.runs: Every run that a record names is there, and the checkpoint that a run names is in the bundle
    enforces bundle format: runs
    broken where a run names a checkpoint that is not in the bundle
    reads run
    """
)

PACK = Pack(
    name="results",
    kinds=KINDS,
    catalogue=CATALOGUE,
    checks=f"{_HERE}.checks",
    metrics=f"{_HERE}.metrics",
    evidence=f"{_HERE}.evidence:Results",
    overview=f"{_HERE}.evidence",
    measured=("measurement",),
    doubtful=f"{_HERE}.evidence:doubtful",
    streamed=("rows",),
    streamer=f"{_HERE}.streaming:judge",
    absent=unless_held("the study holds no datasets, predictions, measurements or runs", *KINDS),
)
