"""The checks of games: rules, strategies, and played hands."""

from sealtrace.contract.packs import catalogue

CATALOGUE = catalogue(
    """
game.rules: The declared game can be dealt: ranks are different single characters, and there are cards for everybody
    enforces RSD-Poker paper, appendix D: the game of a strategy profile
    broken where the game declares the same rank twice
    reads game; consequences profile.complete
profile.complete: Every profile has every information set of the game once, and no other
    enforces RSD-Poker paper, appendix D: a best response is searched against a whole profile
    broken where a profile leaves out an information set
    reads PROFILES; needs game.rules join.unique-key; whole; consequences contest.players
profile.player: Every row names the player who acts at its information set
    enforces RSD-Poker paper, appendix D: strategy profiles
    broken where a row gives an information set to the other player
    reads PROFILES; needs game.rules; consequences contest.players
profile.actions: Every strategy names the legal actions of its information set and no other, each with a probability
    enforces RSD-Poker paper, section 3.7: legal actions
    broken where a strategy folds where there is nothing to fold to
    reads PROFILES; needs game.rules; consequences contest.players
profile.simplex: The probabilities of every strategy sum to one
    enforces RSD-Poker paper, section 3.7: finite probabilities that sum to one
    broken where a probability is changed without the others
    reads PROFILES; needs game.rules; consequences contest.players
contest.players: Every arm and opponent of the contest is a whole profile or a student, and is named once
    enforces RSD-Poker paper, appendix D: independent opponents are fixed before scoring
    broken where the contest names an opponent that nobody has seen
    reads game contest; needs game.rules; consequences match.pairs
match.pairs: Every arm plays every deal against every opponent once in each seat, and nothing else is played
    enforces RSD-Poker paper, appendix C, denominators: paired match blocks stay explicit
    broken where a hand is missing in one seat
    reads game contest match; needs game.rules join.unique-key; whole
match.deal: Private and public cards are those that the declared seed deals
    enforces RSD-Poker paper, appendix C, denominators: deck pairing
    broken where a hand was played with a better card
    reads game contest match; needs game.rules
match.legal: Every history is a legal sequence of actions that ends the hand
    enforces RSD-Poker paper, section 3.7: legal actions
    broken where a player raises once more than the round allows
    reads game contest match; needs game.rules; consequences match.replay match.value
match.replay: Every action is the one that the acting profile takes at the declared draw
    enforces RSD-Poker paper, appendix D: frozen opponents
    broken where a player folds where its profile calls
    reads game contest match; needs game.rules contest.players; consequences match.value
match.value: Every return and every result is what the rules pay for the cards and the history
    enforces RSD-Poker paper, appendix D: chip returns and win, tie, loss
    broken where a lost hand is recorded as a win
    reads game contest match; needs game.rules
match.zero-sum: What one player wins, the other loses
    enforces RSD-Poker paper, appendix D: u_0 = -u_1
    broken where both players of a hand win
    reads game contest match; needs game.rules
match.expectation: The mean return of every pairing lies near its exact value, by the declared number of standard
      errors
    enforces RSD-Poker paper, appendix D: returns of played hands and values of the game
    broken where the contest declares a limit that chance exceeds
    reads game contest match; needs game.rules contest.players match.pairs match.legal; whole
student.declared: The declared settings of students lie in their domains: scales ascend from 0, features are known
    enforces RSD-Poker paper, section 3: predeclared constants
    broken where the scales are out of order
    reads game distillation; needs game.rules; consequences student.policy student.calibration contest.players
student.runs: Every run names its data order, its checkpoint and how that was chosen, and every student has one run
    enforces RSD-Poker paper, appendix D: a complete run records the data order and the checkpoint-selection rule
    broken where a run does not say how its checkpoint was chosen
    reads run student
student.seeds: Training, evaluation and resampling seeds are there, differ in each run, and training seeds are
      distinct
    enforces RSD-Poker paper, appendix D: the three kinds of seed occupy separate namespaces
    broken where two runs share a training seed
    reads run student
student.checkpoint: Every run's checkpoint digest is that of the weights in the bundle
    enforces RSD-Poker paper, section 3.2: checkpoint digests
    broken where a student's weights are changed after its run named them
    reads run student; consequences student.policy student.calibration match.replay result.runs table.cells
student.policy: The stored policies of students follow from their weights and from observations alone
    enforces RSD-Poker paper, section 3.8: teacher distributions are absent at inference
    broken where a student's stored policy is changed
    reads game distillation student profile; needs game.rules student.declared; consequences match.replay table.cells
student.calibration: Violations, bounds and certified scales are what weights, teacher and drawn states give
    enforces RSD-Poker paper, section 3.4: risk bound and certified candidates
    broken where a student's violations are counted one too many
    reads game distillation student profile scale; needs game.rules student.declared join.unique-key profile.complete;
      whole
student.choice: Every student's chosen scale is the largest that is certified
    enforces RSD-Poker paper, section 3.4: selection within the certified set
    broken where a student deploys a smaller scale
    reads game distillation student profile scale; needs game.rules student.declared join.unique-key profile.complete;
      whole
behaviour.declared: Entries stand once, limits ascend, and the prior is a distribution on the legal actions
    enforces RSD-Poker paper, appendix C: PHH construction
    broken where the prior sums to more than one
    reads behaviour; consequences table.cells
behaviour.hands: Every hand can be read, and belongs to a declared entry
    enforces RSD-Poker paper, appendix C: the public-state adapter
    broken where a player acts after folding
    reads behaviour hand; consequences behaviour.snapshots
behaviour.names: Players stand under pseudonyms: no name reaches a released bundle
    enforces RSD-Poker paper, appendix E: release hygiene
    broken where a player's name is released
    reads behaviour hand
behaviour.disjoint: No player and no entry serves both for calibration and for evaluation
    enforces RSD-Poker paper, appendix C: the recorded group intersection is empty
    broken where a player of the calibration split plays in the evaluation split
    reads behaviour hand
behaviour.snapshots: Every decision of the sealed hands has one snapshot with its public state, and there is no other
    enforces RSD-Poker paper, appendix C: snapshots and behaviour labels
    broken where a snapshot's label is changed
    reads behaviour hand snapshot; needs join.unique-key; whole
    """,
    PROFILES="game profile",
)

