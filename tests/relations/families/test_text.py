"""What the text says: quotes, claims, the text against itself, and statistics; one clean and one wrong of each."""

from __future__ import annotations

import pytest

from relations.families.small_papers import decided, read, table
from sealtrace.relations.decide import graded
from sealtrace.relations.decision import Status

TREES = table(
    "Trees by kind.",
    "Kind | Height | Age | Change",
    ["Elm | 21.40 | 81 | -0.31", "Oak | 18.22 | 140 | -0.12", "Ash | 25.91 | 95 | 0.44", "Yew | 9.37 | 212 | -0.08"],
    "tab:trees",
)
RISING = table(
    "Height rises monotonically with age.", "Step | Height", ["a1 | 1.2", "b2 | 1.9", "c3 | 2.4", "d4 | 3.0"]
)
NOT_RISING = RISING.replace("2.4", "1.7")
SIZES = "KU = known uses (n=20), MS = many seasons (80)."
MARGINS = table("Accuracy in percent.", "Kind | KU | MS | All", ["Elm | 50 | 25 | 30.0", "Oak | 75 | 50 | 55.0"])

MODELS = table(
    "Sizes.",
    "Name | Size | Pred.",
    [r"Linden-7 | 70B | 86B (1.2$\times$)", r"Alder-3 | 30B | 21B (0.7$\times$)", r"Maple | 9B | 4B (0.5$\times$)"],
)

EFFECTS = table(
    "Effects.",
    "Outcome | (1) / Growth | (2) / Seeding",
    [
        "Rain × Post | 0.1676 | -0.0924",
        " | (0.0581) | (0.0304)",
        "Shade × Post | 0.0311 | 0.0467",
        " | (0.0142) | (0.0225)",
    ],
)
COUNTED = table(
    "Cases.",
    "Program | Cases | Rate",
    [r"Elm | 201 | 100\%", r"Oak | 16 | 75.0\%", r"Ash | 20 | 95.0\%", "---", r"Total | 237 | 97.9\%"],
    "tab:counted",
)
SWEPT = table(
    "Scaling.",
    "Data size | Changed | Full",
    ["500 | 14.7 | 8.2", "1,000 | 19.3 | 13.4", "2,000 | 26.2 | 9.1", "5,000 | 31.8 | 9.7"],
)

SHARES = table(
    "Trees that grow, in percent.",
    "Kind | 5% | 10% | 20%",
    ["Elm | 61.4 | 70.2 | 78.9", "Slow Growth | 58.8 | 66.3 | 71.7", "Fir | 56.4 | 64.1 | 72.1"],
)
BLOCKS = table(
    "Height and age.",
    "Group | Kind | Start | End | Age",
    [
        *("Young | Elm | 1.27 | 3.46 | 5", "Young | Oak | 1.81 | 2.94 | 4", "Young | Ash | 1.13 | 2.26 | 6"),
        *("Old | Elm | 8.74 | 9.55 | 91", "Old | Oak | 7.38 | 7.93 | 99", "Old | Ash | 9.02 | 9.69 | 87"),
    ],
    "tab:b",
)

YEARS = table("Rain by year.", "Year | Rain", ["2018 | 0.674", "2019 | 0.951", "2020 | 0.930", "2021 | 1.144"], "tab:y")

