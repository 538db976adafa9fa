"""What is said of a game's strategies, hands, students and recorded behaviour."""

from __future__ import annotations

import pytest

from checks.changed_records import CUT, Cases, agree, listed, outcome_of, study_of

PRIOR = {"fold": 0.5, "call": 0.25, "raise": 0.25}
LEDUC = {
    "game": "leduc",
    "ranks": ["J", "Q", "K"],
    "copies": 2,
    "ante": 1,
    "raises": [2, 4],
    "most_raises": 2,
    "tolerance": "1e-12",
}
PLAYED = {
    "arm": "s1@1",
    "opponent": "uniform",
    "seat": 0,
    "cards": "KJ",
    "result": "win",
    "value": 1.0,
    "opponent_value": -1.0,
}

GAMES: Cases = {
    "behaviour.declared": {
        "what is sound": (
            {},
            "6 settings",
        ),
        "no behaviour": (
            {"behaviour": CUT, "hand#": []},
            "0 settings",
            "not applicable: the study records no behaviour",
        ),
        "hands without a declaration": (
            {"behaviour": CUT},
            "0 settings",
        ),
        "a declaration without hands": (
            {"hand#": []},
            "6 settings",
        ),
        "an entry twice": (
            {"behaviour#/entries": lambda entries: [*entries, {**entries[0], "split": "evaluation"}]},
            "7 settings",
            "behaviour /entries: every entry once, not 3 entries",
        ),
        "limits that do not ascend": (
            {"behaviour#/sizes": ["1", "0.5"]},
            "6 settings",
            "behaviour /sizes: ascending limits, not 1, 0.5",
        ),
        "limits that are equal": (
            {"behaviour#/sizes": ["1", "1.0"]},
            "6 settings",
            "behaviour /sizes: ascending limits, not 1, 1.0",
        ),
        "a limit of zero": (
            {"behaviour#/sizes": ["0", "1"]},
            "6 settings",
            "behaviour /sizes: ascending limits, not 0, 1",
        ),
        "a clip of zero": (
            {"behaviour#/clip": "0", "behaviour#/smoothing": "0"},
            "6 settings",
            "behaviour /clip: above 0 and below 1, not 0",
            "behaviour /smoothing: above 0, not 0",
        ),
        "a clip of one": (
            {"behaviour#/clip": "1", "behaviour#/smoothing": "1/9"},
            "6 settings",
            "behaviour /clip: above 0 and below 1, not 1",
        ),
        "a prior that sums to more": (
            {
                "behaviour#/prior/facing": {**PRIOR, "fold": 0.5 + 1e-11},
                "behaviour#/prior/free": {"call": 0.5, "raise": 0.5 + 5e-13},
            },
            "6 settings",
            "behaviour /prior/facing: a distribution on call, fold, rais…0000000001, 'call': 0.25, 'raise': 0.25}",
        ),
        "a prior that sums to less": (
            {"behaviour#/prior/facing": {**PRIOR, "fold": 0.5 - 1e-11}},
            "6 settings",
            "behaviour /prior/facing: a distribution on call, fold, rais…9999999999, 'call': 0.25, 'raise': 0.25}",
        ),
        "a prior below zero": (
            {
                "behaviour#/prior/facing": {"fold": -0.5, "call": 0.5, "raise": 1.0},
                "behaviour#/prior/free": {"call": 0.0, "raise": 1.0},
            },
            "6 settings",
            "behaviour /prior/facing: a distribution on call, fold, rais…'fold': -0.5, 'call': 0.5, 'raise': 1.0}",
        ),
        "a prior of other actions": (
            {
                "behaviour#/prior/facing": {"fold": 0.5, "call": 0.5},
                "behaviour#/prior/free": {"fold": 0.5, "call": 0.5},
            },
            "6 settings",
            "behaviour /prior/facing: a distribution on call, fold, raise, not {'fold': 0.5, 'call': 0.5}",
            "behaviour /prior/free: a distribution on call, raise, not {'fold': 0.5, 'call': 0.5}",
        ),
    },
    "behaviour.hands": {
        "what is sound": (
            {},
            "2 hands",
        ),
        "hands that cannot be read": (
            {"hand#/0/actions/3": "p3 cbr 600", "hand#/1/variant": "PO"},
            "2 hands",
            "hand entry-1 0 /actions/3: a hand of hold'em in PHH notation, not p3 cbr 600",
            "hand entry-2 0 /variant: a hand of hold'em in PHH notation, not PO",
        ),
        "a hand of an undeclared entry": (
            {"hand#/1/entry": "entry-9"},
            "2 hands",
            "hand entry-9 0 /entry: a declared entry, not entry-9",
        ),
        "a hand whose first action cannot be read": (
            {"hand#/0/actions/0": "p9 cc"},
            "2 hands",
            "hand entry-1 0 /actions/0: a hand of hold'em in PHH notation, not p9 cc",
        ),
    },
    "behaviour.names": {
        "what is sound": (
            {},
            "6 players",
        ),
        "names of people": (
            {"hand#/0/players/1": "Jo", "hand#/1/players/2": "player-0123456789"},
            "6 players",
            "hand entry-1 0 /players/1: player- and a number, not something else",
            "hand entry-2 0 /players/2: player- and a number, not something else",
        ),
    },
    "behaviour.disjoint": {
        "what is sound": (
            {},
            "6 players",
        ),
        "a player in both splits": (
            {"hand#/1/players": ["player-005", "player-002", "player-001"]},
            "4 players",
            "hand entry-2 0 /players/1: players of evaluation only, not 2",
            "hand entry-2 0 /players/2: players of evaluation only, not 3",
        ),
        "a player in both splits, three times": (
            {
                "hand#": lambda hands: [
                    *hands,
                    {**hands[1], "hand": 1, "players": ["player-001", "player-008", "player-009"]},
                    {**hands[1], "hand": 2, "players": ["player-001", "player-008", "player-002"]},
                ]
            },
            "8 players",
            "hand entry-2 1 /players/0: players of evaluation only, not 1",
            "hand entry-2 2 /players/2: players of evaluation only, not 3",
        ),
    },
    "behaviour.snapshots": {
        "what is sound": (
            {},
            "12 snapshots",
        ),
        "a snapshot that is not in the hands": (
            {"snapshot.calibration#/0/action": 99},
            "12 snapshots",
            "snapshot.calibration entry-1 0 99 /action: a decision, not 99",
            "snapshot.calibration entry-1 0 3 /action: a snapshot, not nothing",
        ),
        "snapshots that say otherwise": (
            {
                "snapshot.calibration#/0/pot": 3.0 + 1e-8,
                "snapshot.calibration#/1/label": "raise",
                "snapshot.calibration#/2/size": "small",
            },
            "12 snapshots",
            "snapshot.calibration entry-1 0 3 /pot: 3.0, not 3.00000001",
            "snapshot.calibration entry-1 0 4 /label: fold, not raise",
            "snapshot.calibration entry-1 0 5 /size: None, not small",
        ),
        "snapshots that are nearly right": (
            {"snapshot.calibration#/0/pot": 3.0 + 5e-10, "snapshot.calibration#/1/players": 9},
            "12 snapshots",
            "snapshot.calibration entry-1 0 4 /players: 3, not 9",
        ),
        "no snapshots": (
            {"snapshot.calibration#": [], "snapshot.evaluation#": []},
            "0 snapshots",
            "behaviour entry-1 0 3 /action: a snapshot, not nothing",
            "behaviour entry-1 0 4 /action: a snapshot, not nothing",
            "behaviour entry-1 0 5 /action: a snapshot, not nothing",
            "9 more of /action",
        ),
        "many decisions without a snapshot": (
            {
                "snapshot.calibration#": [],
                "snapshot.evaluation#": [],
                "hand#": lambda hands: [{**hands[0], "hand": number} for number in range(5)],
            },
            "0 snapshots",
            "behaviour entry-1 0 3 /action: a snapshot, not nothing",
            "behaviour entry-1 0 4 /action: a snapshot, not nothing",
            "behaviour entry-1 0 5 /action: a snapshot, not nothing",
            "17 more of /action",
        ),
    },
    "profile.player": {
        "what is sound": (
            {},
            "36 strategies",
        ),
        "no profile of a game that cannot be dealt": (
            {"profile#": [], "game#/ranks": ["J", "Q", "KK"]},
            "0 strategies",
            "not applicable: the study holds no profile",
        ),
        "another player": (
            {"profile#/0/player": 1, "profile#/1/information_set": "A:"},
            "35 strategies",
            "profile uniform J: /player: 0, not 1",
        ),
    },
    "profile.complete": {
        "what is sound": (
            {},
            "3 profiles",
        ),
        "four information sets that are left out": (
            {"profile#": lambda rows: rows[4:]},
            "3 profiles",
            "profile uniform /information_set: 12 information sets, not 8, without J:, Q:, K:, …",
        ),
        "no profile": (
            {"profile#": []},
            "0 profiles",
            "not applicable: the study holds no profile",
        ),
        "profiles of a game that cannot be dealt": (
            {"game#/ranks": ["J", "Q", "KK"]},
            "0 profiles",
        ),
        "information sets that are left out": (
            {"profile#": lambda rows: rows[5:]},
            "3 profiles",
            "profile uniform /information_set: 12 information sets, not 7, without J:, Q:, K:, …",
        ),
        "three information sets that are left out": (
            {"profile#": lambda rows: rows[3:]},
            "3 profiles",
            "profile uniform /information_set: 12 information sets, not 9, without J:, Q:, K:",
        ),
        "one information set that is left out": (
            {"profile#": lambda rows: rows[:-1]},
            "3 profiles",
            "profile s1@1 /information_set: 12 information sets, not 11, without K:cr",
        ),
        "an information set of another game": (
            {"profile#": lambda rows: [*rows, {**rows[0], "information_set": "A:"}]},
            "3 profiles",
            "profile uniform A: /information_set: an information set of the game, not A:",
        ),
    },
    "contest.players": {
        "what is sound": (
            {},
            "3 players",
        ),
        "a contest of as many deals as are replayed": (
            {"contest#/pairs": 2000000},
            "3 players",
        ),
        "no contest": (
            {"contest": CUT, "match#": []},
            "0 players",
            "not applicable: the study plays no hands",
        ),
        "hands without a contest": (
            {"contest": CUT},
            "0 players",
        ),
        "a contest without hands": (
            {"match#": []},
            "3 players",
        ),
        "a contest of a game that cannot be dealt": (
            {"game#/ranks": ["J", "Q", "KK"]},
            "0 players",
        ),
        "players that nobody knows": (
            {"contest#/arms": ["s1@1", "nobody", "s1@1"], "contest#/opponents": ["uniform", "somebody"]},
            "5 players",
            "contest /arms/1: a whole profile or a student, not nobody",
            "contest /arms/2: names that differ, not s1@1",
            "contest /opponents/1: a whole profile or a student, not somebody",
        ),
    },
    "game.rules": {
        "what is sound": (
            {},
            "1 games",
        ),
        "no game": (
            {"game": CUT},
            "0 games",
            "not applicable: the study plays no game of its own",
        ),
        "a game that cannot be dealt": (
            {"game#/ranks": ["J", "Q", "KK"]},
            "1 games",
            "game /ranks/2: one letter or digit, not KK",
        ),
        "a game with a loose tolerance": (
            {"game#/tolerance": "1e-6"},
            "1 games",
            "warning game /tolerance: at most 1e-09, not 1e-6",
        ),
    },
    "profile.actions": {
        "what is sound": (
            {},
            "36 strategies",
        ),
        "other actions": (
            {
                "profile#/0/probabilities": {"call": 1.0},
                "profile#/1/probabilities": {"call": 0.5, "jump": 0.5},
                "profile#/2/information_set": "A:",
                "profile#/2/probabilities": {},
            },
            "35 strategies",
            "profile uniform J: /probabilities: call, raise, not call",
            "profile uniform Q: /probabilities: call, raise, not call, jump",
        ),
        "a negative probability": (
            {
                "profile#/0/probabilities": {"call": -0.25, "raise": 1.25},
                "profile#/1/probabilities": {"call": 0.0, "raise": 1.0},
            },
            "36 strategies",
            "profile uniform J: /probabilities/call: a finite number of at least 0, not -0.25",
        ),
        "a negative probability of another game": (
            {"profile#/0/probabilities": {"call": -0.25, "raise": 1.25}, "profile#/0/information_set": "A:"},
            "35 strategies",
        ),
    },
    "profile.simplex": {
        "what is sound": (
            {},
            "36 strategies",
        ),
        "probabilities that do not sum to one": (
            {"profile#/0/probabilities/call": 0.25, "profile#/1/probabilities/jump": 0.25},
            "36 strategies",
            "profile uniform J: /probabilities: 1 within 1e-12, not 0.75",
        ),
    },
    "match.pairs": {
        "what is sound": (
            {},
            "24 hands",
        ),
        "a contest of too many deals": (
            {"contest#/pairs": 2000001},
            "0 hands",
            "missing: a contest of more than 2000000 deals is not replayed",
        ),
        "hands of another contest": (
            {"match#/0/match": "6", "match#/1/arm": "nobody", "match#/2/opponent": "nobody", "match#/3/seat": CUT},
            "24 hands",
            "match 6 s1@1 uniform 0 /match: 0 to 5, not 6",
            "match 0 nobody uniform 1 /arm: an arm of the contest, not nobody",
            "match 1 s1@1 nobody 0 /opponent: an opponent of the contest, not nobody",
            "1 more of /seat",
            "2 more of /match",
        ),
        "a deal that was not played": (
            {"match#": lambda rows: rows[1:]},
            "23 hands",
            "match s1@1 uniform 0 /match: 6 hands, not 5",
        ),
    },
    "match.deal": {
        "what is sound": (
            {},
            "24 hands",
        ),
        "other cards": (
            {"match#/0/cards": "JJ", "match#/1/board": "J", "match#/2/history": "x", "match#/2/board": "J"},
            "24 hands",
            "match 0 s1@1 uniform 0 /cards: KQ, not JJ",
            "match 0 s1@1 uniform 1 /board: nothing, not J",
        ),
        "cards of a hand of another contest": (
            {"match#/0/arm": "nobody", "match#/0/cards": "JJ"},
            "23 hands",
        ),
        "public cards": (
            {
                "game": LEDUC,
                "match#": [
                    {**PLAYED, "match": "0", "history": "cc/cc", "cards": "KK"},
                    {**PLAYED, "match": "1", "history": "cc/cc", "board": "J", "cards": "JK"},
                    {**PLAYED, "match": "2", "history": "rf", "cards": "QK"},
                    {**PLAYED, "match": "3", "history": "rf", "board": "K"},
                ],
            },
            "4 hands",
            "match 3 s1@1 uniform 0 /cards: JJ, not KJ",
            "match 0 s1@1 uniform 0 /board: J, not nothing",
            "match 3 s1@1 uniform 0 /board: nothing, not K",
        ),
    },
    "match.legal": {
        "what is sound": (
            {},
            "24 hands",
        ),
        "a history that is not legal": (
            {"match#/0/history": "r", "match#/1/history": "rrr"},
            "24 hands",
            "match 0 s1@1 uniform 0 /history: legal actions to the end of the hand, such as crc/cc, not r",
            "match 0 s1@1 uniform 1 /history: legal actions to the end of the hand, such as crc/cc, not rrr",
        ),
    },
    "match.replay": {
        "what is sound": (
            {},
            "24 hands",
        ),
        "another history": (
            {"match#/0/history": "cc", "match#/1/arm": "nobody"},
            "23 hands",
            "match 0 s1@1 uniform 0 /history: rf, not cc",
        ),
        "no player is known": (
            {"profile#": lambda rows: rows[:1], "distillation": CUT, "student.s1": CUT, "student.s2": CUT},
            "0 hands",
        ),
    },
    "match.value": {
        "what is sound": (
            {},
            "24 hands",
        ),
        "another return": (
            {"match#/0/value": 9.0, "match#/1/result": "tie", "match#/2/history": "r"},
            "23 hands",
            "match 0 s1@1 uniform 0 /value: 1.0, not 9.0",
            "match 0 s1@1 uniform 1 /result: loss, not tie",
        ),
    },
    "match.zero-sum": {
        "what is sound": (
            {},
            "24 hands",
        ),
        "returns that do not cancel": (
            {"match#/0/opponent_value": 0.5, "match#/1/value": CUT, "match#/2/opponent_value": CUT},
            "24 hands",
            "match 0 s1@1 uniform 0 /opponent_value: -1.0, not 0.5",
            "match 0 s1@1 uniform 1 /opponent_value: the arm's return with the other sign, not 2.0",
            "match 1 s1@1 uniform 0 /opponent_value: 1.0, not nothing",
        ),
    },
    "match.expectation": {
        "what is sound": (
            {},
            "2 pairings",
        ),
        "a mean far from the exact one": (
            {"contest#/limit": "0.1"},
            "2 pairings",
            "match s1@1 uniform /value: 0.121476 within 0.1 standard errors of 0.129099, not 0.0",
            "match s2@2 uniform /value: -0.0914728 within 0.1 standard e…rs of 0.333333, not -0.16666666666666666",
        ),
        "a player against itself": (
            {
                "contest#/arms": ["uniform"],
                "match#": lambda rows: [{**row, "arm": "uniform", "history": "cc"} for row in rows[:12]],
            },
            "1 pairings",
        ),
        "a player who always wins against itself": (
            {
                "contest#/arms": ["uniform"],
                "match#": lambda rows: [
                    {**row, "arm": "uniform", "history": ("rf", "crf")[row["seat"]]} for row in rows[:12]
                ],
            },
            "1 pairings",
            "match uniform uniform /value: -1.38778e-17 within 9 standard errors of 0, not 1.0",
        ),
        "a mean near the exact one": (
            {"contest#/limit": "0.5", "contest#/arms": ["s1@1", "s2@2", "nobody"]},
            "2 pairings",
            "match s1@1 uniform /value: 0.121476 within 0.5 standard errors of 0.129099, not 0.0",
        ),
    },
    "student.declared": {
        "what is sound": (
            {},
            "12 settings",
        ),
        "no students": (
            {"distillation": CUT, "student.s1": CUT, "student.s2": CUT},
            "0 settings",
            "not applicable: the study has no students",
        ),
        "students without a declaration": (
            {"distillation": CUT},
            "0 settings",
        ),
        "a declaration without students": (
            {"student.s1": CUT, "student.s2": CUT},
            "12 settings",
        ),
        "students of a game that cannot be dealt": (
            {"game#/ranks": ["J", "Q", "KK"]},
            "0 settings",
        ),
        "scales that do not ascend": (
            {"distillation#/scales": ["0", "2", "1"]},
            "12 settings",
            "distillation /scales: ascending scales, the first of them 0, not 0, 2, 1",
        ),
        "scales that are equal": (
            {"distillation#/scales": ["0", "1", "1.0"]},
            "12 settings",
            "distillation /scales: ascending scales, the first of them 0, not 0, 1, 1.0",
        ),
        "scales that do not begin at zero": (
            {"distillation#/scales": ["1", "2"]},
            "11 settings",
            "distillation /scales: ascending scales, the first of them 0, not 1, 2",
        ),
        "a fixed scale off the grid": (
            {"distillation#/fixed": "3"},
            "12 settings",
            "distillation /fixed: 0, 1, 2, not 3",
        ),
        "an unknown feature": (
            {"distillation#/features/1": "mood"},
            "12 settings",
            "distillation /features/1: a feature of information sets, not mood",
        ),
        "settings at zero": (
            {
                "distillation#/smoothing": "0",
                "distillation#/tau": "0",
                "distillation#/epsilon": "0",
                "distillation#/zeta": "0",
            },
            "12 settings",
            "distillation /smoothing: above 0 and below 1, not 0",
            "distillation /tau: above 0, not 0",
            "distillation /epsilon: above 0 and below 1, not 0",
            "1 more of /zeta",
        ),
        "settings at one": (
            {
                "distillation#/smoothing": "1",
                "distillation#/tau": "1",
                "distillation#/epsilon": "1",
                "distillation#/zeta": "1",
            },
            "12 settings",
            "distillation /smoothing: above 0 and below 1, not 1",
            "distillation /epsilon: above 0 and below 1, not 1",
            "distillation /zeta: above 0 and below 1, not 1",
        ),
        "states that are drawn twice": (
            {"distillation#/held_out/seed": 21},
            "12 settings",
            "distillation /held_out/seed: another seed, not 21",
        ),
    },
    "student.runs": {
        "what is sound": (
            {},
            "2 runs",
        ),
        "a run twice, and none": (
            {"run#": lambda rows: [rows[0], rows[0]]},
            "2 runs",
            "student.s1 /run: 1 run of this name, not 2",
            "student.s2 /run: 1 run of this name, not 0",
        ),
        "a run that declares nothing": (
            {"run#/0/data_order": CUT, "run#/0/checkpoint_rule": CUT, "run#/1/checkpoint_sha256": CUT},
            "2 runs",
            "run s1 /data_order: a value, not nothing",
            "run s1 /checkpoint_rule: a value, not nothing",
            "run s2 /checkpoint_sha256: a value, not nothing",
        ),
    },
    "student.seeds": {
        "what is sound": (
            {},
            "6 seeds",
        ),
        "runs of no student": (
            {"run#": lambda rows: [*rows, {**rows[0], "run": "s9"}]},
            "6 seeds",
        ),
        "seeds that are the same": (
            {"run#/0/resampling_seed": 3, "run#/1/training_seed": 11, "run#/1/evaluation_seed": CUT},
            "6 seeds",
            "run s1 /resampling_seed: another seed, not 3",
            "run s2 /evaluation_seed: a seed, not nothing",
            "run s2 /training_seed: another seed, not 11",
        ),
        "no seeds": (
            {
                "run#": lambda rows: [
                    {name: value for name, value in row.items() if not name.endswith("seed")} for row in rows
                ]
            },
            "6 seeds",
            "run s1 /training_seed: a seed, not nothing",
            "run s1 /evaluation_seed: a seed, not nothing",
            "run s1 /resampling_seed: a seed, not nothing",
            "1 more of /training_seed",
            "1 more of /evaluation_seed",
            "1 more of /resampling_seed",
        ),
    },
    "student.checkpoint": {
        "what is sound": (
            {},
            "2 checkpoints",
        ),
        "another checkpoint": (
            {"run#/0/checkpoint_sha256": "0" * 64, "run#/1/checkpoint_sha256": CUT},
            "1 checkpoints",
            "run s1 /checkpoint_sha256: 27073dcbc14017f733c895b08917c37b…0000000000000000000000000000000000000000",
        ),
    },
    "student.policy": {
        "what is sound": (
            {},
            "12 strategies",
        ),
        "weights that cannot be run": (
            {"student.s2#/base/0/weights": lambda weights: weights[:-1]},
            "12 strategies",
            "student.s2 /base/0/weights: 4 inputs, not 3",
        ),
        "another policy": (
            {
                "profile#": lambda rows: [
                    row
                    if row["profile"] != "s1@1" or place % 5
                    else {
                        **row,
                        "probabilities": {
                            name: value + (1e-6 if name == "call" else 0)
                            for name, value in row["probabilities"].items()
                        },
                    }
                    for place, row in enumerate(rows)
                ]
            },
            "12 strategies",
            "profile s1@1 Q: /probabilities: 0, 0.549834, 0.450166, not 0, 0.549835, 0.450166",
            "profile s1@1 J:r /probabilities: 0.63026, 0.36974, 0, not 0.63026, 0.369741, 0",
            "profile s1@1 K:cr /probabilities: 0.154465, 0.845535, 0, not 0.154465, 0.845536, 0",
        ),
        "a policy that is nearly right": (
            {
                "game#/tolerance": "1e-6",
                "profile#": lambda rows: [
                    row
                    if row["profile"] != "s1@1" or place % 5
                    else {
                        **row,
                        "probabilities": {
                            name: value + (1e-7 if name == "call" else 0)
                            for name, value in row["probabilities"].items()
                        },
                    }
                    for place, row in enumerate(rows)
                ],
            },
            "12 strategies",
            "warning profile s1@1 J:r /probabilities: 1.0000000000287557e-07, not 0.0",
        ),
        "a policy of another game": (
            {"profile#": lambda rows: [*rows, {**rows[-1], "information_set": "A:"}]},
            "12 strategies",
        ),
    },
    "student.calibration": {
        "what is sound": (
            {},
            "6 scales",
        ),
        "no teacher": (
            {"profile#": lambda rows: [row for row in rows if row["profile"] != "teacher"]},
            "0 scales",
            "missing: the teacher's profile is not whole",
        ),
        "other counts": (
            {
                "scale#/0/states": 11,
                "scale#/1/violations": 9,
                "scale#/2/bound": 0.5,
                "scale#/3/certified": lambda certified: not certified,
            },
            "6 scales",
            "scale s1 0 /states: 12, not 11",
            "scale s1 1 /violations: 0, not 9",
            "scale s1 2 /bound: 0.13870076303853474, not 0.5",
            "1 more of /certified",
        ),
        "a bound that is nearly right": (
            {"scale#/0/bound": lambda bound: bound + 5e-10, "scale#/1/bound": lambda bound: bound + 2e-9},
            "6 scales",
            "scale s1 1 /bound: 0.13870076303853474, not 0.13870076503853473",
        ),
        "scales of nobody": (
            {"scale#/0/scale": "9", "scale#/1/run": "s9"},
            "6 scales",
            "scale s1 0 /scale: 1 row, not 0",
            "scale s1 1 /scale: 1 row, not 0",
            "scale s1 9 /scale: a run and a scale of the grid, not 9",
            "1 more of /scale",
        ),
        "a scale twice": (
            {"scale#": lambda rows: [*rows, rows[0]]},
            "6 scales",
            "scale s1 0 /scale: 1 row, not 2",
        ),
        "a threshold that a state lies on": (
            {"distillation#/tau": "1e-12"},
            "0 scales",
            "missing: a state of s1 lies on the threshold, and rounding would decide",
        ),
    },
    "student.choice": {
        "what is sound": (
            {},
            "2 students",
        ),
        "another choice": (
            {"scale#/0/chosen": lambda chosen: not chosen, "scale#/2/chosen": lambda chosen: not chosen},
            "2 students",
            "scale s1 0 /chosen: false, not true",
            "scale s1 2 /chosen: true, not false",
        ),
        "no choice is certified": (
            {"distillation#/epsilon": "0.0001"},
            "2 students",
            "scale s1 2 /chosen: false, not true",
            "scale s2 0 /chosen: false, not true",
        ),
        "a choice of nobody": (
            {"scale#/0/run": "s9", "scale#/0/chosen": True, "scale#/4/scale": "9", "scale#/4/chosen": True},
            "2 students",
        ),
    },
}


