"""Claims of a reader: what ties them to the paper, what refuses them, and how they are graded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claims.papers import PAPER, decided, ground, one
from cli.runner import sealtrace
from sealtrace.bundle.defects import BundleError
from sealtrace.claims.outline import outline_of, outline_text, uncovered
from sealtrace.claims.reading import claims_in
from sealtrace.report.claims import known_of

GAIN = "Large gains 3.7 points of F1 over Base"


# Refusals


@pytest.mark.parametrize(
    ("quote", "reading", "why"),
    [
        ("nowhere in the paper", "4 == 5", "stands nowhere in the paper"),
        ("All models", "4 == 5", "4 has no kind"),
        (GAIN, "#3.9 == tab:main[Large, F1]", "no number of the quotation, whose numbers are: 3.7 points"),
        ("2.7× 10^-4", "#4 == tab:main[Small, F1]", "no number of the quotation"),
        ("in range 12–2.15", "#-2.15 == tab:main[Small, F1]", "no number of the quotation"),
        (GAIN, "#3.7 == tab:main[Huge, F1] - tab:main[Base, F1]", "has no row 'Huge'"),
        (GAIN, "#3.7 == tab:main[Large, F2]", "has no column 'F2'"),
        (GAIN, "#3.7 == #3.7", "fewer than two independently printed things"),
        (GAIN, "#3.7 > 0", "fewer than two independently printed things"),
        (GAIN, "#3.7 - #3.7 + tab:main[Base, F1] == tab:main[Base, F1]", "no change of a printed digit could break it"),
        (GAIN, "#3.7 <= 3 * tab:main[Base, F1]", "3 has no kind"),
        (GAIN, "#3.7 == = 4", "expected"),
    ],
)
def test_what_is_not_tied_to_the_paper_is_refused_with_the_reason(quote: str, reading: str, why: str) -> None:
    found = one(quote, reading)
    assert (found.grade, why in (found.reason or "")) == ("refused", True), found.reason


def test_a_quotation_of_another_sentence_is_refused_with_the_right_one() -> None:
    (found,) = decided(f'claim it\n  at s1 "{GAIN}"\n  reads #3.7 == tab:main[Large, F1]\n')
    assert found.grade == "refused"
    assert "it is in s3" in (found.reason or "")


def test_equal_numbers_of_two_sentences_are_counted_through_the_quotations() -> None:
    paper = PAPER.replace("Large gains", "Base reaches 71.2 F1 again. Large gains")
    claims = 'claim it\n  at s2 "Base reaches 71.2 F1"\n  also s3 "Base reaches 71.2 F1"\n  reads #71.2@1 == #71.2@{}\n'
    (found,) = decided(claims.format(2), paper)
    assert (found.grade, [one.number for one in found.numbers]) == ("holds", ["s2.n1", "s3.n1"]), found.reason
    for which in ("0", "3", "9" * 5000):
        (found,) = decided(claims.format(which), paper)
        assert found.grade == "refused"


def test_a_number_that_is_compared_with_a_bound_is_refused_with_the_reason() -> None:
    found = one(
        "accuracy of 0.81", "#0.81 < #0.001", 'also "The p value was p > 0.001"', text=PAPER.replace("$p < 0", "$p > 0")
    )
    assert (found.grade, "printed as a bound" in (found.reason or "")) == ("refused", True), found.reason


def test_numbers_in_millions_are_not_compared_with_plain_ones() -> None:
    paper = PAPER.replace("Small & 70.4", "Small & 4.7")
    found = one("We use 4.7M parameters", "#4.7M == tab:main[Small, F1]", text=paper)
    assert found.grade == "refused"
    assert "units differ" in (found.reason or "")


def test_a_refused_claim_does_not_stop_the_others() -> None:
    reading = "#3.7 == tab:main[Large, F1] - tab:main[Base, F1]"
    claims = f'claim a\n  at "nowhere"\n  reads 1 == 1\nclaim b\n  at "{GAIN}"\n  reads {reading}\n'
    assert [found.grade for found in decided(claims)] == ["refused", "holds"]


def test_a_number_inside_a_cell_of_words_is_listed_and_can_be_quoted() -> None:
    """It has no address of its own, and stands under the table with an id."""
    paper = PAPER.replace("Small & 70.4 & 0.80", "Small & 70.4 & see 3 of the 14 longest runs")
    (heading,) = outline_of(ground(paper))["tables"][0]["headings"]
    assert (heading["id"], [number["printed"] for number in heading["numbers"]]) == ("h1", ["3", "14"])
    for at in ("h1 ", "tab:main ", ""):
        (found,) = decided(f'claim it\n  at {at}"3 of the 14 longest runs"\n  reads #3 < #14\n', paper)
        assert (found.grade, found.reason) == ("holds", None)


def test_every_cell_with_an_address_is_in_the_outline() -> None:
    """Also a number that helps to name its row; one that is all of its name stands there as that."""
    rows = {"Small &": "Elm & 12 &", "Base &": "Elm & 14 &", "Large &": "Oak & 12 &", "Model &": "Model & Size &"}
    paper = PAPER.replace("{lrrr}", "{lrrrr}").replace("Total & & & 147", "Total & & & & 147")
    for old, new in rows.items():
        paper = paper.replace(f"\n{old}", f"\n{new}")
    facts = ground(paper).facts.entries("tab:main")
    cells = outline_of(ground(paper))["tables"][0]["cells"]
    assert {(one["row"], one["column"]) for one in cells} == {place for place, cell in facts.items() if cell.facts}
    assert ("Elm / 12", "Size") in facts


# Grades


def test_a_share_that_is_another_is_a_contradiction() -> None:
    found = one("Of the 48,200 records, 3,133 (5.0%)", "#5.0% == 100 * #3,133 / #48,200")
    assert found.grade == "contradiction"
    assert found.arithmetic == ["100 × 3,133/48,200 = 6.5, printed 5.0%"]
    assert [number.printed for number in found.numbers] == ["5.0%", "3,133", "48,200"]
    assert "paper.tex:3" in (found.letter or "")


def test_points_may_be_written_behind_a_number() -> None:
    paper = PAPER.replace("3.7 points", "3.7pp")
    gain = one("Large gains 3.7pp of F1 over Base", "#3.7pp == tab:main[Large, F1] - tab:main[Base, F1]", text=paper)
    assert gain.grade == "holds"


def test_a_claim_breaks_only_if_every_reading_breaks() -> None:
    readings = "#3.7 == tab:main[Base, F1]\n  reads #3.7 == tab:main[Large, F1] - tab:main[Base, F1]"
    assert one(GAIN, readings).grade == "holds"


def test_a_unit_in_the_last_place_is_rounding() -> None:
    assert one("Small has an accuracy of 0.81", "#0.81 quotes tab:main[Small, Accuracy]").grade == "rounding"


@pytest.mark.parametrize(
    ("quote", "reading", "grade"),
    [
        ("Small took 85 ms", "#85 quotes tab:main[Small, Time (ms)]", "rounding"),
        ("Small took 85 ms", "#85 == tab:main[Small, Time (ms)]", "rounding"),
        ("Small has an accuracy of 0.81", "#0.81 quotes tab:main[Small, Accuracy]", "rounding"),
        ("Small has an accuracy of 0.81", "#0.81 == tab:main[Small, Accuracy]", "rounding"),
        ("Small has 13 runs", "#13 quotes tab:main[Small, Runs]", "contradiction"),
        ("Small has 13 runs", "#13 == tab:main[Small, Runs]", "contradiction"),
        ("Small has an accuracy of at least 0.80", "tab:main[Small, Accuracy] >= #0.80", "rounding"),
        ("Small has an accuracy ≥ 0.80", "tab:main[Small, Accuracy] == #0.80", "rounding"),
        ("Small has an accuracy above 0.80", "tab:main[Small, Accuracy] > #0.80", "contradiction"),
    ],
)
def test_one_thing_has_one_grade_however_it_is_written(quote: str, reading: str, grade: str) -> None:
    """What a unit in the last place of a rounded number mends is rounding; counts and thresholds are exact."""
    accuracy = "0.795" if "0.80" in quote else "0.800"
    said = quote.replace("≥", "$\\geq$")
    paper = PAPER.replace("Model & F1 & Accuracy & Params", "Model & Time (ms) & Accuracy & Runs")
    paper = paper.replace("Small & 70.4 & 0.80", f"Small & 84 & {accuracy}").replace(
        "Small has an accuracy of 0.81", said
    )
    found = one(quote, reading, text=paper)
    assert (found.grade, found.reason) == (grade, None), found.missing


def test_counts_are_exact_and_no_rounding_mends_them() -> None:
    paper = PAPER.replace("& 147", "& 148")
    reading = "tab:main[Total, Params] == sum(tab:main[* except Total, Params])"
    (found,) = decided(f'claim t\n  at tab:main "Total"\n  reads {reading}\n', paper)
    assert found.grade == "contradiction"


def test_a_cell_whose_row_is_not_quoted_makes_a_suspicion_and_the_neighbour_is_shown() -> None:
    found = one(GAIN, "#3.7 == tab:main[Large, F1] - tab:main[Small, F1]")
    assert (found.grade, found.meant) == ("suspicion", "tab:main[Base, F1]")
    assert found.missing[0].endswith("the row of tab:main[Small, F1]: quote under `also` where the paper says 'Small'")


def test_a_second_quotation_names_what_the_first_does_not() -> None:
    paper = PAPER.replace("\\textbf{74.9}", "\\textbf{78.9}")
    short = one("Large reaches 74.9", "#74.9 quotes tab:main[Large, F1]", text=paper)
    long = one("Large reaches 74.9 F1", "#74.9 quotes tab:main[Large, F1]", text=paper)
    also = one("Large reaches 74.9", "#74.9 quotes tab:main[Large, F1]", 'also s10 "F1 and accuracy"', text=paper)
    assert [found.grade for found in (short, long, also)] == ["suspicion", "contradiction", "contradiction"]


def test_of_many_readings_the_first_is_shown() -> None:
    """Two stand side by side; more would hide what the words say."""
    other = [f"reads #3.7 == tab:main[Large, Accuracy] + {count} * #3.7" for count in (2, 100)]
    for more, shown in ((other[:1], "; nor: "), (other, "; nor does any of 2 other readings give it")):
        found = one(GAIN, "#3.7 == tab:main[Large, F1] - tab:main[Small, F1]", *more)
        assert shown in known_of(found)["arithmetic"][0]


def test_an_assumption_makes_a_question_with_the_same_arithmetic() -> None:
    plain = one("Of the 48,200 records, 3,133 (5.0%)", "#5.0% == 100 * #3,133 / #48,200")
    asked = one(
        "Of the 48,200 records, 3,133 (5.0%)", "#5.0% == 100 * #3,133 / #48,200", "assumes The share is of all."
    )
    assert ("question", plain.arithmetic) == (asked.grade, asked.arithmetic)
    assert "The share is of all." in (asked.letter or "")


def test_one_cell_twice_in_place_of_a_quoted_one_is_no_contradiction() -> None:
    assert one(GAIN, "#3.7 == tab:main[Base, F1] - tab:main[Base, F1]").grade == "suspicion"


def test_a_number_outside_every_quotation_makes_a_suspicion() -> None:
    assert one(GAIN, "#3.7 == s2.n1").grade == "suspicion"
    assert one(GAIN, "#3.7 == s2.n1", 'also s2 "Base reaches 71.2"').grade == "contradiction"


def test_claims_that_hold_alone_and_not_together_are_a_joint_contradiction() -> None:
    paper = r"""\documentclass{article}\begin{document}
