"""What sealed records do not determine: fields whose change no check can notice, each with the reason.

The list is reviewed: a field stands here because nothing that the verifier decides may depend on it, not because
a check is missing. Patterns are shell patterns over `kind /field: way`, or over `kind of group /field: way`,
where a group is the row's split, or `unscored` for the values of an evaluator that no score uses.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

_WORDS = "words for readers; nothing is computed from them"
_TRANSCRIBED = "as the authors transcribed it; a manuscript sealed with the table would determine it"
_LESS = "a smaller claim: what is not stated is not checked, and not counted"
_MADE = "how a run was made, by the authors' word; no record can give it again"
_SEEN = "what a state looked like beyond the features that policies read"
_ANSWERED = "what a service answered or was offered, where no recipe adds it up; nobody can ask it again"
_CARDS = "cards: the public states are those of bets, and a card that is not dealt twice changes none"
_ELSEWISE = "another recipe that gives the printed number, too"
_ORDER = "the order of a set"
_TRAINED = "what something was trained on: it leaves no trace but weights, which nobody can train again here"
_STRICTER = "a stricter tolerance, which everything keeps; a looser one is told"

REASONS: dict[str, str] = {
    "protocol /title: *": _WORDS,
    "protocol /source: *": _WORDS,
    "protocol /study: *": "what the study calls itself; the manifest follows it",
    "protocol /expects: *": "what the study expects of itself; `--as-expected` compares it with the verdict",
    "protocol /interfaces/*: *": "what an interface allows and no trace has read",
    "protocol /splits: reversed": _ORDER,
    "protocol /splits/[*]/rule: removed": _LESS,
    "protocol /tolerances/*: another digit": _STRICTER,
    "protocol /boundary/given: the last twice": "the same rule of the game twice",
    "protocol /bootstrap/schedules/*/order: the last twice": "a second place for a policy's seed; the first one counts",
    "protocol /partition_classes/*/thresholds/*: *": "a place to cut that was allowed and not chosen",
    "* /description: *": _WORDS,
    "dataset /row/required*: *": "fields that rows may leave out and none does",
    "dataset /key: reversed": _ORDER,
    "dataset /complete: the last twice": "the same demand twice",
    "dataset /complete/[*]/every: reversed": _ORDER,
    "table /caption: *": _WORDS,
    "table /source: *": "the file that printed it; a sealed manuscript is found by the table's label, too",
    "table /label: *": _TRANSCRIBED,
    "table /columns/[*]/label: longer": _TRANSCRIBED,
    "table /columns/[*]/label: another digit": _TRANSCRIBED,
    "table /columns/[*]/recipe/metric: another record's": _ELSEWISE,
    "table /columns/[*]/direction: removed": "which values are better, where the column marks none",
    "table */elsewhere/study: longer": "the bundle that has a number; `verify --beside` says where it is not",
    "table /rows/[*]/arguments/[!*]*: another record's": _ELSEWISE,
    "table /rows/[*]/recipes*: removed": _ELSEWISE,
    "table /rows/[*]/recipes/*/arguments/*: another record's": _ELSEWISE,
    "table /rows/[*]/recipes/*/arguments/*: another digit": _ELSEWISE,
    "table /rows/[*]/recipes/*/arguments/clip: *": _ELSEWISE,
    "table /rows/[*]/label: *": _TRANSCRIBED,
    "table /rows/[*]/line*: removed": _LESS,
    "table /rows/[*]/line*: *": _TRANSCRIBED,
    "table /rows/[*]: removed": _TRANSCRIBED,
    "table /rows: reversed": _TRANSCRIBED,
    "table /rows/[*]/cells/[*] (words): *": "words in a table: no number is claimed",
    "table /rows/[*]/cells/[*] (unit): *": "a unit in a column of few numbers or of several units: records hold none",
    "table /rows/[*]/cells/[*] (coarser): *": "the same number with fewer digits: it says less, and is true",
    "table /rows/[*]/recipes/*/classification: *": _LESS,
    "table /rows/[*]/printing*: removed": _LESS,
    "table */undisclosed*: *": "settings that a paper leaves out, noted for readers",
    "table /rows/[*]/marks*: removed": "whether a best cell is emphasized; a mark that is there is checked",
    "table /rows/[*]/among: *": "a row that bears no mark leaves the comparison; one that would win is found",
    "observation /board*: *": _SEEN,
    "observation /history*: *": _SEEN,
    "observation /stack*: *": _SEEN,
    "observation /pot: much larger": "more than the cap of the feature that policies read of it",
    "observation /*: reversed": "the order of a list that no policy reads in its order",
    "protocol /observation/*/m??imum: one *": "a bound of what may be seen, which every state keeps",
    "observation /*: a little larger": "a millionth of what was seen: replay has a tolerance",
    "source (row): removed": "which originals are kept",
    "source /*: *": "where an original came from, by the authors' word",
    "run (row): removed": "how something was made, where no record names the run; it is not counted",
    "game /game: *": "what a game is called; its rules stand beside the name",
    "behaviour /entries: reversed": _ORDER,
    "behaviour /context*: *": "whether somebody faces a bet is always part of the context, once and in any order",
    "game /tolerance: another digit": _STRICTER,
    "run /run: *": "what a run is called, where no other record and no recipe names it",
    "run /arm: *": _MADE,
    "run /checkpoint_rule: *": _MADE,
    "run /data_order: *": _MADE,
    "run /settings*: *": _MADE,
    "run /training_seed: *": _MADE,
    "run /evaluation_seed: *": _MADE,
    "run /resampling_seed: *": _MADE,
    "attempt /phase: removed": "an absent phase says timed",
    "attempt /request: longer": "what a request is called, where no other record names it",
    "service /attempts: one more": "a limit that no request reached; one that gave up at the old limit tells",
    "service /hardware: *": _WORDS,
    "service /retried: reversed": _ORDER,
    "service /service: longer": "what a service is called, where no other record names it",
    "attempt /*_tokens: *": _ANSWERED,
    "attempt /answer: *": _ANSWERED,
    "attempt /legal*: *": _ANSWERED,
    "attempt /started_ms: a little larger": "a moment on the service's clock, between its neighbours",
    "attempt /started_ms: another record's": "a moment on the service's clock, between its neighbours",
    "attempt of unclocked /started_ms: *": "a moment that only throughput reads, where no table prints that",
    "attempt of warm-up /elapsed_ms: *": "a duration of a request that warms the service up: no number counts it",
    "attempt /elapsed_ms: another record's": "one of hundreds of durations, which no digit of their mean shows",
    "names /printed/*/*: removed": "a name of what the caption or another name of the row says, too",
    "protocol /units/*: removed": "a unit that readers are not told; nothing is computed from it",
    "attempt /elapsed_ms: a little larger": "a millionth of a duration, which no printed number shows",
    "profile /probabilities*: *": "chances where neither play nor a best answer to it comes",
    "hand /players*: *": "what players are called, by the authors' word; splits deal whole entries",
    "hand /starting_stacks/[*]: *larger": "more than anybody bet",
    "hand /min_bet: *": "a least bet below every raise of the hand",
    "hand /actions/[*]: another digit": _CARDS,
    "hand /actions/[*]: another record's": _CARDS,
    "hand /actions/[*]: removed": "a player who shows nothing",
    "label of train* /*: *": "an item that no prediction is about: what was trained on leaves no trace but weights",
    "label of train* (row): removed": "an item that no prediction is about: it is not counted",
    "values of train* /*: *": _TRAINED,
    "values of train* (row): removed": _TRAINED,
    "residual (row): removed": "a direction that the sealed weights give again; without weights its traces are missing",
    "residual /checkpoint_sha256: removed": "the checkpoint's name, which the candidates of the family have, too",
    "values of unscored /values/*: *": "one value in a printed mean of hundreds, by an evaluator that no score repeats",
    "prediction /predicted: another record's": "which class was predicted, where no printed number tells",
    "prediction /score: *": "a confidence that no recipe reads",
    "relation /formula: another *": "another statement of the authors, and one that holds",
    "relation /unknowns*: *": "where an unknown is looked for; it has a value there, too",
    "relation /relation: *": _WORDS,
    "relation /sentence: *": _WORDS,
    "relation /source: *": _WORDS,
    "relation /question*: *": _WORDS,
    "relation /assumes*: *": _WORDS,
    "relation /repairs*: *": "explanations to try where a relation is contradicted; none changes whether it is",
    "relation (row): removed": _LESS,
    "selection /certified: reversed": _ORDER,
    "selection /counts: reversed": _ORDER,
    "summary (row): removed": _LESS,
    "teacher /value: removed": _LESS,
    "trace /inputs: reversed": "the order in which a trace lists what it read",
}
"""Pattern to reason. A place in a list is written `[*]`, for the star itself."""


OF_STATUS = {
    "attested": "a cell that rests on the authors' word, and is counted so",
    "constrained": "a cell without records: relations leave it some room, and it is counted so",
    "contradicted": "a cell that relations refute as it stands: a finding before and after",
    "elsewhere": "a cell that another bundle determines; `verify --beside` compares it",
    "unclassified": "a cell that nothing accounts for: the verdict says so",
}
"""Printed cells that no record of the bundle gives, by what is said of them."""


def reason_of(field: str, way: str, groups: Iterable[str] = (), *, printed_again: bool = False) -> str | None:
    """Why a field is free to be changed in a way, in records of some groups; None where it is not.

    Nothing that was transcribed is free in a table that is read again from a sealed manuscript.
    """
    kind, _, pointer = field.partition(" ")
    names = [f"{field}: {way}", *(f"{kind} of {group} {pointer}: {way}" for group in groups)]
    reasons = (reason for known, reason in REASONS.items() if any(fnmatchcase(name, known) for name in names))
    return next((reason for reason in reasons if not (printed_again and reason == _TRANSCRIBED)), None)