CASES: dict[str, tuple[str, str, str, str, Status]] = {
    "a share behind what is counted": (
        "text against text",
        TREES,
        r"We found 193/276 leaves (69.9\%), and missed 3/12 trees (75\%).",
        r"We found 193/276 leaves (49.9\%), and missed 3/12 trees (75\%).",
        Status.SUSPICION,
    ),
    "a share before what is counted": (
        "text against text",
        TREES,
        r"We reach a 94.4\% match rate (3,008 of 3,186 leaves).",
        r"We reach a 94.3\% match rate (3,008 of 3,186 leaves).",
        Status.SUSPICION,
    ),
    "a product that is written out": (
        "text against text",
        TREES,
        r"In all, $30 \times 9 \times 3 = 810$ leaves were drawn.",
        r"In all, $30 \times 9 \times 3 = 840$ leaves were drawn.",
        Status.SUSPICION,
    ),
    "the first of its block": (
        "claim",
        BLOCKS,
        "Young ash has the highest age.",
        "Young elm has the highest age.",
        Status.SUSPICION,
    ),
    "who has the highest": (
        "claim",
        TREES,
        "Ash has the highest height (25.91).",
        "Elm has the highest height (21.40).",
        Status.SUSPICION,
    ),
    "the highest": ("claim", TREES, "Ash is highest on height.", "Oak is highest on height.", Status.SUSPICION),
    "a difference of two numbers in brackets": (
        "text against text",
        TREES,
        "The advantage of 1.6 pp (0.921 vs.\\ 0.905) is small, and takes $3.5\\times$ the time (2,777 s vs.\\ 805 s).",
        "The advantage of 0.8 pp (0.921 vs.\\ 0.905) is small, and takes $3.5\\times$ the time (2,777 s vs.\\ 805 s).",
        Status.SUSPICION,
    ),
    "two numbers with a unit in brackets": (
        "text against text",
        TREES,
        r"It needs 50\% longer walks (48.0 vs.\ 32.0 minutes on average).",
        r"It needs 50\% longer walks (43.0 vs.\ 32.0 minutes on average).",
        Status.SUSPICION,
    ),
    "a change with units and asides": (
        "text against text",
        TREES,
        r"Time rises from 6.13s (young) to 8.22s (old), representing 34.1\% overhead.",
        r"Time rises from 6.13s (young) to 8.72s (old), representing 34.1\% overhead.",
        Status.SUSPICION,
    ),
    "a product whose factors are named": (
        "text against text",
        TREES,
        r"This made 960 old stands: $20$ plots $\times$ $12$ kinds $\times$ $4$ years.",
        r"This made 960 old stands: $20$ plots $\times$ $12$ kinds $\times$ $5$ years.",
        Status.SUSPICION,
    ),
    "a part of a stated whole, far off": (
        "text against text",
        TREES,
        "Of the 48,200 records, 3,133 (6.5\\%) were lost.",
        "Of the 48,200 records, 3,133 (5.0\\%) were lost.",
        Status.SUSPICION,
    ),
    "thousands parted by thin spaces": (
        "text against text",
        TREES,
        "Of the 48\\,200 records, 3\\,133 (6.5\\,\\%) were lost.",
        "Of the 48\\,200 records, 3\\,133 (5.0\\,\\%) were lost.",
        Status.SUSPICION,
    ),
    "a part of a part": (
        "text against text",
        TREES,
        "Of the 1,208 trees, 364 (30.1\\%) fell, of which 21 (5.8\\%) were oaks.",
        "Of the 1,208 trees, 364 (30.1\\%) fell, of which 21 (9.8\\%) were oaks.",
        Status.SUSPICION,
    ),
    "a total, a number and a mean": (
        "text against text",
        TREES,
        "We counted 31,200 visits over 800 days (mean 39.0).",
        "We counted 31,200 visits over 800 days (mean 32.5).",
        Status.SUSPICION,
    ),
    "how many times faster": (
        "text against text",
        TREES,
        "It is 4.0$\\times$ faster (20.0 s against 5.0 s).",
        "It is 3.0$\\times$ faster (20.0 s against 5.0 s).",
        Status.SUSPICION,
    ),
    "a sum of what has names": (
        "text against text",
        TREES,
        "The head (769 numbers in total: norm = 512, rest = 257) is small.",
        "The head (709 numbers in total: norm = 512, rest = 257) is small.",
        Status.SUSPICION,
    ),
    "an interval without brackets": (
        "statistics",
        TREES,
        r"It came within 12.3 weeks (95\% CI: 10.8-14.1 weeks).",
        r"It came within 12.3 weeks (95\% CI: 12.8-14.1 weeks).",
        Status.SUSPICION,
    ),
    "an interval behind a test": (
        "statistics",
        TREES,
        r"It is stronger (b = 0.16, t(1,600) = 7.03, p < .001, 95\%CI[0.11, 0.20]).",
        r"It is stronger (b = 0.76, t(1,600) = 7.03, p < .001, 95\%CI[0.11, 0.20]).",
        Status.SUSPICION,
    ),
    "a change behind its two numbers": (
        "text against text",
        TREES,
        r"Losses fell from 8.0 to 6.0, a 25\% reduction, and gains rose from 4.0\% to 6.0\% (+2.0 pp).",
        r"Losses fell from 8.0 to 6.0, a 45\% reduction, and gains rose from 4.0\% to 6.0\% (+2.0 pp).",
        Status.SUSPICION,
    ),
    "a change that a symbol names": (
        "text against text",
        TREES,
        r"P(rain) rises from 0.312 to 0.447 (|$\Delta$P| = 0.135). Fit falls from 0.71 to 0.65 ($\Delta$AIC = 1.30).",
        r"P(rain) rises from 0.372 to 0.447 (|$\Delta$P| = 0.135). Fit falls from 0.71 to 0.65 ($\Delta$AIC = 1.30).",
        Status.SUSPICION,
    ),
    "positive only for": (
        "claim",
        TREES,
        r"The change in Table~\ref{tab:trees} is positive only for Ash.",
        r"The change in Table~\ref{tab:trees} is positive only for Oak.",
        Status.SUSPICION,
    ),
    "a sum": (
        "text against text",
        TREES,
        "There are 71 + 10 + 2 = 83 columns.",
        "There are 71 + 10 + 2 = 84 columns.",
        Status.SUSPICION,
    ),
    "a share": (
        "text against text",
        TREES,
        r"They agree on 43 of 50 (86\%).",
        r"They agree on 43 of 50 (88\%).",
        Status.SUSPICION,
    ),
    "an enumeration": (
        "text against text",
        TREES,
        "We keep four kinds (elm, oak, ash, yew).",
        "We keep five kinds (elm, oak, ash, yew).",
        Status.SUSPICION,
    ),
    "parts of what was counted before": (
        "text against text",
        TREES,
        r"We mapped 1,200 young trees, of which 900 (75\%) stood on slopes.",
        r"We mapped 1,200 young trees, of which 900 (70\%) stood on slopes.",
        Status.SUSPICION,
    ),
    "a split": (
        "text against text",
        TREES,
        "We split 1,000 trees into 700 old trees, 150 young trees and 150 dead trees.",
        "We split 1,000 trees into 700 old trees, 150 young trees and 250 dead trees.",
        Status.SUSPICION,
    ),
    "a sample in brackets": (
        "text against text",
        TREES,
        "Those who answered (mean age 45.2, n = 120 (60 female, 60 male)) agreed.",
        "Those who answered (mean age 45.2, n = 120 (60 female, 70 male)) agreed.",
        Status.SUSPICION,
    ),
    "by how much, from what to what": (
        "text against text",
        TREES,
        r"The yield improved by 5.2 percentage points, from 80.1\% to 85.3\%.",
        r"The yield improved by 4.2 percentage points, from 80.1\% to 85.3\%.",
        Status.SUSPICION,
    ),
    "how many times lower": (
        "text against text",
        TREES,
        r"The delay falls from 20.0 ms to 5.0 ms (4.0$\times$ lower).",
        r"The delay falls from 20.0 ms to 5.0 ms (3.0$\times$ lower).",
        Status.SUSPICION,
    ),
    "a p value": (
        "statistics",
        TREES,
        "The effect is clear, t(28) = 2.20, p = .036.",
        "The effect is clear, t(28) = 2.20, p = .009.",
        Status.CONTRADICTION,
    ),
    "a chi square": (
        "statistics",
        TREES,
        r"They differ, $\chi^2$(2) = 5.10, p = .078.",
        r"They differ, $\chi^2$(2) = 5.10, p = .041.",
        Status.CONTRADICTION,
    ),
    "an interval": (
        "statistics",
        TREES,
        r"The gain is 0.41, 95\% CI [0.16, 0.61].",
        r"The gain is 0.41, 95\% CI [0.46, 0.61].",
        Status.SUSPICION,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_that_is_wrong_is_found_and_one_that_is_right_is_not(name: str) -> None:
    """The same paper twice: only the number or the name differs."""
    family, given, right, wrong, status = CASES[name]
    clean = [one for one in decided(read(given, prose=right)) if one.status in (Status.SUSPICION, Status.CONTRADICTION)]
    assert clean == []
    assert [one for one in decided(read(given, prose=right)) if one.claim.family == family]
    found = [one for one in decided(read(given, prose=wrong)) if one.status in (Status.SUSPICION, Status.CONTRADICTION)]
    assert {(one.claim.family, one.status) for one in found} == {(family, status)}


TIES = table("Ties.", "Trait | r | n", ["Leaf | .46 | 120", "Bark | .43 | 131", "Root | .52 | 118"])
SILENT = {
    "examples behind the number of a group": (
        TREES,
        "All of them have kinds in group 3 such as: elm, oak, ash and yew.",
    ),
    "a bound right behind a reference to another table": (
        TREES + table("Seeds.", "Kind | Seeds", ["Fir | 12", "Beech | 31"], "tab:seeds"),
        r"Seeds are few (Table~\ref{tab:seeds}). All trees of this kind have a height of more than 10.2 metres.",
    ),
    "a column of whose rows the sentence names none": (
        table("Stones.", "Stone | Fit | Cost", ["Ruby | 0.9811 | 3.1", "Opal | 0.9823 | 3.6", "Jade | 0.9874 | 2.8"]),
        "While nets have a slightly higher fit of 0.9923 in the end, they cost more.",
    ),
    "what is counted before what it stands in": (
        TREES,
        "We see three traits which occur in five woods: bark, leaf, and root.",
    ),
    "percent of what the table has not, at one of its columns": (
        table("Runs that end well.", "Net | SEC0 | SEC1", ["NET0 | 34 | 31", "NET1 | 21 | 27", "NET2 | 15 | 11"]),
        r"Emulation adds to it: NET2 increases latency by 34.0\% over NET0 at SEC0.",
    ),
    "percent of what the table has not": (
        table("Runs that end well.", "Net | Share (%)", ["NET0 | 34", "NET1 | 21", "NET2 | 15"]),
        r"The second setting adds to it: NET2 increases latency by 34.0\% over NET0.",
    ),
    "an item that stands for several": (
        TREES,
        "We tell six kinds (root damage, leaf damage, bark damage, and their corresponding hidden kinds).",
    ),
    "some of what is counted": (TREES, "It helped in three of the four large woods (Elm, Oak, and Ash), not in Yew."),
    "items that are numbered": (
        TREES,
        "There are 5 fields as follow: 1 the input; 2 the reads; 3 the settings; 4 the buttons; 5 the plots.",
    ),
    "a version": (TREES, "The height and age of Oak are from Oak (girth 18.7-02) and from a field."),
    "an estimate with bounds of its own, of others than the row's": (
        TREES,
        "The height of Oak is 18.22 metres. Those beside a river stand out: height of Oak 24.08 [21.43--26.01].",
    ),
    "an improvement that has a row's name before it": (TREES, r"In height, Oak shows an 18.32\% improvement."),
    "a number of another paper": (TREES, r"The height of Oak elsewhere is 18.32 \cite{other}."),
    "a year": (
        table("Oaks.", "Kind | Seeds", ["Elm | 1940", "Oak | 1840", "Ash | 1211"]),
        "The seeds of the Oak date from 1870.",
    ),
    "a mean of several rows": (TREES, "Oak reaches a mean height of 18.32 over the years."),
    "a line that the table has not": (TREES, r"As Table~\ref{tab:trees} shows, height is 18.32 among the young."),
    "a difference that is no value": (TREES, "Of the elms, height is 20.40 higher than that of yews."),
    "a share behind its count": (
        table("Woods.", "What | Value", ["Trees | 91", "Paths | 23", "Ponds | 12"], "tab:w"),
        r"In Table~\ref{tab:w} the largest wood holds 50 trees (55\%), with paths beside it.",
    ),
    "a pair of which one is a cell by accident": (
        TREES,
        r"Another way reduces the height to 21.40 and 18.72 in the end.",
    ),
    "a longer name than the row has": (TREES, "Elm Seedlings reach a height of 21.90 metres."),
    "what is counted besides": (
        table("Tiles.", "Set | Tiles | Size", ["Elm | 107 | 31", "Oak | 182 | 44", "Ash | 93 | 27"]),
        "For Elm, we tile the 187-leaf region.",
    ),
    "a part of the whole": (
        table("Asked.", "Walk | People", ["North | 140,310", "South | 83,006", "---", "Overall | 223,316"]),
        "The later stretch (220,460 people) gives the same.",
    ),
    "a sentence of which no number is the table's": (
        table(
            "Turns.",
            "Trait | Single | Multi",
            ["Bold | +30.1% | +7.4%", "Plain | +12.2% | +5.9%", "Long | +9.9% | +2.6%"],
        ),
        "Bold has +7.4\\% in multi and +30.1\\% in single.\n\n"
        "Otherwise bold falls from +15.8\\% in single to +3.1\\% in multi.",
    ),
    "the first of a figure": (
        table("Main.", "Way | Accuracy", ["Sum | 91.5", "Fusion (direct) | 92.3", "Fusion (late) | 91.9"])
        + table(
            "Other.",
            "Way | ECE | Accuracy",
            ["Single | 0.082 | 90.8", "Deep | 0.605 | 99.6", "Fusion (ours) | 0.011 | 98.9"],
        ),
        "Fusion achieves the highest accuracy.",
    ),
    "most of the opposite": (
        table("Agreement.", "Kind | All | Rare", ["Elm | 74.9 | 83.5", "Oak | 73.3 | 80.8", "Ash | 47.0 | 32.7"]),
        "Ash is the outlier, dissenting most on rare.",
    ),
    "the largest of a row": (
        table(
            "Effects.", "Trait | Top | Bottom", ["Bold | +13.5 | +20.3", "Long | +31.0 | +40.2", "Plain | +9.1 | +25.5"]
        ),
        "Bold has its largest effect in the bottom (+20.3, compared with +13.5 in the top).",
    ),
    "a row whose name begins like a summary": (
        table("Over all three gates.", "Gate | Mean", ["Max. drop | 2.1", "Slope | 3.3", "Width | 1.7"]),
        "",
    ),
    "shares behind both of two counts": (TREES, r"The number falls from 72 (1.8\%) to 26 (0.64\%)."),
    "a chain of three": (TREES, r"It rises 5.37 $\to$ 7.13 $\to$ 8.05 (1.5-fold)."),
    "a gap that is a range": (TREES, r"Accuracy ranges from 32.9\% to 54.9\%: a gap of 24 to 46 points."),
    "two numbers that one sentence tells apart": (
        TREES,
        "The second trial grew 3,460 seedlings, 10 untouched ones and 3,450 grafted ones.\n\n"
        "The second trial grew 3,450 grafted seedlings.\n\nIn the end the second trial grew 3,450 grafted seedlings.",
    ),
    "a share before two numbers that are opposed": (
        TREES,
        r"At 20\% reduction pruning keeps 97.6\% of the harvest and outperforms thinning (0.825 vs 0.810).",
    ),
    "statistics of another test": (
        table(
            "Tests.", "Item | r | Z", ["Harsh rules | .62 | 8.23", "Three strikes | .46 | 5.06", "Parole | .33 | 6.70"]
        ),
        "Harsh rules have Z = 8.23.\n\nWithout the young it held for harsh rules (Z = 5.90) and parole (Z = 4.60).",
    ),
    "rows from the most to the least of what a column rises with": (
        table(
            "Shares.",
            "Plan | Share | Rate",
            ["a1 | 0.8 | 93", "b2 | 0.5 | 80", "c3 | 0.3 | 66", "d4 | 0.1 | 7"],
            "tab:s",
        ),
        r"A sweep (Table~\ref{tab:s}) shows that the rate rises monotonically with the sower's part.",
    ),
    "the version of a tool": (
        table("Steps.", "Kind | Sound | Sight", ["Elm | 12.7 | 3.1", "Oak | 15.5 | 4.4", "All | 14.1 | 3.7"]),
        "We use Birdsong 16.1 for sound in the field.",
    ),
    "weights of a sweep": (
        table(
            "Best.", "Kind | Best weight | Error", ["Elm | 0.001 | 0.417", "Oak | 0.01 | 0.173", "Ash | 0.1 | 0.130"]
        ),
        "We compare Elm, Oak and Ash across weights 0.001, 0.01, 0.1, and 1.0.",
    ),
    "another trial of the same thing": (
        table("Gates.", "Arm | Pass rate | Cost", ["full rules | 1.000 | 3.1", "no rules | 0.020 | 2.4"]),
        "The full-rules arm of this trial fails the pass outright, with a rate 0.456 after ten rounds.",
    ),
    "the end of an interval": (
        table("Passes.", "Noise | Passes | Exact CI", ["1 | 32/200 | [0.1121, 0.2183]", "2 | 88/200 | [0.37, 0.51]"]),
        "At noise 1 the passes are few (32/200, exact CI [0.1121, 0.2184]).",
    ),
    "a symbol that many things have": (TIES, "With age, leaf (r = .61), bark (r = .33) and root (r = .29) go along."),
    "values of runs in a list": (
        table("Runs.", "Kind | Score", ["Elm | 0.918 ± 0.006", "Oak | 0.920 ± 0.017", "Ash | 0.871 ± 0.010"]),
        "For Elm: 0.913, 0.924, 0.916 (mean 0.918 $\\pm$ 0.006).",
    ),
    "a number that ends a name": (TREES, r"It adds 0.60 points for Elm 4.6 (95\% CI [+0.43, +0.77])."),
    "a condition and no comparison": (TREES, r"Yew against its base is up 24.6\% under Oak and 15.5\% under Elm."),
    "a product before a sum": (TREES, r"So $N = 20\times20+30 = 430$ runs are made."),
    "a scale before what is counted": (TREES, "They rated five 1--7 points: height, age, girth, bark and leaf."),
    "a system that no table has": (
        TREES,
        "By height Elm (21.40), and a graft of Ash (25.19) and of Oak (18.27), differ.",
    ),
    "rows that a sentence leaves out": (
        table("Fit.", "Order | Fit", ["0 | 0.99", "1 | 0.97", "2 | 0.91", "3 | 0.88", "4 | 0.89"], "tab:f"),
        r"The fit decreases monotonically from order 0 to order 3 (Table~\ref{tab:f}).",
    ),
    "what a count stands for": (TREES, "We keep three kinds (i.e., the elm, yew and the oak)."),
    "a count that is a range": (TREES, "We keep three to five kinds (elm, oak, ash, yew)."),
    "a deviation before an interval": (TREES, r"It reached 0.480 $\pm$ 0.095 (95\% CI [0.454, 0.506])."),
    "two short lists of one thing": (
        TREES,
        "We tried three shares of shade: 0, 0.2, 0.5.\n\nFor the yews the shares of shade were 0, -0.5, 0.5 instead.",
    ),
    "the first of some rows by its value": (
        table("Fit.", "Tree | Fit", ["elm | 0.912", "oak | 0.871", "ash | 0.853", "yew | 0.941"], "tab:f"),
        r"In Table~\ref{tab:f} the elm is the strongest local tree at 0.912 fit.",
    ),
    "a list with respectively": (TREES, "We saw three kinds: elm, oak, and ash, respectively."),
    "a bracket of the first item": (
        TREES,
        "We keep four kinds old ones (elm, oak, ash), tall ones (yew), low ones (box), and others (fir).",
    ),
    "divisions that cross": (TREES, "There are 60 trees (20 in each of three parks, 30 of each of two kinds, 12 old)."),
    "a number beyond all others": (TREES, r"One count was $8.58 \times 10^{506}$ trees, and oak had 18.22."),
    "items of other names with lists": (
        TREES,
        "Minutes to the shade of the elm: 15, 30, 45\n\nMinutes in the shade: 20, 30, 45",
    ),
    "items that semicolons part": (
        TREES,
        "It works in four steps: planting with spade, rake, and hoe; pruning; picking; and sale.",
    ),
    "a count before that of the list": (TREES, "We saw five trees across four sites: hill, vale, shore, and moor."),
    "an error before an interval": (TREES, r"It is not significant (HAC SE = 1.035; 95\% CI: [-3.918, 0.978])."),
    "means with deviations in a sentence with all": (
        table(
            "Age.",
            "Kind | Age (ka) | SE (ka)",
            ["Elm | 1229.5 | 6.4", "Oak | 858.8 | 5.4", "Ash | 920.2 | 5.5"],
            "tab:a",
        ),
        r"Across all places, Elm was 1,229.5 $\pm$ 6.4 ka (SE), deeper than Oak (858.8 $\pm$ 5.4) (Table~\ref{tab:a}).",
    ),
    "two speed-ups": (
        table(
            "Time.",
            "Tool | Time | Speedup vs Elm",
            [r"Elm | 213 | 1$\times$", r"Oak | 41 | 5$\times$", r"Ash | 1 | 213$\times$"],
        ),
        r"Ash achieves $41\times$ and $213\times$ speedups over Oak and Elm.",
    ),
    "two cohorts of one kind": (
        TREES,
        "Markers were fixed in the 273-patient elm frame.\n\nAll of the 273-patient elm frame was used.\n\n"
        "Risk was moved to the 270-patient elm frame.\n\nThe 270 of them had events.",
    ),
    "another estimate of the same effect": (
        EFFECTS,
        "Excluding dry years, rain × post on seeding is -0.094 (SE = 0.031).",
    ),
    "an estimate behind what is left out": (
        EFFECTS,
        "We leave out dry years. The effect of rain × post on seeding is -0.094 (SE = 0.031).",
    ),
    "the largest number that there could be": (
        table("Stands.", "Stand | Trees", ["Elm | 544", "Oak | 371", "Ash | 212"], "tab:s"),
        r"Of Elm (Table~\ref{tab:s}) the maximum possible number is 594 trees.",
    ),
    "a bound on p before an interval": (TREES, r"It is (β = -4.76, p < 0.01; 95\% CI: [-8.23, -1.29])."),
    "a ratio of log points and a coefficient": (
        TREES,
        "It recovers by 3.8 log points (SE = 0.030), against an effect of -0.087, a ratio of 0.44.",
    ),
    "a product in log points": (TREES, r"That is $4.8 \times 0.017 = 8.2$ log points."),
    "a fall whose word has the sign": (TREES, r"Rain reduced leaves by 15.9 (95\% CI: [-22.7, -8.5])."),
    "an estimate of another column of the same kind": (
        table(
            "Effects.",
            "What | (1) / Sower / Share | (2) / Reaper / Share",
            ["Rain | 0.0211 | -0.0436", " | (0.0151) | (0.0106)"],
        ),
        "For the hired share it is 0.042 (SE = 0.011).",
    ),
    "what falls with another thing than the rows": (
        table("Worst.", "Tree | Height | Girth", ["a1 | 3.1 | 1", "b2 | 2.2 | 4", "c3 | 2.9 | 2", "d4 | 1.7 | 3"]),
        "Among the 18 trees with ratings, height decreases monotonically with rank: 3.1, 2.2, and 1.4 metres.",
    ),
    "of how many an interval is": (TREES, r"So did 42\% of 120 (95\% CI 33--51\%), 4/18 (95\% CI 5--44), and all."),
    "a sum of two numbers of the row": (
        table("Found.", "Way | Right | Wrong | Missed", ["Both | 106 | 1 | 394", "Either | 271 | 12 | 229"]),
        "Both returns 107 leaves, of which 394 are missed.",
    ),
    "two parts of a whole": (TREES, r"With a mix of 10/90 leaves (67\% green), or mixed 50/50: 57.7\% of it is green."),
    "two things in the same words": (
        TREES,
        "The old volume has 560 by 1000 leaves, and in all we have to count 280 million small leaves of the stand.\n\n"
        "The old volume has 500 by 1000 leaves, and in all we have to count 250 million small leaves of the stand.",
    ),
    "a total of what the rows are means of": (
        table("Cost.", "Tier | Runs | Tokens", ["A | 40 | 2409", "B | 60 | 2601", "---", "Total | 100 | 252417"]),
        "",
    ),
    "what falls for each of the rows": (
        table("Ends.", "Kind | Height | Girth", ["Elm | 1.0 | 3", "Oak | 0.8 | 2", "Ash | 0.9 | 5", "Yew | 0.7 | 1"]),
        "Height decreases monotonically with rain for all four kinds.",
    ),
    "how likely something is": (
        table("Pairs.", "Group | Pairs | Rate", ["Cross | 4 | 0.41", "Same | 4 | 0.08"]),
        r"Cross pairs are $4.9\times$ more likely to bloom than same pairs.",
    ),
    "a count that is said three times": (
        table("Sizes.", "What | Number", ["Raw groups | 467", "Noise leaves | 1,744"]),
        "We found 1,344 noise leaves again.\n\nThat step gave 1,344 leaves.\n\nSo 1,344 leaves were kept.",
    ),
    "a share of some of the rows": (
        table("Layers.", "Layer | Leaves | Rate", ["L1 | 812 | 57.1", "L2 | 744 | 60.2", "L3 | 690 | 63.8"]),
        r"The rate is 57.1\% in L1 and 63.8\% in L3, with a rate of 60.0\% among the top 20.",
    ),
    "a share behind the count of another": (
        TREES,
        r"We found 7.0\% of elms (3/43), 9.3\% of oaks (4/43), and no more.",
    ),
    "panels behind a count": (
        TREES,
        "It shows nine kinds: (d) elm, (e) oak, (f) ash, (g) yew, (h) box, (i) fir, (j) bay.",
    ),
    "zeros behind what was rounded": (
        table(
            "Fits.",
            "What | Estimate | SE | t",
            [f"{name} | 0.00{size}0 | 0.0020 | 0.{size}3" for name, size in zip("ABCDE", (3, 1, 2, 6, 7), strict=True)],
        ),
        "",
    ),
    "shares with their whole beside means": (
        table(
            "Parts.",
            "Dataset | Young | Size",
            ["A | 20.0 | 50.5", "B | 30.0 | 20.1", "C | 40.0 | 29.4", "---", "Average | 30.0 | 100.0"],
        ),
        "",
    ),
    "a row of changes": (
        table(
            "Scores.",
            "Model | Accuracy | Precision | Recall | F1",
            [
                *("A | 57.9 | 57.2 | 62.4 | 59.7", "B | 59.1 | 57.7 | 67.7 | 62.3", "C | 59.1 | 57.7 | 68.3 | 62.6"),
                *("D | 57.4 | 55.6 | 74.0 | 63.5", "E | 53.9 | 53.4 | 60.6 | 56.8", "F | 59.8 | 58.6 | 66.4 | 62.3"),
                *("---", "Mean Change | -0.12 | -0.59 | 3.74 | 1.54"),
            ],
        ),
        "",
    ),
    "features that are called mean and maximum": (
        table(
            "Feature importances.",
            "Feature | Importance",
            [
                "Maximum (b) | 2.733",
                "Length (a) | 2.695",
                "Mean (a) | 0.880",
                "Maximum (a) | 0.058",
                "Mean (b) | 0.012",
            ],
        ),
        "",
    ),
    "a factor with its own interval": (
        table(
            "Axes.",
            "Axis | Ratio | Adjusted",
            ["Home energy | 1.47 | 1.24", "Travel | 2.03 | 1.91", "Food | 1.12 | 1.08"],
        ),
        r"Home energy falls from $1.47\times$ to $1.24\times$, and then to $1.17\times$ (1.06--1.30) at equal area.",
    ),
    "wave numbers": (
        TREES,
        "A band lies at 1350 cm.\n\nThe 1350 cm band is old.\n\nAt 1350 cm it is wide.\n\nAnother is at 1380 cm.",
    ),
    "runs that are multiplied": (TREES, r"It is judged in 50 walks $\times$ 5 years (height, age, girth)."),
    "a change of two numbers of the sentence": (
        TREES,
        r"In rain Elm has more moss (0.238): it is +69\% larger than Oak has (0.141).",
    ),
    "parts that overlap": (
        table("Sets.", "Set | Leaves", ["A | 40", "B | 40", "C | 20", "D | 60", "---", "Total | 100"]),
        "",
    ),
    "degrees of freedom with a comma": (TREES, "It is clear, t(1,200) = 4.37, p < .001."),
    "a size between two numbers": (TREES, r"It holds in 62\% of stands (3.1 vs.\ 2.9 metres)."),
    "a product of more than is listed": (TREES, r"These are 960 runs ($20$ plots $\times$ $12$ kinds)."),
    "an increase of what has an error": (
        TREES,
        r"The effect is +0.0017 log points (SE = 0.0198), corresponding to a 0.2\% increase.",
    ),
    "a decline between two ends": (
        TREES,
        "Between the quartiles of shade (0.55 to 0.90), this implies a decline of 21.7 leaves.",
    ),
    "a product less what was lost": (TREES, r"We have 486 plot-years (38 plots $\times$ 13 years, minus lost ones)."),
    "a list with a remainder": (TREES, "We saw 328,808 leaves (56,571 brown; 270,008 green; remainder grey and lost)."),
    "the error and p of an estimate": (TREES, "It gained 0.362 metres (SE = 0.232, p = 0.157)."),
    "a few more of the same things": (
        TREES,
        "We saw 4,321 leaves.\n\nAll 4,321 old leaves fell.\n\nOf the elm, 4,324 leaves fell.",
    ),
    "ages": (TREES, r"There are 65+ trees that are old (24\% of 65+ trees)."),
    "a change of what has a name of two numbers": (TREES, r"The line 15/16 (-22.2\%) lost most."),
    "a row that is called as any error is": (
        table("Left out.", "What | Value", ["Elm | 0.2611", "SE | 0.1316", "Oak | 0.1161"], "tab:l"),
        r"As for Elm, 0.2611, and Oak (Table~\ref{tab:l}) it yields 0.131 (SE = 0.116).",
    ),
    "a clause behind a dash": (
        TREES,
        "It suffers from the five kinds as controls—elm, oak, and ash are old; yew and box are rare.",
    ),
    "the base of a rate": (
        table(
            "Stands.",
            "Trait | Mean | SD",
            ["Trees | 101,455 | 2,310", "Leaves | 82.8 | 4.1", "Age | 15.1 | 2.2"],
            "tab:s",
        ),
        r"Stands (Table~\ref{tab:s}) have a mean of 82.8 leaves per 10,000 trees, and a mean age 15.1.",
    ),
    "settings of two tables": (
        TREES,
        "Standard errors of the trees (200 resamples in brackets) are small.\n\n"
        + "Standard errors of the trees (500 resamples in brackets) are small.\n\n" * 2,
    ),
    "a number of things": (TREES, r"It leaves a low number of 308 old stands (10.33\%)."),
    "why there are fewer": (
        TREES,
        "We use 3,039 stands.\n\nAll 3,039 stands grow.\n\nThe rest uses 3,036 stands; three are dropped.",
    ),
    "a number between the two of a ratio": (
        TREES,
        "There are 502 trees in the 10,000 bin below versus 249 above, a ratio of 2.02.",
    ),
    "conditions behind a list": (
        TREES,
        "The five kinds—elm, oak, ash, yew and box—were chosen with: (a) old stands; (b) no fires; (c) open soil.",
    ),
    "orders of the same things": (
        TREES,
        "The old order of stands is 1, 2, 3, 4.\n\nThe new order of stands is [4, 1, 2, 3, 0].",
    ),
    "a number that another table prints": (
        TREES + table("Pairs.", "Pair | Kinship", ["Elm, Oak | 0.324", "Ash, Yew | 0.019", "Ash, Box | 0.224"]),
        "Ash and Yew stay apart despite the height (0.324).",
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_only_looks_like_a_mismatch_is_left_alone(name: str) -> None:
    """Sentences as papers have them: a careful reader finds nothing wrong."""
    given, prose = SILENT[name]
    assert [one for one in decided(read(given, prose=prose)) if one.status is not Status.HOLDS] == []


def test_the_rate_of_a_whole_weighs_its_parts() -> None:
    """Counts add up: the rate beside their total is made of the rates above, and neither mean of them is 98.9."""
    wrong, shares = COUNTED.replace("97.9", "98.9"), COUNTED.replace("97.9", "270")
    for given, expected in ((COUNTED, []), (wrong, ["mean of rows"]), (shares, [])):
        found = [one.claim.family for one in decided(read(given)) if one.status is Status.SUSPICION]
        assert found == expected


@pytest.mark.parametrize(
    "prose",
    [
        "The data are equivalent within the bounds, r(229) = -0.04, p = .015.",
        r"None fired on the rest (0/204, 95\% CI [0.00, 0.02]).",
        r"Our way reaches 22.40 in height, surpassing the Elm by far (Table~\ref{tab:trees}).",
        r"In Table~\ref{tab:trees} the height of Ash is 25.91, and its mean age was 21.4 $\pm$ 9.2 years beside Elm.",
        "Elm 3.3-70B differs.",
        r"A second, harder set agrees with Table~\ref{tab:trees}: height of Elm 22.40, and of Oak 18.22.",
        r"Elm is very old in age (99\%) where the ground is wet.",
        "Of the Ash, 364 of 1,208 leaves (30.1\\%) fell.",
        r"Leaves fell from 4/18 (95\% bootstrap CI [5.6\%, 44.4\%]).",
        "\\section{References}\n\nElm (2016). \\emph{Scientific Data}, 3, 160044. \\url{https://doi.org/10.1/sdata.44}\n\n"
        "Oak (2016). \\emph{Scientific Data}, 3, 160018. \\url{https://doi.org/10.1/sdata.18}",
        "We know three axes: tall versus low or bent, old versus young, and wet versus dry.",
        "Height above 20.5 is confined to ash and to hedges.",
        "Neither Elm nor Oak has a height above 20.5.",
        "Oak is an outlier, failing most on height.",
        "The gap between Elm and Oak in height is above 5.5.",
        "Both Elm and Oak have their greatest growth in height (18.22) in May.",
    ],
)
def test_what_is_no_claim_about_the_table(prose: str) -> None:
    """Sentences of real papers that once were taken for wrong quotes, shares or tests."""
    found = [one for one in decided(read(TREES, prose=prose)) if one.status in (Status.SUSPICION, Status.CONTRADICTION)]
    assert found == []


@pytest.mark.parametrize(
    ("test", "is_wrong"), [("z = 0", False), ("z = -0", False), ("t(30) = 0.0", False), ("z = 1.2", True)]
)
def test_a_statistic_that_prints_as_nothing_may_have_any_high_p(test: str, is_wrong: bool) -> None:
    """What rounds to zero has a p up to one."""
    found = [
        one
        for one in decided(read(prose=f"The difference was small ({test}, p = 0.999)."))
        if one.status is not Status.HOLDS
    ]
    assert bool(found) is is_wrong


def test_one_more_than_was_counted_is_no_rounding() -> None:
    """Counts are exact, in words too."""
    for counted in ("five", "5"):
        (found,) = graded(decided(read(prose=f"We keep {counted} kinds (elm, oak, ash, yew).")))
        assert found.status is Status.SUSPICION