METRICS = """
appendix C: behaviour labels, each rate with its own denominator
    log_loss policy: -mean log max(p, clip), with p the probability of what was done
    action_accuracy policy: snapshots whose likeliest action was taken, by all (share)
    raise_agreement policy: raises whose size was predicted, by all raises (share)
    snapshots split [label]: how many decisions a split holds
appendix E: association between state-level risk and strategic endpoints
    spearman endpoint: the correlation of ranks; equal values share the mean of their ranks
    kendall endpoint: Kendall's tau-b
    spearman_interval endpoint: percentile bootstrap of ρ over candidates
    spearman_permutation endpoint: (1 + shuffles at least as far from zero) / (1 + shuffles)
    kendall_interval endpoint: percentile bootstrap of τ over candidates
    kendall_permutation endpoint: (1 + shuffles at least as far from zero) / (1 + shuffles)
    candidates: students times scales
appendix D: best responses, NashConv and exploitability
    best_response profile player: b_i = max over σ_i of u_i(σ_i, σ_-i)
    profile_value profile: mean of what player 0 wins where both follow the profile, u_0(σ)
    nash_conv profile: Σ_i [b_i - u_i], which is b_0 + b_1 in a zero-sum game
    exploitability profile: NashConv / 2; called exploitability, exploit
    tree_ev arm opponent [runs=all] [statistic]: the exact value of the pairing, both seats alike; over seeds mean or sd
the run's record
    run_setting run setting: a setting that a run declares (given)
appendix C, denominators: training variability
    over_seeds quantity arm [runs=all] [statistic] [teacher]: mean and standard deviation over training seeds, with the
        declared divisor; the runs of an arm are students, or the profiles `arm/run` beside a named teacher
section 3.3, violation
    violations arm [runs=all]: violated states by all, over seeds: held-out ones of students, else all information sets
section 3.4: selection
    calibrated_scale run: the largest certified scale
section 3.4: k and n
    calibrated_count run: its violated calibration states by all
section 3.4, risk bound
    calibrated_bound run: its Clopper-Pearson bound (share)
appendix D: win plus one-half tie, and EV per hand
    match_rate arm result [opponent=all] [runs=all]: hands with a result by all hands (share)
    match_score arm [opponent=all] [runs=all]: wins and half of the ties, by hands (share)
    hand_ev arm [opponent=all] [runs=all]: the mean return of a hand
    hands arm [opponent=all] [runs=all]: how many hands were played
appendix C, denominators: paired match blocks
    hand_ev_interval arm [opponent=all] [runs=all]: the mean over deals and z standard errors, each deal the mean of its
        hands in both seats"""
"""What recipes can ask for by name, under the part of the paper that defines it."""

CALLED = """
section 3.3, violation
    violation: share of violated states; not called compliance, compliant, compliant states, safe, safe states (share)
"""
"""Quantities over seeds that a heading could take for another."""
