"""What is said of certificates, selections and maps."""

from __future__ import annotations

import pytest

from checks.changed_records import CUT, Cases, Changes, agree, listed, outcome_of, study_of

GROUPED = {
    "selector": "dual",
    "split": "calibration",
    "grid": ["0", "1/2", "1"],
    "tau": "0.05",
    "counts": [],
    "outcome": "selected",
    "assignments": [
        {"group": "small", "outcome": "selected", "arm": "bold", "scale": "1"},
        {"group": "large", "outcome": "selected", "arm": "meek", "scale": "0"},
    ],
    "held_out": {"split": "held-out", "status": "not-joined"},
}
COUNTED = [
    {"arm": "bold", "scale": "0", "group": "small", "crossings": 0, "states": 20, "risk_upper": 0.5},
    {
        "arm": "bold",
        "scale": "0.0",
        "group": "large",
        "crossings": 0,
        "states": 20,
        "utility_lower": 0.5,
        "certified": False,
    },
    {"scale": "1", "group": "small", "crossings": 0, "states": 20},
]

CERTIFIED: Cases = {
    "certificate.risk": {
        "what is sound": (
            {},
            "27 certificates",
        ),
        "no certificate of what is declared": (
            {"certificate#": []},
            "0 certificates",
            "missing: the protocol certifies, and the bundle has no certificate",
        ),
        "a risk bound that is off": (
            {"certificate#/0/risk_upper": 0.5, "certificate#/12/risk_upper": 1.0},
            "27 certificates",
            "certificate global all bold 0 /risk_upper: 0.11280217419056847, not 0.5",
            "certificate by pot large meek 0 /risk_upper: 0.23969221404666818, not 1.0",
        ),
        "a risk bound that is nearly right": (
            {
                "certificate#/0/risk_upper": lambda bound: bound * (1 + 5e-10),
                "certificate#/1/risk_upper": lambda bound: bound * (1 + 2e-9),
            },
            "27 certificates",
            "certificate global all meek 0 /risk_upper: 0.11280217419056847, not 0.11280217441617281",
        ),
        "a bound of a share that is not there": (
            {"partition.global#/allocations/0": CUT},
            "18 certificates",
            "missing: global allocates no risk share to bold@0 in all",
        ),
    },
    "certificate.complete": {
        "what is sound": (
            {},
            "27 certificates",
        ),
        "no certificate but a deployed partition": (
            {"certificate#": [], "protocol#/selectors": []},
            "0 certificates",
            "missing: the protocol certifies, and the bundle has no certificate",
        ),
        "a rule that certifies without a partition": (
            {
                "certificate#": [],
                "protocol#/selectors": [{"name": "dual", "rule": "dual"}],
                "protocol#/certification/partition": CUT,
            },
            "0 certificates",
            "not applicable: the study certifies nothing",
        ),
        "certificates that are left out": (
            {"certificate#": lambda rows: rows[1:-1]},
            "25 certificates",
            "partition.global global all bold@0 -: one certificate, not none",
            "partition.by-pot by pot large calm@1 -: one certificate, not none",
        ),
        "certificates of nothing": (
            {
                "certificate#": lambda rows: [
                    *rows,
                    {**rows[0], "group": "nowhere"},
                    {**rows[0], "partition": "nowhere"},
                    {**rows[0], "arm": "free", "scale": "1"},
                ]
            },
            "30 certificates",
            "certificate global nowhere bold 0 /group: a group of a froz…ing candidate, not global nowhere bold 0",
            "certificate nowhere all bold 0 /group: a group of a frozen …peting candidate, not nowhere all bold 0",
            "certificate global all free 1 /group: a group of a frozen p…mpeting candidate, not global all free 1",
        ),
        "a partition without certificates": (
            {
                "protocol#/certification/partition": "learned",
                "protocol#/selectors/6/partition": "nowhere",
                "protocol#/selectors/1/partition": "learned",
            },
            "27 certificates",
            "protocol nowhere /selectors: certificates of nowhere, not none",
            "protocol learned /certification/partition: certificates of learned, not none",
        ),
    },
    "certificate.counts": {
        "what is sound": (
            {},
            "54 certificates",
        ),
        "nothing is certified": (
            {"certificate#": [], "protocol#/selectors": [], "protocol#/certification/partition": CUT},
            "0 certificates",
            "not applicable: the study certifies nothing",
        ),
        "a second certificate of one pair": (
            {"certificate#": lambda rows: [*rows, {**rows[0], "states": 41}]},
            "56 certificates",
            "certificate global all bold 0 /states: 40.0, not 41.0",
        ),
        "other counts": (
            {"certificate#/0/states": 39, "certificate#/1/crossings": 9, "certificate#/26/crossings": 7},
            "54 certificates",
            "certificate global all bold 0 /states: 40.0, not 39.0",
            "certificate global all meek 0 /crossings: 0.0, not 9.0",
            "certificate by pot large calm 1 /crossings: 0.0, not 7.0",
        ),
        "counts are exact, whatever the tolerance": (
            {"protocol#/tolerances/replay": "0.5", "certificate#/0/states": 39, "certificate#/3/crossings": 9},
            "54 certificates",
            "certificate global all bold 0 /states: 40.0, not 39.0",
            "certificate global all bold 1/2 /crossings: 8.0, not 9.0",
        ),
    },
    "certificate.utility": {
        "what is sound": (
            {},
            "54 certificates",
        ),
        "a utility bound that is off": (
            {
                "certificate#/0/utility_mean": 0.5,
                "certificate#/1/utility_lower": 0.5,
                "certificate#/2/utility_lower": CUT,
                "certificate#/3/utility_mean": lambda mean: mean + 9e-10,
                "certificate#/4/utility_mean": lambda mean: mean + 1.5e-9,
            },
            "54 certificates",
            "certificate global all bold 0 /utility_mean: 0.6105572220971145, not 0.5",
            "certificate global all meek 1/2 /utility_mean: 0.6073200820879018, not 0.6073200835879018",
            "certificate global all calm 0 /utility_lower: 0.36592761067450774, not nothing",
            "1 more of /utility_lower",
        ),
        "no utility is certified": (
            {
                "protocol#/certification/zeta_util": CUT,
                "certificate#": lambda rows: [
                    {name: value for name, value in row.items() if name not in ("utility_mean", "utility_lower")}
                    | ({"utility_lower": 0.25} if place == 3 else {})
                    for place, row in enumerate(rows)
                ],
            },
            "0 certificates",
            "not applicable: the protocol certifies no utility",
            "certificate global all bold 1/2 /utility_lower: nothing, not 0.25",
        ),
    },
    "certificate.range": {
        "what is sound": (
            {},
            "792 utilities",
        ),
        "utilities outside the range": (
            {"protocol#/certification/utility_range": ["-1", "5/2"]},
            "792 utilities",
        ),
        "utilities below a range of fractions": (
            {"protocol#/certification/utility_range": ["1/2", "3"]},
            "792 utilities",
            "trace.calibration s004 bold 0 calibration /probabilities: from 0.5 to 3, not 0.43670604946136427",
            "trace.calibration s008 bold 0 calibration /probabilities: from 0.5 to 3, not 0.36723880965667016",
            "trace.calibration s015 bold 0 calibration /probabilities: from 0.5 to 3, not 0.2126773498248607",
            "394 more of /probabilities",
        ),
        "no range": (
            {"protocol#/certification/utility_range": CUT},
            "0 utilities",
            "not applicable: the protocol declares no utility range",
        ),
        "states without values have no utility": (
            {"values.calibration#": lambda rows: rows[2:]},
            "783 utilities",
        ),
    },
    "certificate.certified": {
        "what is sound": (
            {},
            "27 certificates",
        ),
        "another answer to what is certified": (
            {
                "certificate#/0/certified": lambda certified: not certified,
                "certificate#/26/certified": lambda certified: not certified,
            },
            "27 certificates",
            "certificate global all bold 0 /certified: true, not false",
            "certificate by pot large calm 1 /certified: true, not false",
        ),
        "certificates of states without values": (
            {"values.calibration#": lambda rows: rows[2:]},
            "9 certificates",
            "missing: bold@0 cannot be scored at 1 calibration states of small",
        ),
    },
    "selection.grid": {
        "what is sound": (
            {},
            "1 selections",
        ),
        "no selection": (
            {"protocol#/selectors": [], "selection.empirical-zero": CUT},
            "0 selections",
            "not applicable: the protocol declares no selector over a grid of scales",
        ),
        "a selection that nobody declares": (
            {"protocol#/selectors": [], "selection.empirical-zero#/grid": [], "selection.empirical-zero#/tau": "1/20"},
            "1 selections",
            "selection.empirical-zero empirical-zero /selector: none, not empirical-zero",
            "selection.empirical-zero empirical-zero /grid: 0, 1/2, 1, not none",
        ),
        "a selection that is left out": (
            {"selection.empirical-zero": CUT},
            "0 selections",
            "missing: no selection record of empirical-zero",
        ),
        "a selection by another grid": (
            {
                "selection.empirical-zero#/grid": ["0", "1"],
                "selection.empirical-zero#/tau": "0.06",
                "protocol#/tau": "0.050",
            },
            "1 selections",
            "selection.empirical-zero empirical-zero /grid: 0, 1/2, 1, not 0, 1",
            "selection.empirical-zero empirical-zero /tau: 0.050, not 0.06",
        ),
        "a selection on another split": (
            {"selection.empirical-zero#/split": "held-out"},
            "1 selections",
            "selection.empirical-zero empirical-zero /split: calibration, not held-out",
        ),
        "a selection without a calibration split": (
            {"protocol#/splits/0/role": "structure"},
            "1 selections",
            "selection.empirical-zero empirical-zero /split: a calibration split, not calibration",
        ),
        "a selection on one of two splits": (
            {"protocol#/splits/1/role": "calibration"},
            "1 selections",
            "selection.empirical-zero empirical-zero /split: a count ove…alibration and held-out, not calibration",
        ),
        "a selection with budgets": (
            {
                "selection.empirical-zero#/epsilon": "0.4",
                "selection.empirical-zero#/counts/1/risk_upper": 0.5,
                "selection.empirical-zero#/counts/2/certified": False,
            },
            "1 selections",
            "selection.empirical-zero empirical-zero /epsilon: nothing, not 0.4",
            "selection.empirical-zero empirical-zero /counts/1/risk_upper: nothing, not 0.5",
            "selection.empirical-zero empirical-zero /counts/2/certified: nothing, not false",
        ),
        "two selections": (
            {
                "select/selection.again.json": {
                    "selector": "empirical-zero",
                    "split": "calibration",
                    "grid": ["0", "1/2", "1"],
                    "tau": "0.05",
                    "counts": [],
                    "outcome": "selected",
                    "choice": "1",
                    "held_out": {"split": "held-out", "status": "not-joined"},
                }
            },
            "2 selections",
            "selection.empirical-zero empirical-zero /selector: one record, not 2",
            "selection.again empirical-zero /selector: one record, not 2",
        ),
        "a selection in groups": (
            {"select/selection.dual.json": GROUPED},
            "2 selections",
            "missing: no selection record of anchor, fixed, kl-budget, mean-strong, risk-only, robust",
            "selection.dual dual /epsilon: 0.4, not nothing",
            "selection.dual dual /zeta: 0.075, not nothing",
            "selection.dual dual /zeta_util: 0.075, not nothing",
        ),
        "a selection in groups with its budgets": (
            {
                "select/selection.dual.json": {
                    **GROUPED,
                    "epsilon": "2/5",
                    "epsilon_global": "0.3",
                    "zeta": "0.075",
                    "zeta_util": "0.08",
                }
            },
            "2 selections",
            "missing: no selection record of anchor, fixed, kl-budget, mean-strong, risk-only, robust",
            "selection.dual dual /epsilon_global: nothing, not 0.3",
            "selection.dual dual /zeta_util: 0.075, not 0.08",
        ),
        "a robust selection in groups": (
            {
                "select/selection.robust.json": {
                    **GROUPED,
                    "selector": "robust",
                    "epsilon": "0.4",
                    "epsilon_global": "0.3",
                    "zeta": "0.075",
                    "zeta_util": "0.075",
                }
            },
            "2 selections",
            "missing: no selection record of anchor, dual, fixed, kl-budget, mean-strong, risk-only",
        ),
        "a selection in groups by risk": (
            {"select/selection.risk.json": {**GROUPED, "selector": "risk-only", "epsilon": "0.4", "zeta": "0.075"}},
            "2 selections",
            "missing: no selection record of anchor, dual, fixed, kl-budget, mean-strong, robust",
        ),
        "a selection in groups of nobody": (
            {"select/selection.nobody.json": {**GROUPED, "selector": "nobody"}},
            "2 selections",
            "missing: no selection record of anchor, dual, fixed, kl-budget, mean-strong, risk-only, robust",
            "selection.nobody nobody /selector: empirical-zero, not nobody",
        ),
        "a selection in groups without a certification": (
            {"protocol#/certification": CUT, "select/selection.dual.json": GROUPED},
            "2 selections",
            "missing: no selection record of anchor, fixed, kl-budget, mean-strong, risk-only, robust",
        ),
    },
    "selection.counts": {
        "what is sound": (
            {},
            "3 counts",
        ),
        "other counts of a selection": (
            {
                "selection.empirical-zero#/counts/0/crossings": 1,
                "selection.empirical-zero#/counts/1/states": 39,
                "selection.empirical-zero#/counts/2/scale": "1.0",
            },
            "3 counts",
            "selection.empirical-zero empirical-zero 0 /counts/0/crossings: 0, not 1",
            "selection.empirical-zero empirical-zero 1/2 /counts/1/states: 40, not 39",
        ),
        "a count that is left out": (
            {"selection.empirical-zero#/counts/1": CUT},
            "3 counts",
            "selection.empirical-zero empirical-zero /counts: 3, not 2",
            "selection.empirical-zero empirical-zero 1/2 /counts: 8/40, not nothing",
        ),
        "a count twice": (
            {"selection.empirical-zero#/counts": lambda counts: [*counts, {**counts[0], "crossings": 5}]},
            "3 counts",
            "selection.empirical-zero empirical-zero /counts: 3, not 4",
            "selection.empirical-zero empirical-zero 0 /counts/3/crossings: 0, not 5",
        ),
        "a grid that was not traced": (
            {"protocol#/scale_grid": ["0", "1/2", "1", "2"]},
            "0 counts",
            "missing: the grid was not traced and scored on the selection's split",
        ),
        "a selector that chooses in groups has no counts": (
            {"selection.empirical-zero#/selector": "dual"},
            "0 counts",
            "missing: the grid was not traced and scored on the selection's split",
        ),
        "counts in groups": (
            {"select/selection.dual.json": {**GROUPED, "counts": COUNTED}},
            "21 counts",
            "selection.dual dual /counts: 18, not 3",
            "selection.dual dual bold 0 small /counts/0/risk_upper: 0.23969221404666818, not 0.5",
            "selection.dual dual bold 0 small /counts/0/utility_mean: 0.6046418725818906, not nothing",
            "1 more of /counts/0/utility_lower",
            "1 more of /counts/1/risk_upper",
            "1 more of /counts/1/utility_mean",
            "1 more of /counts/1/utility_lower",
            "16 more of /counts",
        ),
        "counts in groups without bounds": (
            {
                "select/selection.fixed.json": {
                    **GROUPED,
                    "selector": "fixed",
                    "counts": [
                        {"arm": "bold", "scale": "0", "group": "all", "crossings": 0, "states": 40, "risk_upper": 0.5}
                    ],
                }
            },
            "12 counts",
            "selection.fixed fixed /counts: 9, not 1",
            "selection.fixed fixed bold 0 all /counts/0/risk_upper: nothing, not 0.5",
            "selection.fixed fixed meek 0 all /counts: 0/40, not nothing",
            "7 more of /counts",
        ),
    },
    "selection.certified": {
        "what is sound": (
            {},
            "1 selections",
        ),
        "a certified set that is another": (
            {"selection.empirical-zero#/certified": ["0", "1"]},
            "1 selections",
            "selection.empirical-zero empirical-zero /certified: 0, not 0, 1",
        ),
        "a certified set written otherwise": (
            {
                "selection.empirical-zero#/certified": lambda scales: [
                    f"{scale}/1" if scale != "1/2" else "0.5" for scale in reversed(scales)
                ]
            },
            "1 selections",
        ),
        "no certified set": (
            {"selection.empirical-zero#/certified": CUT},
            "1 selections",
            "selection.empirical-zero empirical-zero /certified: 0, not none",
        ),
        "certified pairs in groups": (
            {"select/selection.dual.json": {**GROUPED, "counts": COUNTED}},
            "19 selections",
            "selection.dual dual bold 0 small /counts/0/certified: true, not nothing",
            "selection.dual dual bold 0 large /counts/1/certified: true, not false",
        ),
        "pairs of a rule that certifies nothing": (
            {
                "select/selection.fixed.json": {
                    **GROUPED,
                    "selector": "fixed",
                    "counts": [
                        {"arm": "bold", "scale": "0", "group": "all", "crossings": 0, "states": 40, "certified": True}
                    ],
                }
            },
            "10 selections",
            "selection.fixed fixed bold 0 all /counts/0/certified: nothing, not true",
        ),
    },
    "selection.choice": {
        "what is sound": (
            {},
            "1 selections",
        ),
        "another choice": (
            {"selection.empirical-zero#/choice": "1/2", "selection.empirical-zero#/outcome": "no-certified-candidate"},
            "1 selections",
            "selection.empirical-zero empirical-zero /choice: 0, not 1/2",
            "selection.empirical-zero empirical-zero /outcome: selected, not no-certified-candidate",
        ),
        "a choice written otherwise": (
            {"selection.empirical-zero#/choice": "0.0"},
            "1 selections",
        ),
        "no choice": (
            {"selection.empirical-zero#/choice": CUT},
            "1 selections",
            "selection.empirical-zero empirical-zero /choice: 0, not none",
        ),
        "a choice that the threshold forbids": (
            {"protocol#/tau": "0.0001"},
            "1 selections",
        ),
        "a choice in groups": (
            {"select/selection.dual.json": GROUPED},
            "2 selections",
            "selection.dual dual /assignments: small: bold@1, large: bold@0, not small: bold@1, large: meek@0",
        ),
        "a choice where nothing is certified": (
            {"select/selection.dual.json": GROUPED, "protocol#/certification/epsilon_group": "0"},
            "2 selections",
            "selection.dual dual /assignments: small: anchor (none certi…ified), not small: bold@1, large: meek@0",
            "selection.dual dual /outcome: no-certified-candidate, not selected",
        ),
        "a choice in groups, one of which falls back": (
            {"select/selection.dual.json": GROUPED, "partition.by-pot#/leaves/1/epsilon": "0"},
            "2 selections",
            "selection.dual dual /assignments: small: bold@1, large: anc…ified), not small: bold@1, large: meek@0",
        ),
        "a choice in groups of nobody": (
            {"select/selection.dual.json": {**GROUPED, "selector": "nobody"}, "protocol#/selectors": []},
            "0 selections",
            "missing: the grid was not traced and scored on the selection's split",
        ),
    },
    "selection.held-out": {
        "what is sound": (
            {},
            "1 selections",
        ),
        "a choice that saw held-out scores": (
            {"selection.empirical-zero#/held_out": {"split": "calibration", "status": "joined"}},
            "1 selections",
            "selection.empirical-zero empirical-zero /held_out/split: held-out, not calibration",
            "selection.empirical-zero empirical-zero /held_out/status: not-joined, not joined",
        ),
        "scores that were sealed before the choice": (
            {
                "report/values.held-out.jsonl": CUT,
                "select/values.held-out.jsonl": [
                    {"state": "s002", "evaluator": "weak", "split": "held-out", "values": {"stay": 0.0, "move": 1.0}}
                ],
            },
            "1 selections",
            "selection.empirical-zero empirical-zero /held_out/status: h…select, not select/values.held-out.jsonl",
        ),
        "no held-out split": (
            {"protocol#/splits/1/role": "structure"},
            "1 selections",
            "selection.empirical-zero empirical-zero /held_out/split: a held-out split, not held-out",
        ),
    },
    "map.selector": {
        "what is sound": (
            {},
            "8 maps",
        ),
        "no map": (
            {
                **{
                    f"map.{name}": CUT
                    for name in (
                        "anchor",
                        "fixed",
                        "empirical-zero",
                        "mean-strong",
                        "kl-budget",
                        "risk-only",
                        "dual",
                        "robust",
                    )
                },
                "protocol#/selectors": [],
            },
            "0 maps",
            "not applicable: no selector chooses in the groups of a partition",
        ),
        "maps that are left out": (
            {"map.dual": CUT, "map.anchor": CUT},
            "6 maps",
            "missing: no map of anchor, dual",
        ),
        "a map of nobody": (
            {"map.dual#/selector": "nobody", "map.robust#/split": "held-out", "map.fixed#/selector": "anchor"},
            "8 maps",
            "missing: no map of dual, fixed",
            "map.anchor anchor /selector: one map per selector, not 2",
            "map.fixed anchor /selector: one map per selector, not 2",
            "map.dual nobody /selector: anchor, fixed, empirical-zero, m…get, risk-only, dual, robust, not nobody",
            "1 more of /split",
        ),
        "a map in another partition": (
            {"map.dual#/partition": "global"},
            "8 maps",
            "map.dual dual /partition: by pot, not global",
        ),
    },
    "map.groups": {
        "what is sound": (
            {},
            "8 maps",
        ),
        "maps of no selector": (
            {"protocol#/selectors": []},
            "0 maps",
            "missing: select/map.robust.json names no declared selector",
        ),
        "a map of other groups": (
            {"map.dual#/assignments/0/group": "tiny"},
            "8 maps",
            "map.dual dual /assignments: small, large, not tiny, large",
        ),
        "a map that cannot be computed": (
            {"values.calibration#": lambda rows: rows[2:]},
            "8 maps",
        ),
    },
    "map.certified": {
        "what is sound": (
            {},
            "11 assignments",
        ),
        "an uncertified candidate": (
            {
                "map.dual#/assignments/1": {"group": "large", "outcome": "selected", "arm": "bold", "scale": "1"},
                "map.robust#/assignments/0": {"group": "tiny", "outcome": "selected", "arm": "bold", "scale": "1"},
                "map.fixed#/assignments/0/scale": "1",
                "map.risk-only#/assignments/0": {"group": "small", "outcome": "selected", "arm": "free", "scale": "1"},
            },
            "11 assignments",
            "map.risk-only risk-only small /assignments/0: bold@0, meek@…ld@1, meek@1, calm@1, anchor, not free@1",
            "map.dual dual large /assignments/1: bold@0, meek@0, calm@0, calm@1/2, calm@1, anchor, not bold@1",
        ),
    },
    "map.choice": {
        "what is sound": (
            {},
            "11 assignments",
        ),
        "another candidate": (
            {
                "map.dual#/assignments/0": {"group": "small", "outcome": "selected", "arm": "meek", "scale": "1"},
                "map.robust#/assignments/1/outcome": "no-certified-candidate",
                "map.fixed#/assignments/0": {"group": "nowhere", "outcome": "selected", "arm": "bold", "scale": "1/2"},
            },
            "11 assignments",
            "map.dual dual small /assignments/0/arm: bold@1, not meek@1",
            "map.robust robust large /assignments/1/outcome: selected, not no-certified-candidate",
        ),
        "a scale written otherwise is the same candidate": (
            {"map.fixed#/assignments/0/scale": "0.5"},
            "11 assignments",
        ),
    },
    "map.bounds": {
        "what is sound": (
            {},
            "16 bounds",
        ),
        "bounds of a map that are off": (
            {
                "map.dual#/utility_lower": 0.9,
                "map.robust#/risk_upper": 0.1,
                "map.fixed#/risk_upper": 0.5,
                "map.risk-only#/risk_upper": CUT,
            },
            "16 bounds",
            "map.fixed fixed /risk_upper: nothing, not 0.5",
            "map.risk-only risk-only /risk_upper: 0.28202105335115424, not nothing",
            "map.dual dual /utility_lower: 0.26432122059071056, not 0.9",
            "1 more of /risk_upper",
        ),
    },
    "map.held-out": {
        "what is sound": (
            {},
            "8 maps",
        ),
        "a map that saw held-out scores": (
            {"map.dual#/held_out": {"split": "held-out", "status": "joined"}},
            "8 maps",
            "map.dual dual /held_out/status: not-joined, not joined",
        ),
    },
}


@pytest.mark.parametrize(("check", "name"), listed(CERTIFIED))
def test_what_is_said_of_the_certified_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("certified", check, CERTIFIED[check][name])


@pytest.mark.parametrize(
    ("check", "changes", "messages"),
    [
        (
            "selection.grid",
            {"selection.empirical-zero#/counts/1": lambda count: {**count, "risk_upper": 0.5, "certified": False}},
            ["Empirical-zero selection has no risk bound.", "Empirical-zero selection has no certified."],
        ),
        (
            "map.bounds",
            {"map.fixed#/risk_upper": 0.5, "map.robust#/risk_upper": 0.1},
            ["A fixed rule states no such bound.", "The map's risk bound is not its worst mixture within 0.2."],
        ),
    ],
)
def test_what_a_rule_does_not_have_is_named(check: str, changes: Changes, messages: list[str]) -> None:
    """In other words than what it has, and has wrong."""
    outcome = outcome_of(check, study_of("certified", changes))
    assert [finding.message for finding in outcome.findings] == messages
