"""What sealed records do not determine: fields whose change no check can notice, each with the reason.

The list is reviewed: a field stands here because nothing that the verifier decides may depend on it, not because
a check is missing. Patterns are shell patterns over `kind /field: way`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

_WORDS = "words for readers; nothing is computed from them"
_TRANSCRIBED = "as the authors transcribed it; a sealed manuscript beside the table determines it"
_LESS = "a smaller claim: what is not stated is not checked, and not counted"
_MADE = "how a run was made, by the authors' word; no record can give it again"
_SEEN = "what a state looked like beyond the features that policies read"

REASONS: dict[str, str] = {
    "protocol /title: *": _WORDS,
    "protocol /source: *": _WORDS,
    "protocol /study: *": "what the study calls itself; the manifest follows it",
    "protocol /expects: *": "what the study expects of itself; `--as-expected` compares it with the verdict",
    "protocol /anonymous: *": "whether names are looked for; `true` to `false` asks for less",
    "protocol /interfaces/*: *": "what an interface allows and no trace has read",
    "* /description: *": _WORDS,
    "table /caption: *": _WORDS,
    "table /source: *": _TRANSCRIBED,
    "table /label: *": _TRANSCRIBED,
    "table /columns/[*]/label: *": _TRANSCRIBED,
    "table /rows/[*]/label: *": _TRANSCRIBED,
    "table /rows/[*]/line*: *": _TRANSCRIBED,
    "table /rows/[*]: removed": _TRANSCRIBED,
    "table /rows: reversed": _TRANSCRIBED,
    "table /rows/[*]/cells/[*] (words): *": "words in a table: no number is claimed",
    "table /rows/[*]/cells/[*] (unit): *": "the unit or mark behind a number: records hold numbers only",
    "table /rows/[*]/cells/[*] (coarser): *": "the same number with fewer digits: it says less, and is true",
    "table */undisclosed*: *": "settings that a paper leaves out, noted for readers",
    "table /rows/[*]/marks*: removed": "whether a best cell is emphasized; a mark that is there is checked",
    "table /rows/[*]/among: *": "which rows a mark compares; a subset of one row is found",
    "observation /board*: *": _SEEN,
    "observation /history*: *": _SEEN,
    "observation /stack*: *": _SEEN,
    "source (row): removed": "which originals are kept",
    "source /*: *": "where an original came from, by the authors' word",
    "run /arm: *": _MADE,
    "run /checkpoint_rule: *": _MADE,
    "run /data_order: *": _MADE,
    "run /settings*: *": _MADE,
    "run /*seed*: *": _MADE,
    "attempt /*tokens: *": "recorded by the service where no recipe adds it up; no record can give it again",
    "prediction /score: *": "a confidence that no recipe reads",
    "summary (row): removed": _LESS,
    "teacher /value: removed": _LESS,
    "trace /inputs: reversed": "the order in which a trace lists what it read",
}
"""Pattern to reason. A place in a list is written `[*]`, for the star itself."""


def reason_of(field: str, way: str) -> str | None:
    """Why a field is free to be changed in a way; None where it is not."""
    return next((reason for known, reason in REASONS.items() if fnmatchcase(f"{field}: {way}", known)), None)
