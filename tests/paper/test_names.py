"""Names: words, the paper's own glossary, and which things a text names."""

from __future__ import annotations

import pytest

from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.index import (
    APART,
    AROUND,
    INSIDE,
    LETTERS,
    PART,
    WORDS,
    Group,
    Names,
    Resolved,
    Thing,
    numbers_said,
    unambiguous,
)
from sealtrace.paper.names.words import stems, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acc.", "accuracy"),
        ("# Params", "num_params"),
        ("BestRun", "best_runs"),
        ("1.50", "1.5"),
        ("1,273", "1273"),
        ("Δ error", "delta_err"),
        ("avg latency", "mean lat"),
    ],
)
def test_labels_and_fields_have_the_same_stems(one: str, other: str) -> None:
    """Capitals, plurals, joints, filling zeros and everyday abbreviations make no difference."""
    assert stems(one) == stems(other)


def test_a_percent_sign_behind_a_number_is_no_word() -> None:
    """It is a part of the number, so that `10% water` has its words side by side."""
    assert stems("10% water") == ("10", "water")


def test_words_know_where_they_stand() -> None:
    """The places are those of the text as it is."""
    text = "the BestRun of 0.50"
    assert [text[word.start : word.end] for word in words(text)] == ["the", "Best", "Run", "of", "0.50"]


@pytest.mark.parametrize(
    ("text", "short", "meaning"),
    [
        ("Diagnostics. D is dominant rate, and so on.", "D", "dominant rate"),
        ("the Classifier Test Score (CTS) of a run", "CTS", "Classifier Test Score"),
        ("it lowers exploitability (Expl) at once", "Expl", "exploitability"),
        ("Columns: KU = knowledge update; TR = temporal reasoning.", "ku", "knowledge update"),
    ],
)
def test_the_paper_defines_its_short_names(text: str, short: str, meaning: str) -> None:
    """Captions say what a letter stands for, and the text says what brackets abbreviate."""
    assert meaning in Glossary.of([text]).of_label(short)


@pytest.mark.parametrize("text", ["it is a long way", "our results (Table) agree", "the method (ABC) is new"])
def test_what_defines_nothing_is_no_definition(text: str) -> None:
    """Pronouns have no meaning, and letters that the words before a bracket do not hold abbreviate nothing."""
    assert Glossary.of([text]).meanings == {}


def test_a_label_is_widened_by_what_its_short_names_stand_for() -> None:
    """The meaning stands behind the label's own words."""
    assert Glossary.of(["D is dominant rate."]).widened("Frozen D") == ("frozen", "d", "dominant", "rate")


def group(*texts: str, kind: str = "value", under: tuple[str, ...] = ()) -> Group[str]:
    return Group(Thing(kind, text, (text,), under) for text in texts)


def label(text: str, among: Group[str], *texts: str) -> list[tuple[str, float]]:
    return [(named.thing.id, round(named.strength, 3)) for named in Names(texts).resolve(text, (among,))]


def running(text: str, among: Group[str], *texts: str) -> list[tuple[str, float]]:
    found = Names(texts or (text,)).resolve(text, (among,), running=True)
    return [(named.thing.id, round(named.strength, 3)) for named in found]


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        pytest.param("Macro-F1", ("macro_f1", "accuracy"), [("macro_f1", LETTERS)], id="letter by letter"),
        pytest.param("avg. errors", ("mean_err", "sd_err"), [("mean_err", WORDS)], id="all words, abbreviated"),
        pytest.param("error of the mean", ("mean", "sd"), [("mean", WORDS)], id="words inside a longer label"),
        pytest.param("Acc. (%)", ("accuracy_pct", "time"), [("accuracy_pct", WORDS)], id="a sign for a word"),
        pytest.param("North", ("coef_north", "coef_south"), [("coef_north", WORDS)], id="telling part of a field"),
        pytest.param("site", ("external_site_b", "base"), [("external_site_b", AROUND)], id="inside a composed field"),
        pytest.param("Qwen05B-chat", ("qwen05b", "other7"), [("qwen05b", WORDS)], id="composed label"),
        pytest.param("Alderbase", ("alder", "elm"), [("alder", INSIDE)], id="joined label"),
        pytest.param("calibrat", ("calibrated run", "plain"), [("calibrated run", AROUND)], id="a beginning"),
    ],
)
def test_strength_of_labels(text: str, values: tuple[str, ...], expected: list[tuple[str, float]]) -> None:
    """Each way to name a thing by a label has its strength."""
    assert label(text, group(*values)) == expected


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        pytest.param("here Old Oak grows", ("Old Oak", "Elm"), [("Old Oak", LETTERS)], id="letter by letter"),
        pytest.param("here old oaks grow", ("Old Oak (O)", "Elm"), [("Old Oak (O)", LETTERS)], id="without brackets"),
        pytest.param("here old brown oaks grow", ("Old Oak", "Elm"), [("Old Oak", APART)], id="a word between"),
        pytest.param("here oaken trees grow", ("Oaken Stand", "Elm"), [("Oaken Stand", PART)], id="one word of it"),
        pytest.param("misinformation is rare", ("Misinfo.", "Elm"), [("Misinfo.", LETTERS)], id="written out"),
        pytest.param("oak, old as it is", ("Old Oak", "New Oak"), [], id="other order, no word long enough"),
        pytest.param("a form, the formal one", ("Form", "Elm"), [("Form", LETTERS)], id="a beginning is no word"),
    ],
)
def test_strength_in_running_text(text: str, names: tuple[str, ...], expected: list[tuple[str, float]]) -> None:
    """A sentence has to say all words of a name close together, or one that no other name has."""
    assert running(text, group(*names)) == expected