@pytest.mark.parametrize(("check", "name"), listed(GAMES))
def test_what_is_said_of_the_games_study(check: str, name: str) -> None:
    """Where, what is expected, what was found, and how much was looked at."""
    agree("games", check, GAMES[check][name])


def test_a_player_in_both_splits_is_told_where() -> None:
    """The other split and its entry, which no field of the finding holds."""
    study = study_of("games", {"hand#/1/players/0": "player-002"})
    (finding,) = outcome_of("behaviour.disjoint", study).findings
    assert finding.message == "The player is in calibration too, in entry-1."


def test_the_largest_difference_of_a_bound_is_kept() -> None:
    """As far as a stored bound is from the recomputed one."""
    largest = outcome_of(
        "student.calibration", study_of("games", {"scale#/0/bound": lambda bound: bound + 5e-10})
    ).largest
    assert largest is not None
    assert largest.field == "/bound"
    assert largest.value == pytest.approx(5e-10, rel=1e-3)


def test_a_scale_that_is_not_chosen_is_told_otherwise() -> None:
    """Whether the row should be chosen, or another one."""
    changes = {f"scale#/{row}/chosen": lambda chosen: not chosen for row in (0, 2)}
    assert [finding.message for finding in outcome_of("student.choice", study_of("games", changes)).findings] == [
        "Another scale is the largest certified one.",
        "This is the largest certified scale.",
    ]
