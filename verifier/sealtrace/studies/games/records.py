"""Small games: their rules, strategies of the whole game, students of it, and hands played for comparison."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sealtrace.contract.scalars import WHOLE, ByAction, Count, Exact, Name, Number, Record, example

Positive = Annotated[int, Field(strict=True, ge=1, le=1000), WHOLE]


class GameRules(Record):
    """A poker game for two with one private card each and a public card between two betting rounds, if there are two.

    Or a zero-sum game for two whose rules OpenSpiel has: an information set is then named after its player and what
    OpenSpiel says that this player knows, and actions as OpenSpiel names them.

    Player 0 acts first in each round; a fold is legal only against a raise; a pair with the public card wins, then the
    higher card. Information sets are named after what the player sees, with one letter per action: in `K:crc/Q:r` the
    player holds a king, the first round went check, raise, call, the public card is a queen, and a raise is to be met.
    """

    game: Name = Field(description="The game's name.")
    openspiel: Name | None = Field(
        None,
        description="The game as OpenSpiel loads it, such as liars_dice(dice_sides=3); in place of all that follows.",
    )
    ranks: Annotated[list[Name], Field(min_length=2, max_length=13)] | None = Field(
        None, description="The ranks from low to high, one letter or digit each."
    )
    copies: Annotated[int, Field(strict=True, ge=1, le=4), WHOLE] | None = Field(
        None, description="Cards of each rank."
    )
    ante: Positive | None = Field(None, description="What each player pays first.")
    raises: Annotated[list[Positive], Field(min_length=1, max_length=2)] | None = Field(
        None, description="The size of a raise in each betting round; there are as many rounds."
    )
    most_raises: Annotated[int, Field(strict=True, ge=1, le=4), WHOLE] | None = Field(
        None, description="Raises that a round allows."
    )
    tolerance: Exact = Field(description="Allowed distance of a strategy's sum from one, and of replayed numbers.")

    model_config = example("""{
        "game": "leduc", "ranks": ["J", "Q", "K"], "copies": 2, "ante": 1, "raises": [2, 4], "most_raises": 2,
        "tolerance": "1e-12"
    }""")


class Profile(Record):
    """The strategy of one player at one information set."""

    profile: Name = Field(description="The profile's name, such as a checkpoint.")
    information_set: Name = Field(description="The information set.")
    player: Count = Field(description="The acting player.")
    probabilities: ByAction = Field(description="The strategy, by action name.")

    model_config = example(
        '{"profile": "uniform", "information_set": "J:", "player": 0, "probabilities": {"call": 0.5, "raise": 0.5}}'
    )


class Threshold(Record):
    """From where on an arm is worse at an information set than the arm whose place it takes."""

    base: Name = Field(description="The arm that the others are compared with, run by run.")
    evaluator: Name = Field(description="The profile whose play, mixed with the uniform one, values actions.")
    smoothing: Exact = Field(description="The share of uniform play; more than 0, so that every set is reached.")
    tau: Exact = Field(description="An arm violates where it expects more than this less than the base; positive.")


class Contest(Record):
    """Who plays whom, and where chance comes from: declared before a hand is played.

    Draw `purpose` of match `m` is the first 53 bits of the SHA-256 of `seed/m/purpose`, as a number in [0, 1).
    `card 0`, `card 1` and `board` draw in turn from the deck sorted by rank; `action k` draws the hand's action k.
    """

    seed: Count = Field(description="The evaluation seed.")
    arms: Annotated[list[Name], Field(min_length=1)] = Field(description="The profiles that are compared.")
    opponents: Annotated[list[Name], Field(min_length=1)] = Field(description="The frozen profiles that they meet.")
    pairs: Annotated[int, Field(strict=True, ge=2, le=10_000_000), WHOLE] = Field(
        description="Deals that every arm plays against every opponent, once in each seat; named from 0."
    )
    z: Exact = Field(description="Intervals are the mean of pairs and this many standard errors, with divisor n - 1.")
    limit: Exact = Field(description="Standard errors by which a played mean may miss the exact value of the tree.")
    violation: Threshold | None = Field(None, description="When an arm without weights violates an information set.")
    divisor: Literal["n", "n-1"] | None = Field(
        None, description="The divisor of standard deviations over the seeds of arms without weights."
    )

    model_config = example(
        '{"seed": 5, "arms": ["student"], "opponents": ["cautious"], "pairs": 100, "z": "1.96", "limit": "5"}'
    )


class Match(Record):
    """The result of one arm in one paired hand or match block."""

    match: Name = Field(description="The paired hand or block.")
    arm: Name = Field(description="The policy arm.")
    opponent: Name = Field(description="The opponent, fixed before scoring.")
    seat: Annotated[int, Field(strict=True, ge=0, le=1), WHOLE] | None = Field(None, description="The seat of the arm.")
    cards: Name | None = Field(None, description="The private ranks, seat 0 first.")
    board: Name | None = Field(None, description="The public rank, where it was dealt.")
    history: Name | None = Field(
        None, description="The actions, one letter each, with a stroke before the public card."
    )
    seed: Count | None = Field(None, description="The evaluation seed.")
    result: Literal["win", "tie", "loss"] | None = Field(None, description="The outcome, where it is one of three.")
    value: Number | None = Field(None, description="The arm's return, where outcomes are valued.")
    opponent_value: Number | None = Field(None, description="The opponent's return.")

    model_config = example(
        """{
            "match": "h-1", "arm": "residual", "opponent": "independent-A", "result": "win"
        }""",
        """{
            "match": "0", "arm": "residual", "opponent": "cautious", "seat": 1, "cards": "JK", "history": "crf",
            "result": "win", "value": 1.0, "opponent_value": -1.0
        }""",
    )


class StatesDrawn(Record):
    """Information sets drawn with replacement, all with the same chance, by the draws `state/0`, `state/1`, ..."""

    seed: Count = Field(description="The seed of the draws.")
    draws: Annotated[int, Field(strict=True, ge=1, le=1_000_000), WHOLE] = Field(description="How many.")


class Association(Record):
    """How rank correlations over candidates are tested."""

    ties: Literal["mean-rank"] = Field(description="Equal values share the mean of their ranks; Kendall's is tau-b.")
    resamples: Annotated[int, Field(strict=True, ge=1, le=20_000), WHOLE] = Field(description="Bootstrap replicates.")
    permutations: Annotated[int, Field(strict=True, ge=1, le=20_000), WHOLE] = Field(description="Shuffles.")
    confidence: Exact = Field(description="Confidence level of the bootstrap interval.")
    seed: Count = Field(description="The resampling seed.")


class Distillation(Record):
    """How students are calibrated and compared: declared before they are.

    The policy of a student at scale s is proportional to exp(base + s · residual) on legal actions. A state is violated
    where the strong value of that policy lies more than tau below the strong value at scale 0. The strong values are
    those against the teacher, mixed with a uniform opponent; the weak ones are those against a uniform opponent.
    """

    teacher: Name = Field(description="The profile that students learn from.")
    smoothing: Exact = Field(description="Share of the uniform opponent in the strong evaluator.")
    features: Annotated[list[Name], Field(min_length=1, max_length=64)] = Field(
        description="What a student sees, in order; functions of the information set alone."
    )
    scales: Annotated[list[Exact], Field(min_length=1, max_length=1000)] = Field(
        description="The residual scales, ascending; calibration takes the largest that is certified."
    )
    fixed: Exact = Field(description="The scale of the arm that is not calibrated.")
    tau: Exact = Field(description="The severity threshold.")
    epsilon: Exact = Field(description="The risk budget.")
    zeta: Exact = Field(description="Failure probability of a student's certificates, shared evenly by its scales.")
    calibration: StatesDrawn = Field(description="The calibration states.")
    held_out: StatesDrawn = Field(description="The held-out states.")
    divisor: Literal["n", "n-1"] = Field(description="The divisor of standard deviations over seeds.")
    association: Association | None = Field(None, description="Rank correlations over students and scales.")

    model_config = example("""{
        "teacher": "cfr+1000", "smoothing": "0.01", "features": ["rank J", "pair"], "scales": ["0", "0.5", "1"],
        "fixed": "0.5", "tau": "0.05", "epsilon": "0.10", "zeta": "0.05", "calibration": {"seed": 101, "draws": 512},
        "held_out": {"seed": 102, "draws": 512}, "divisor": "n-1"
    }""")


class StudentLayer(Record):
    """activation(inputs · weights + bias)."""

    weights: list[list[Number]] = Field(description="Inputs by outputs.")
    bias: list[Number] = Field(description="One per output.")
    activation: Literal["identity", "tanh", "relu"] = Field(description="Applied to every output.")


class Student(Record):
    """The frozen weights of one student. Its content digest is what its run names as its checkpoint."""

    run: Name = Field(description="The run that trained it.")
    base: Annotated[list[StudentLayer], Field(min_length=1, max_length=20)] = Field(
        description="From features to the logits of fold, call, raise."
    )
    residual: Annotated[list[StudentLayer], Field(min_length=1, max_length=20)] = Field(
        description="From features to the residual direction of fold, call, raise."
    )

    model_config = example("""{
        "run": "s11", "base": [{"weights": [[0.1, 0.2, 0.3]], "bias": [0.0, 0.0, 0.0], "activation": "identity"}],
        "residual": [{"weights": [[0.0, 0.1, 0.2]], "bias": [0.0, 0.0, 0.0], "activation": "identity"}]
    }""")


class Scale(Record):
    """The calibration of one student at one scale."""

    run: Name = Field(description="The student's run.")
    scale: Exact = Field(description="The residual scale.")
    states: Count = Field(description="n: calibration states.")
    violations: Count = Field(description="k: those that are violated.")
    bound: Number = Field(description="The Clopper-Pearson bound at the scale's share of zeta.")
    certified: bool = Field(description="Whether the bound is within the budget.")
    chosen: bool = Field(description="Whether it is the scale that calibration takes.")

    model_config = example("""{
        "run": "s11", "scale": "0.5", "states": 512, "violations": 3, "bound": 0.03, "certified": true, "chosen": true
    }""")


class Hand(Record):
    """One hand in the notation of Poker Hand Histories: `p2 cbr 60` raises to 60, `d db AsKd2c` deals a board."""

    entry: Name = Field(description="The archive entry, such as a table's session.")
    hand: Count = Field(description="The hand's number in its entry.")
    variant: Name = Field(description="The game's code, such as NT for no-limit Texas hold'em.")
    antes: list[Number] = Field(description="By player.")
    blinds_or_straddles: list[Number] = Field(description="By player.")
    min_bet: Number = Field(description="The smallest bet.")
    starting_stacks: list[Number] = Field(description="By player.")
    players: list[Name] = Field(description="Pseudonyms: `player-` and a number.")
    actions: list[Name] = Field(description="The actions, in order.")

    model_config = example("""{
        "entry": "table-1", "hand": 0, "variant": "NT", "antes": [0, 0], "blinds_or_straddles": [1, 2], "min_bet": 2,
        "starting_stacks": [200, 200], "players": ["player-001", "player-002"],
        "actions": ["d dh p1 AcAd", "d dh p2 KcKd", "p2 cbr 6", "p1 f"]
    }""")


class ArchiveEntry(Record):
    """An archive entry and its split."""

    entry: Name = Field(description="The entry.")
    split: Literal["calibration", "evaluation"] = Field(description="What it serves for.")


class Prior(Record):
    """What is expected of anybody: probabilities of actions, by whether there is a bet to face."""

    facing: ByAction = Field(description="Of fold, call and raise, against a bet.")
    free: ByAction = Field(description="Of call and raise, without one.")


class Behaviour(Record):
    """How recorded behaviour is predicted: declared before it is."""

    entries: Annotated[list[ArchiveEntry], Field(min_length=1)] = Field(description="Every entry once.")
    context: list[Literal["street", "facing", "players"]] = Field(
        description="The public features that frequencies are counted by."
    )
    prior: Prior = Field(description="The public prior.")
    smoothing: Exact = Field(description="What is added to every count of a legal action.")
    clip: Exact = Field(description="The least probability that a log loss is taken of.")
    sizes: Annotated[list[Exact], Field(min_length=1, max_length=20)] = Field(
        description="Ascending limits of raises, as shares of the pot after a call: a raise of at most the first is "
        "`size 0`, one above the last `size n`."
    )

    model_config = example("""{
        "entries": [{"entry": "table-1", "split": "calibration"}], "context": ["street", "facing"],
        "prior": {"facing": {"fold": 0.4, "call": 0.4, "raise": 0.2}, "free": {"call": 0.7, "raise": 0.3}},
        "smoothing": "1", "clip": "1e-6", "sizes": ["0.5", "1"]
    }""")


class Snapshot(Record):
    """The public state before one decision, and what was done."""

    entry: Name = Field(description="The archive entry.")
    hand: Count = Field(description="The hand's number in its entry.")
    action: Count = Field(description="The place of the decision among the hand's actions.")
    split: Literal["calibration", "evaluation"] = Field(description="The entry's split.")
    street: Annotated[int, Field(strict=True, ge=0, le=3), WHOLE] = Field(description="0 before the flop, up to 3.")
    players: Count = Field(description="Players who have not folded.")
    pot: Number = Field(description="Everything paid in so far.")
    to_call: Number = Field(description="What the player must add to go on.")
    label: Literal["fold", "call", "raise"] = Field(description="What was done; a check is a call of nothing.")
    size: Name | None = Field(None, description="The size of a raise, where it was one.")

    model_config = example("""{
        "entry": "table-1", "hand": 0, "action": 2, "split": "calibration", "street": 0, "players": 2, "pot": 3.0,
        "to_call": 1.0, "label": "raise", "size": "size 1"
    }""")