def test_a_bare_number_is_called_with_what_stands_above_it() -> None:
    """`3` alone names no row, `order 3` does."""
    orders = group("2", "3", under=("order",))
    assert running("at order 3 it falls", orders) == [("3", WORDS)]
    assert running("3 of them fall", orders) == []


def test_the_glossary_of_the_paper_names_things() -> None:
    """What a caption defines is another name, in labels and in sentences."""
    caption = "KU = knowledge update; TR = temporal reasoning."
    assert label("KU", group("knowledge_update", "temporal_reasoning"), caption) == [("knowledge_update", WORDS)]
    assert running("In knowledge update it leads.", group("KU", "TR"), caption) == [("KU", WORDS)]


def test_things_that_are_named_equally_well_are_all_returned() -> None:
    """The caller decides what ambiguity means; `only` takes none of them."""
    found = Names().resolve("old", (group("old ash", "old elm", "young fir"),))
    assert {named.thing.id for named in found} == {"old ash", "old elm"}
    assert unambiguous(found) is None


def test_the_longest_name_wins_over_its_parts() -> None:
    """Both are said, and only the longer one is meant."""
    assert label("the base + rerank (ours)", group("base", "base+rerank", "none")) == [("base+rerank", WORDS)]
    assert running("so base rerank wins", group("Base", "Base Rerank")) == [("Base Rerank", LETTERS)]
    assert running("base wins over base rerank", group("Base", "Base Rerank")) == [
        ("Base", LETTERS),
        ("Base Rerank", LETTERS),
    ]


def test_the_words_that_name_a_thing_are_returned() -> None:
    """What is left of the text remains unexplained."""
    text = "accuracy of Ash on the test split"
    (named,) = Names().resolve(text, (group("ash", "elm"),))
    assert [text[word.start : word.end] for word in named.words] == ["Ash"]
    (spoken,) = Names([text]).resolve(text, (group("test split", "training split"),), running=True)
    assert text[slice(*spoken.span)] == "test split"


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.5B", "qwen05b"), ("Qwen2.5-3B", "qwen3b"), ("seed 42", "seed42"), ("2017→2018", "y2017->y2018")],
)
def test_labels_find_values_as_files_write_them(text: str, value: str) -> None:
    """Labels as papers write them find the values as files write them."""
    values = ["qwen05b", "qwen15b", "qwen3b", "seed42", "seed43", "y2017->y2018", "y2018->y2017"]
    found = unambiguous(Names().resolve(text, (group(*(one for one in values if one[:2] == value[:2])),)))
    assert found is not None
    assert found.thing.id == value


def test_a_label_that_says_two_names_is_neither() -> None:
    """`Pro (think)` names `pro` and `think`."""
    assert unambiguous(Names().resolve("GPT-5 Pro (think)", (group("gpt-5-pro", "gpt-5-think", "gpt-5"),))) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.50", "1.5"), ("K = 2", "2"), ("10^-6", "1e-06"), ("60% depth", "0.6"), ("8K", "8192"), ("m = 25", None)],
)
def test_a_label_that_is_a_number_names_one(text: str, value: str | None) -> None:
    """However it is written; a number that the field does not hold names nothing."""
    found = unambiguous(Names().resolve(text, (group("1", "1.5", "2", "1e-06", "0.6", "8192"),)))
    assert (None if found is None else found.thing.id) == value


def test_numbers_beyond_any_size_are_none() -> None:
    """A power that no number holds is passed over."""
    assert [numbers_said(text) for text in ("10^400", "2e999", "10^3")] == [[], [], [(1000.0, LETTERS)]]


def test_statistics_are_things_with_several_words() -> None:
    """Each of its words calls a statistic; kinds can be asked for together."""
    statistics = Group((Thing("statistic", "sd", ("sd", "standard deviation")), Thing("statistic", "mean", ("mean",))))
    fields = group("latency", "accuracy", kind="field")
    found: list[Resolved[str]] = Names().resolve("standard deviation of the latency", (statistics, fields))
    assert [(named.thing.kind, named.thing.id) for named in found] == [("statistic", "sd"), ("field", "latency")]


def test_a_strength_is_a_number_between_nothing_and_one() -> None:
    """Whatever a text says of whatever things."""
    things = group("alder base", "alder", "elm_2", "42", "p", "%")
    for text in ("Alder (base) 42", "elm 2", "p", "%", "", "42", "ALDER ALDER alderbase"):
        for way in (False, True):
            assert all(
                0 < named.strength <= 1 and named.words
                for named in Names((text,)).resolve(text, (things,), running=way)
            )


def test_names_are_found_without_any_value() -> None:
    """A thing has a kind, an id and texts, and nothing that was printed or measured beside it."""
    assert set(Thing.__dataclass_fields__) == {"kind", "id", "texts", "under"}