Ann is 1.4 above Bob. Bob is 1.4 above Cid. Ann is 3.5 above Cid.
\begin{table}\caption{Scores.}\label{tab:s}\begin{tabular}{lr}\toprule Who & Score \\ \midrule
Ann & 8 s \\ Bob & 6 s \\ Cid & 5 s \\ \bottomrule\end{tabular}\end{table}\end{document}"""
    pairs = [("Ann", "1.4", "Bob"), ("Bob", "1.4", "Cid"), ("Ann", "3.5", "Cid")]
    claims = "".join(
        f'claim {first}-{second}\n  at "{first} is {by} above {second}"\n'
        f"  reads #{by} == rounded(tab:s[{first}, Score]) - rounded(tab:s[{second}, Score])\n"
        for first, by, second in pairs
    )
    *alone, joint = decided(claims, paper)
    assert {"holds"} == {found.grade for found in alone}
    assert (joint.grade, len(joint.together)) == ("contradiction", 3)


# The language


MODELS = 'set models = tab:main[* except Total, F1] "All models"'
ABOVE, BASE, LARGE = "All models stay above 70 F1", "Base reaches 71.2 F1", "Large reaches 74.9 F1"
EACH = "r in rows of tab:main except Total"
FIFTY = 'constant fifty = 50 definition "large models"'


@pytest.mark.parametrize(
    ("quote", "reading", "line", "grade"),
    [
        (ABOVE, "all m in models: m > #70", MODELS, "holds"),
        (ABOVE, "none m in models: m <= #70", MODELS, "holds"),
        (f"{ABOVE}, and two of them", "#two == count(m in models: m > #70)", MODELS, "contradiction"),
        (ABOVE, f"all {EACH}: tab:main[{{r}}, F1] > #70", "", "holds"),
        (ABOVE, "about(#70) == tab:main[Small, F1]", "", "holds"),
        ("t(28) = 2.20, p = .001", "#.001 == p_t(#2.20, #28)", "", "contradiction"),
        (BASE, "#71.2 == median(tab:main[* except Total, F1])", "", "holds"),
        (BASE, "rank(#71.2, models) == two", 'constant two = 2 definition "second"\n  ' + MODELS, "refused"),
        (LARGE, "bold(tab:main[Large, F1]) and #74.9 == max(tab:main[* except Total, F1])", "", "holds"),
        (LARGE, f"#74.9 == mean({EACH} where tab:main[{{r}}, Params] > fifty: tab:main[{{r}}, F1])", FIFTY, "holds"),
        ("accuracy of three models", "#three == count(m in tab:main[* except Total, F1]: m > 0)", "", "holds"),
        ("p < 0.001", "#0.001 == p_t(big, #0.001)", 'constant big = 9 counted "the figure"', "refused"),
        (BASE, "#71.2 == weighted(tab:main[* except Total, F1], tab:main[* except Total, Params])", "", "suspicion"),
        (BASE, "same(tab:main[Base, F1], #71.2)", "", "holds"),
        (LARGE, "increasing(tab:main[* except Total, F1])", "", "holds"),
        (LARGE, "rows(tab:main) == tab:main[Small, Params]", "", "suspicion"),
        # An unknown is no printed number: a test of it has no value, and the other claims are decided all the same.
        ("t(28) = 2.20, p = .001", "some t in [0, 9]: t == #2.20 and #.001 == p_t(t, #28)", "", "refused"),
        # What is called a definition is believed where the quoted words say that number, and nowhere else.
        ("accuracy of three models", "#three == made", 'constant made = 4 definition "accuracy"', "suspicion"),
        ("accuracy of three models", "#three == made", 'constant made = 4 definition "three models"', "suspicion"),
        (ABOVE, "tab:main[Small, F1] > made", 'constant made = 80 definition "the usual level"', "suspicion"),
    ],
)
def test_the_language_says_what_papers_say(quote: str, reading: str, line: str, grade: str) -> None:
    found = one(quote, reading, line)
    assert grade == found.grade, (found.reason, found.missing)


# Files


def test_json_json_lines_and_the_short_form_say_the_same() -> None:
    record = {"id": "it", "at": "s3", "quote": GAIN, "readings": ["#3.7 == tab:main[Large, F1] - tab:main[Base, F1]"]}
    forms = [
        json.dumps({"claims": [record]}, indent=1),
        json.dumps(record) + "\n",
        json.dumps([record]),
        f'claim it\n  at s3 "{GAIN}"\n  reads #3.7 == tab:main[Large, F1]\n    - tab:main[Base, F1]\n',
    ]
    assert len({claims_in(form, "c").pop().claim.model_dump_json() for form in forms}) == 1


def test_a_label_with_a_space_is_quoted_before_the_words() -> None:
    """Tables of Markdown are called "table 1"; words with quotation marks inside stay whole."""
    (one,) = claims_in('claim a\n  at "table 1" "Total"\n  also s3 "so "many" trees"\n  reads 1 == 1\n', "c")
    assert (one.claim.at, one.claim.quote) == ("table 1", "Total")
    assert (one.claim.also[0].at, one.claim.also[0].quote) == ("s3", 'so "many" trees')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"claims": [{"quote": "x", "reading": ["y"]}]}', "c:1: readings: Field required"),
        ('{"claims": [\n{"quote": "x", "readings": ["y"]},\n{"quote": "z", "readings": "y"}]}', "c:3: readings:"),
        ('{"claim": []}', "c:1: claim: is not known"),
        ('{"quote": "x", "readings": ["y"]}\n{"quote": 3, "readings": ["y"]}\n', "c:2: quote:"),
        ("claim a\n  reads 1 == 1\n  because x\n", "c:3: because: no line of a claim"),
        ("claim a\n  at s1 words\n", "c:2: at: expected"),
        ("relation a\n", "c:1: 'relation' starts nothing here"),
        ("# nothing\n", "c:1: holds no claim"),
        ('{"claims": [', "c:1:"),
    ],
)
def test_a_malformed_file_is_refused_with_line_and_field(text: str, message: str) -> None:
    with pytest.raises(BundleError) as error:
        claims_in(text, "c")
    assert message in str(error.value)


# The outline


def test_a_row_that_only_heads_others_is_not_counted() -> None:
    """Three models stand below a row that prints nothing but a name."""
    paper = PAPER.replace("Small & 70.4", "Our models & & \\\\ Small & 70.4")
    assert one("accuracy of three models", "#three == rows(tab:main) - 1", text=paper).grade == "holds"


def test_a_number_of_a_heading_has_an_address_and_can_be_quoted() -> None:
    """A heading prints a number that no cell has."""
    paper = PAPER.replace("& F1 &", "& F1 of 3 runs &")
    text = outline_text(ground(paper))
    assert "h1  F1 of 3 runs  {n1 3!}" in text
    for place, number in (("tab:main", "#3"), ("tab:main", "h1.n1"), ("h1", "#3")):
        reading = f"{number} <= tab:main[Base, F1 of 3 runs]"
        (found,) = decided(f'claim it\n  at {place} "F1 of 3 runs"\n  reads {reading}\n', paper)
        assert (found.grade, [one.printed for one in found.numbers]) == ("holds", ["3", "71.2"]), found.reason


def test_the_outline_prints_addresses_that_claims_can_use() -> None:
    paper = ground()
    text = outline_text(paper)
    assert "[Large]  F1 = 74.9 bold; Accuracy = 0.88; Params = 95!" in text
    assert "s3  Large gains 3.7 points of F1 over Base.  {n1 3.7 points}" in text
    numbers = [number for table in outline_of(paper)["tables"] for cell in table["cells"] for number in cell["numbers"]]
    assert {
        "id": "tab:main[Small, F1]",
        "printed": "70.4",
        "read": "rounded",
        "low": "70.35",
        "high": "70.45",
    } in numbers


def test_the_outline_says_in_which_unit_a_number_is() -> None:
    numbers = {one["id"]: one.get("unit") for said in outline_of(ground())["sentences"] for one in said["numbers"]}
    assert (numbers["s3.n1"], numbers["s1.n1"]) == ("pp", None)


def test_stars_of_a_cell_are_counted() -> None:
    """They say below which level a p lies; numbers of the text have none."""
    paper = PAPER.replace("& 0.88 &", "& 0.88$^{**}$ &")
    for address, grade in (("tab:main[Large, Accuracy]", "holds"), ("tab:main[Base, Accuracy]", "suspicion")):
        assert one("two of them", f"#two == stars({address})", text=paper).grade == grade
    assert "stars stand in cells of tables" in (one("two of them", "#two == stars(#two)").reason or "")


def test_a_count_is_shown_whole() -> None:
    found = one("two of them", "#two == count(m in tab:main[* except Total, F1]: m > #70)", 'also s4 "above 70 F1"')
    assert [line.partition(" = ")[2] for line in found.arithmetic] == ["3, printed two"], found.reason


def test_what_a_rule_finds_wrong_with_numbers_of_a_broken_claim_is_not_said_again(tmp_path: Path) -> None:
    """Unless the claim is a question: then the rule says more."""
    paper, claims = tmp_path / "paper.md", tmp_path / "paper.claims"
    paper.write_text("It grew 31,200 leaves over 800 days (mean 32.5).\n", encoding="utf-8")
    claim = 'claim mean\n  at s1 "31,200 leaves over 800 days (mean 32.5)"\n  reads #32.5 == #31,200 / #800\n'
    shown = []
    for text in (claim, f"{claim}  assumes Every day counts.\n"):
        claims.write_text(text, encoding="utf-8")
        found = json.loads(sealtrace("audit", paper, "--claims", claims, "--format", "json").output)
        shown.append([(one["family"], one["grade"]) for one in found["claims"]])
        assert len(found["findings"]) == len(shown[-1])
    assert shown == [
        [("claims", "contradiction")],
        [("text against text", "suspicion"), ("claims", "question")],
    ]


def test_what_no_claim_touches_is_listed() -> None:
    left = uncovered(ground(), {"tab:main[Small, F1]", "s3.n1"})
    assert "tab:main[Small, F1]" not in left["tables"]["tab:main"]
    assert "tab:main[Base, F1]" in left["tables"]["tab:main"]
    assert "s3" not in [sentence["id"] for sentence in left["sentences"]]


def test_check_decides_claims_beside_its_results(tmp_path: Path) -> None:
    """A broken claim is a finding of `check`, a refused one makes it incomplete, and what results give stays."""
    (tmp_path / "paper.tex").write_text(PAPER.replace("of 0.81", "of 0.80"), encoding="utf-8")
    results = tmp_path / "results"
    results.mkdir()
    rows = ["model,F1,Accuracy,Params", "Small,70.4,0.80,12", "Base,71.2,0.84,40", "Large,74.9,0.88,95"]
    (results / "scores.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    claims = tmp_path / "paper.claims"
    grades = {}
    for name, quote, reading in (
        ("gain", GAIN, "#3.7 == tab:main[Large, F1] - tab:main[Base, F1]"),
        ("share", "Of the 48,200 records, 3,133 (5.0%)", "#5.0% == 100 * #3,133 / #48,200"),
        ("nowhere", "nowhere in the paper", "#3.7 == tab:main[Large, F1]"),
    ):
        claims.write_text(f'claim {name}\n  at "{quote}"\n  reads {reading}\n', encoding="utf-8")
        options = ("--claims", claims, "--format", "json", "--no-audit", "--allow-unexplained")
        run = sealtrace("check", tmp_path / "paper.tex", results, *options)
        found = json.loads(run.output)
        (claim,) = [one for one in found["claims"] if one["id"] == name]
        grades[name] = (claim["grade"], run.code)
        follows = {one["id"]: one["word"] for one in found["numbers"]}
        assert follows["tab:main[Large, F1]"] == "follows"
    assert grades == {"gain": ("holds", 0), "share": ("contradiction", 1), "nowhere": ("refused", 3)}
