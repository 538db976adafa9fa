"""The checks of games: rules, strategies, and played hands."""

from __future__ import annotations

from sealtrace.contract.packs import Check

_PROFILES = ("game", "profile")

CATALOGUE: tuple[Check, ...] = (
    Check(
        "game.rules",
        "The declared game can be dealt: ranks are different single characters, and there are cards for everybody",
        "appendix D: the game of a strategy profile",
        "the game declares the same rank twice",
        reads=("game",),
        consequences=("profile.complete",),
    ),
    Check(
        "profile.complete",
        "Every profile has every information set of the game once, and no other",
        "appendix D: a best response is searched against a whole profile",
        "a profile leaves out an information set",
        reads=_PROFILES,
        needs=("game.rules", "join.unique-key"),
        whole=True,
    ),
    Check(
        "profile.player",
        "Every row names the player who acts at its information set",
        "appendix D: strategy profiles",
        "a row gives an information set to the other player",
        reads=_PROFILES,
        needs=("game.rules",),
    ),
    Check(
        "profile.actions",
        "Every strategy names the legal actions of its information set and no other, each with a probability",
        "section 3.7: legal actions",
        "a strategy folds where there is nothing to fold to",
        reads=_PROFILES,
        needs=("game.rules",),
    ),
    Check(
        "profile.simplex",
        "The probabilities of every strategy sum to one",
        "section 3.7: finite probabilities that sum to one",
        "a probability is changed without the others",
        reads=_PROFILES,
        needs=("game.rules",),
    ),
)
