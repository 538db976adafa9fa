"""What is said of reported scores and summaries."""

from __future__ import annotations

import pytest

from checks.changed_records import CUT, Cases, agree, listed

NEAR = {
    "protocol#/tau": "0.0203797",
    "protocol#/tolerances/replay": "1e-6",
    "trace.calibration#/3/probabilities/fold": lambda mass: mass + 1e-7,
    "trace.calibration#/3/probabilities/raise": lambda mass: mass - 1e-7,
}
APART = {
    f"trace.calibration#/{row}/probabilities/{action}": (lambda mass, by=by: mass + by)
    for row, action, by in ((3, "fold", -9e-7), (3, "call", 9e-7), (1, "fold", 9e-7), (1, "call", -9e-7))
}

FIXTURE: Cases = {
    "score.trace-digest": {
        "what is sound": (
            {},
            "216 scores",
        ),
        "a score of another trace table": (
            {
                "score.calibration#/0/trace_sha256": "0" * 64,
                "score.calibration#/1/trace_sha256": "f" * 64,
                "score.held-out#/1": CUT,
            },
            "215 scores",
            "missing: 1 traces have no single score",
            "score.calibration 0000 active-query calibration /trace_sha2…0000000000000000000000000000000000000000",
            "score.calibration 0000 anchor calibration /trace_sha256: b7…ffffffffffffffffffffffffffffffffffffffff",
        ),
        "no score names the trace table": (
            {"score.calibration#": lambda rows: [{**row, "trace_sha256": "0" * 64} for row in rows[:5]]},
            "113 scores",
            "missing: 103 traces have no single score",
            "score.calibration 0000 active-query calibration /trace_sha2…0000000000000000000000000000000000000000",
            "score.calibration 0000 anchor calibration /trace_sha256: b7…0000000000000000000000000000000000000000",
            "score.calibration 0000 residual 0 calibration /trace_sha256…0000000000000000000000000000000000000000",
            "2 more of /trace_sha256",
        ),
    },
    "score.utility": {
        "what is sound": (
            {},
            "216 scores",
        ),
        "another utility": (
            {"score.calibration#/0/weak": 9.0, "score.calibration#/1/strong": -9.0, "score.calibration#/2/weak": CUT},
            "216 scores",
            "score.calibration 0000 residual 0 calibration /expected/wea…mber as weak, or under weak, not nothing",
            "score.calibration 0000 active-query calibration /weak: -2.7922999957092234, not 9.0",
            "score.calibration 0000 anchor calibration /strong: -3.804890024571656, not -9.0",
        ),
        "utilities by the evaluator's name": (
            {
                "score.calibration#": lambda rows: [
                    {
                        **{name: value for name, value in row.items() if name not in ("weak", "strong")},
                        "expected": {"weak": row["weak"], "strong": row["strong"] + (place == 1)},
                    }
                    for place, row in enumerate(rows)
                ],
                "score.held-out#": lambda rows: [
                    {
                        **{name: value for name, value in row.items() if name not in ("weak", "strong")},
                        "expected": {"weak": row["weak"]},
                    }
                    for row in rows[:1]
                ],
            },
            "109 scores",
            "missing: 107 traces cannot be scored, or have no single score",
            "score.held-out 0001 active-query held-out /expected/strong:… as strong, or under strong, not nothing",
            "score.calibration 0000 anchor calibration /expected/strong:….804890024571656, not -2.804890024571656",
        ),
    },
    "score.delta": {
        "what is sound": (
            {},
            "216 scores",
        ),
        "another delta": (
            {"score.calibration#/0/delta": 9.0, "trace.calibration#/1": CUT, "score.calibration#/9/delta": 9.0},
            "207 scores",
            "missing: 8 traces cannot be scored, or have no single score",
            "score.calibration 0002 active-query calibration /delta: -0.31060985112860134, not 9.0",
        ),
    },
    "threshold.stored": {
        "what is sound": (
            {},
            "216 scores",
        ),
        "a crossing that the delta does not give": (
            {
                "score.calibration#/1/crossing": True,
                "score.calibration#/2/delta": -0.05,
                "score.calibration#/3/delta": -0.05000000000000001,
                "score.calibration#/4/delta": -0.04999999999999999,
            },
            "216 scores",
            "score.calibration 0000 anchor calibration /crossing: false (delta 0.0), not true",
            "score.calibration 0000 residual 0 calibration /crossing: true (delta -0.05), not false",
            "score.calibration 0000 residual 0.04 calibration /crossing:… (delta -0.05000000000000001), not false",
            "1 more of /delta",
        ),
    },
    "threshold.recomputed": {
        "what is sound": (
            {},
            "216 scores",
        ),
        "a crossing that the records do not give": (
            {"score.calibration#/1/crossing": True},
            "216 scores",
            "score.calibration 0000 anchor calibration /crossing: false (delta 0.0), not true",
        ),
        "no anchor to compare with": (
            {"protocol#/anchor": CUT, "score.calibration#/1/crossing": True},
            "216 scores",
            "score.calibration 0000 anchor calibration /crossing: false (delta 0.0), not true",
        ),
        "a distribution moved across the threshold": (
            NEAR,
            "216 scores",
            "score.held-out 0003 residual 0.12 held-out /crossing: true (delta -0.028669559713560028), not false",
            "score.held-out 0003 residual 0.16 held-out /crossing: true (delta -0.038169220864548686), not false",
            "score.held-out 0007 residual 0.08 held-out /crossing: true (delta -0.024239599430315784), not false",
            "25 more of /crossing",
            "1 more of /probabilities",
        ),
        "a distribution moved by more than the tolerance": (
            {**NEAR, "protocol#/tolerances/replay": "5e-8"},
            "216 scores",
            "score.held-out 0003 residual 0.12 held-out /crossing: true (delta -0.028669559713560028), not false",
            "score.held-out 0003 residual 0.16 held-out /crossing: true (delta -0.038169220864548686), not false",
            "score.held-out 0007 residual 0.08 held-out /crossing: true (delta -0.024239599430315784), not false",
            "25 more of /crossing",
        ),
        "a distribution moved from the threshold": (
            {**NEAR, "protocol#/tau": "0.020379743735"},
            "216 scores",
            "score.held-out 0003 residual 0.12 held-out /crossing: true (delta -0.028669559713560028), not false",
            "score.held-out 0003 residual 0.16 held-out /crossing: true (delta -0.038169220864548686), not false",
            "score.held-out 0007 residual 0.08 held-out /crossing: true (delta -0.024239599430315784), not false",
            "25 more of /crossing",
        ),
        "a distribution moved, of a policy that cannot be replayed": (
            {**NEAR, "candidate#/3/direction/fold": CUT},
            "216 scores",
            "score.held-out 0003 residual 0.12 held-out /crossing: true (delta -0.028669559713560028), not false",
            "score.held-out 0003 residual 0.16 held-out /crossing: true (delta -0.038169220864548686), not false",
            "score.held-out 0007 residual 0.08 held-out /crossing: true (delta -0.024239599430315784), not false",
            "25 more of /crossing",
        ),
        "an anchor moved across the threshold": (
            {
                "protocol#/tau": "0.0203797",
                "protocol#/tolerances/replay": "1e-6",
                "trace.calibration#/1/probabilities/fold": lambda mass: mass - 1e-7,
                "trace.calibration#/1/probabilities/raise": lambda mass: mass + 1e-7,
            },
            "216 scores",
            "score.held-out 0003 residual 0.12 held-out /crossing: true (delta -0.028669559713560028), not false",
            "score.held-out 0003 residual 0.16 held-out /crossing: true (delta -0.038169220864548686), not false",
            "score.held-out 0007 residual 0.08 held-out /crossing: true (delta -0.024239599430315784), not false",
            "25 more of /crossing",
            "1 more of /probabilities",
        ),
        "a query policy moved across the threshold": (
            {
                "protocol#/tau": "0.3759365",
                "protocol#/tolerances/replay": "1e-6",
                "trace.calibration#/0/probabilities/fold": lambda mass: mass + 1e-7,
                "trace.calibration#/0/probabilities/raise": lambda mass: mass - 1e-7,
            },
            "216 scores",
            "score.held-out 0001 active-query held-out /crossing: false (delta -0.15963811786393356), not true",
            "score.held-out 0003 residual 1 held-out /crossing: false (delta -0.21006636223693032), not true",
            "score.held-out 0007 residual 1 held-out /crossing: false (delta -0.2766178800194708), not true",
            "29 more of /crossing",
        ),
        "distributions moved apart as far as the tolerance lets them": (
            {
                "protocol#/tau": "0.04517419",
                "protocol#/tolerances/replay": "1e-6",
                "values.calibration#/0/values": {"fold": 6.0, "call": -6.0, "raise": 0.0},
                **APART,
            },
            "216 scores",
            "score.held-out 0007 residual 0.16 held-out /crossing: true (delta -0.04835116377512072), not false",
            "score.held-out 0019 residual 0.12 held-out /crossing: true (delta -0.047726675505743665), not false",
            "score.held-out 0021 residual 1 held-out /crossing: true (delta -0.04545575598514884), not false",
            "4 more of /crossing",
            "1 more of /probabilities",
        ),
    },
    "aggregate.summary": {
        "what is sound": (
            {},
            "27 summaries",
        ),
        "summaries that are nearly right": (
            {
                "summary#/0/weak": lambda weak: weak + 8e-12,
                "summary#/0/strong": lambda strong: strong + 5e-12,
                "summary#/0/delta": lambda delta: delta + 5e-12,
            },
            "27 summaries",
        ),
        "summaries that are not quite right": (
            {
                "summary#/0/weak": lambda weak: weak + 1.2e-11,
                "summary#/0/strong": lambda strong: strong + 8e-12,
                "summary#/0/delta": lambda delta: delta + 8e-12,
            },
            "27 summaries",
            "summary all active-query /weak: 3.063612372064062, not 3.063612372076062",
            "summary all active-query /strong: 0.4418461409819375, not 0.44184614098993746",
            "summary all active-query /delta: -0.2952694628020535, not -0.2952694627940535",
        ),
        "a summary of nothing": (
            {"summary#/0/population": "spare", "summary#/1/arm": "nobody", "summary#/2/scale": "9"},
            "27 summaries",
            "summary spare active-query /population: all or one of calibration, held-out, not spare",
            "summary all nobody /population: all or one of calibration, held-out, not all",
            "summary all residual 9 /population: all or one of calibration, held-out, not all",
        ),
        "a summary of a split that is not traced": (
            {
                "trace.held-out#": lambda rows: rows[:9],
                "candidate#": lambda rows: rows[:8],
                "summary#": lambda rows: rows[-9:],
            },
            "1 summaries",
            "missing: residual@1 has 11 traces that are not there or join no state",
            "summary held-out top-1 /population: all or one of calibration, held-out, not held-out",
        ),
        "summaries that are off": (
            {
                "summary#/0/weak": 9.0,
                "summary#/1/strong": 9.0,
                "summary#/2/delta": 9.0,
                "summary#/3/delta_min": 9.0,
                "summary#/4/delta_max": 9.0,
                "summary#/5/states": 9,
                "summary#/6/crossings": 99,
            },
            "27 summaries",
            "summary all active-query /weak: 3.063612372064062, not 9.0",
            "summary all anchor /strong: 0.737115603783991, not 9.0",
            "summary all residual 0 /delta: 0.0, not 9.0",
            "1 more of /delta_min",
            "1 more of /delta_max",
            "1 more of /states",
            "1 more of /crossings",
        ),
    },
}


@pytest.mark.parametrize(("check", "name"), listed(FIXTURE))
def test_what_is_said_of_the_fixture_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("fixture", check, FIXTURE[check][name])
