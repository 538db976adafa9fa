"""The checks of a study of policies, in the order of verification."""

from sealtrace.contract.packs import catalogue

CATALOGUE = catalogue(
    """
protocol.domain: Declared constants lie in their domains, and names that must differ do
    enforces RSD-Poker paper, section 3: tau > 0, q_min < q_max, 0 <= rho <= 2, 0 < zeta < 1
    broken where the protocol declares a confidence level of 1.5
    reads protocol; consequences table.cells
# The bank.
bank.scales: No arm has a scale twice, and the grid is ascending and in the bank
    enforces RSD-Poker paper, section 3.2: the ordered grid; appendix A: duplicate entries are rejected
    broken where the grid lists its scales out of order
    reads protocol candidate; consequences selection.grid
bank.checkpoints: Every learned direction has its weights in the bundle under the digest that candidates name, or is
      sealed
    enforces RSD-Poker paper, section 3.2: checkpoint digests of the bank
    broken where a checkpoint's weights are changed after candidates named them
    reads protocol candidate checkpoint residual; consequences replay.tilt replay.student replay.residual
      boundary.inputs
bank.serializer: Every candidate serializes actions in the protocol's order
    enforces RSD-Poker paper, appendix A: action order belongs to the serializer
    broken where a candidate's serializer swaps two actions
    reads protocol candidate
bank.policies: Every candidate declares what its policy needs
    enforces RSD-Poker paper, section 3.2: the bank's manifest
    broken where a tilt's direction leaves out an action
    reads protocol candidate
# Splits.
split.inventory: The observed states are unique and as many as the protocol declares, in each split
    enforces RSD-Poker paper, appendix E, reproduction checks: state inventory
    broken where the protocol declares one state more than a split holds
    reads STATES; needs join.unique-key; whole
split.disjoint: No state and no independent block lies in two splits
    enforces RSD-Poker paper, section 3.1: identities are disjoint across roles
    broken where one independent block has a calibration state and a held-out state
    reads STATES
split.agreement: Every record carries the split of its observation and of its file
    enforces RSD-Poker paper, appendix E, reproduction checks: split closure
    broken where a teacher row names the other split
    reads STATES
split.rule: Every state lies in the split that the declared rule gives
    enforces RSD-Poker paper, appendix B: even ids calibrate, odd ids are held out
    broken where the protocol's rule assigns odd ids to calibration
    reads STATES
split.duplicates: No observation stands under two ids in different splits
    enforces RSD-Poker paper, section 3.1: disjoint data roles
    broken where a held-out observation is a copy of a calibration observation
    reads STATES; consequences replay.query-gate replay.query-policy table.cells
# Joins.
join.teacher: Every observed state has one teacher record, and every teacher record a state
    enforces RSD-Poker paper, appendix E, reproduction checks: matching label keys
    broken where a teacher record is removed
    reads STATES teacher candidate; needs join.unique-key; whole; despite join.unique-key
join.trace: Every candidate has one trace at every state that it is traced on, and nothing else is traced
    enforces RSD-Poker paper, appendix D: composite keys; section 3.2: complete candidate trace
    broken where a trace is removed, and its score with it
    reads STATES candidate trace; needs join.unique-key; whole; despite join.unique-key
join.values: Every traced state has action values of both evaluators
    enforces RSD-Poker paper, appendix D: oracle join
    broken where the strong action values of a state are removed
    reads STATES trace values; needs join.unique-key; whole; despite join.unique-key
join.score: Traces and scores join one to one
    enforces RSD-Poker paper, appendix D: oracle join, one score per trace
    broken where a score is removed
    reads trace score; needs join.unique-key; whole; despite join.unique-key
# Actions and probabilities.
action.legal-set: Every legal set is non-empty, without repeats, within the declared actions
    enforces RSD-Poker paper, appendix A: empty legal sets are explicit error states
    broken where an observation lists no legal action
    reads STATES
action.order: Legal actions are listed in the protocol's order
    enforces RSD-Poker paper, appendix A: the name-to-index mapping
    broken where a trace lists its legal actions in another order
    reads STATES trace
action.vocabulary: Teacher, traces and values name exactly the observation's legal actions
    enforces RSD-Poker paper, appendix D: one legal vocabulary in all records
    broken where an evaluator values an action that nobody declared
    reads STATES teacher trace values
action.chosen: The stored action is the legal action of largest probability, the earliest among equals
    enforces RSD-Poker paper, appendix E, reproduction checks: action replay
    broken where a trace stores its second-best action
    reads STATES trace; needs action.legal-set
probability.support: Probabilities are finite, nonnegative and on the legal actions only
    enforces RSD-Poker paper, appendix E, reproduction checks: probability support
    broken where a trace puts a tiny negative probability on an action
    reads STATES teacher trace; needs action.legal-set; consequences replay.top-action
probability.normalized: Probabilities sum to one within the declared tolerance
    enforces RSD-Poker paper, appendix D: normalized probabilities
    broken where a trace's probabilities sum to one and 1.8e-12
    reads protocol teacher trace; consequences replay.top-action
# Replay.
replay.teacher: The cached teacher distribution is the softmax of the teacher's action values
    enforces RSD-Poker paper, appendix A: teacher response model, temperature
    broken where a teacher's action value is changed
    reads STATES teacher; needs join.teacher action.vocabulary; despite join.teacher; consequences
      replay.teacher-value table.cells
replay.teacher-value: The teacher's state value is the mean of its action values under its distribution
    enforces RSD-Poker paper, appendix A: teacher state value
    broken where a teacher's state value is changed
    reads STATES teacher; needs join.teacher action.vocabulary; despite join.teacher
replay.normalizer: Every replayed normalizer is finite and positive
    enforces RSD-Poker paper, appendix A: nonpositive normalization constants are explicit error states
    broken where a scale is so large that the tilt overflows
    reads POLICIES; needs join.teacher bank.policies action.legal-set; consequences table.recipes
replay.anchor: The anchor is the teacher smoothed with the uniform distribution
    enforces RSD-Poker paper, section 3.2, tilt equation, left half
    broken where a billionth of an anchor's probability moves to another action
    reads POLICIES; needs join.teacher JOINED; despite join.teacher JOINED; consequences replay.zero-scale RESCORED
replay.top-action: Top-action imitation puts all probability on the teacher's top action
    enforces RSD-Poker paper, appendix C: deterministic baselines
    broken where a top-action trace imitates another action
    reads POLICIES; needs join.teacher JOINED; despite join.teacher JOINED; consequences RESCORED
      threshold.recomputed table.cells
replay.tilt: Every residual policy is the exponential tilt of the anchor
    enforces RSD-Poker paper, section 3.2, tilt equation; appendix E: distribution replay
    broken where a residual trace holds the distribution of another scale
    reads POLICIES; needs join.teacher bank.policies JOINED; despite join.teacher JOINED; consequences RESCORED
      table.cells
replay.student: Every teacher-free policy is the tilt of its checkpoint's own base policy
    enforces RSD-Poker paper, section 3.7, student equation
    broken where a teacher-free trace holds the distribution of another scale
    reads STATES candidate checkpoint residual trace; needs bank.policies bank.checkpoints JOINED; despite JOINED;
      consequences
      RESCORED threshold.recomputed table.cells
replay.residual: Every sealed direction is what the checkpoint's weights give on the observation
    enforces RSD-Poker paper, section 3.2: frozen residual directions
    broken where a sealed direction is changed
    reads STATES candidate checkpoint residual; needs join.unique-key bank.checkpoints
replay.zero-scale: A candidate of scale zero is the stored anchor, bit for bit
    enforces RSD-Poker paper, section 3.2: scale zero recovers the anchor
    broken where one bit of a scale-zero probability is changed
    reads POLICIES; needs JOINED; despite JOINED
replay.query-gate: Query scores, requests and acceptances follow the gate and its budget
    enforces RSD-Poker paper, appendix C: query score, threshold and budget check
    broken where a trace denies a query that the gate accepts
    reads STATES candidate trace; needs bank.policies JOINED; despite JOINED; consequences replay.query-policy
      replay.ledger
      table.cells
replay.query-policy: The query policy is the anchor where a query was accepted, else the prior
    enforces RSD-Poker paper, appendix C: rejected requests keep the prior
    broken where a query trace without a query holds the anchor's distribution
    reads POLICIES; needs join.teacher bank.policies JOINED; despite join.teacher JOINED; consequences RESCORED
      threshold.recomputed table.cells
replay.ledger: Every ledger charges what the protocol configures for its events, rejected queries too
    enforces RSD-Poker paper, appendix C: cost ledger
    broken where a residual trace charges one token instead of two
    reads protocol candidate trace; needs join.trace; despite join.trace
# Information boundary.
boundary.interfaces: No interface declares a field that its contract hides
    enforces RSD-Poker paper, appendix B, field visibility table
    broken where the protocol lets a teacher-free policy see the teacher's distribution
    reads protocol
boundary.inputs: No policy read a field that its interface does not show
    enforces RSD-Poker paper, appendix B, field visibility table
    broken where a trace names the strong action values among its inputs
    reads protocol candidate trace; needs join.trace; despite join.trace
boundary.leaks: No visible field, feature or direction gives an action value, a score or the order of the actions
    enforces RSD-Poker paper, appendix B, field visibility table: action values and scores are hidden
    broken where an interface shows a field that equals the risk evaluator's value of an action
    reads STATES teacher candidate values; needs join.values JOINED; despite join.values JOINED
# Scores and their aggregates.
score.trace-digest: Every score names the content digest of the trace table that was scored
    enforces RSD-Poker paper, appendix B: score rows are joined to the exact policy trace
    broken where scores name the digest of another trace table
    reads trace score; needs join.score; despite join.score
score.utility: What both evaluators expect follows from the stored distribution and the action values
    enforces RSD-Poker paper, section 3.3: E_g
    broken where a reported weak utility is changed
    reads protocol trace values score; needs join.score join.values JOINED; despite join.score join.values JOINED
score.delta: The delta is what the risk evaluator expects, less what it expects of the anchor at the same state
    enforces RSD-Poker paper, section 3.3, violation equation
    broken where a reported delta has the wrong sign
    reads protocol candidate trace values score; needs join.score join.values JOINED; despite join.score join.values
      JOINED
threshold.stored: The reported crossing is the strict comparison of the stored delta with -tau
    enforces RSD-Poker paper, section 3.3, violation equation: the inequality is strict
    broken where a row's crossing is denied
    reads protocol score; consequences threshold.recomputed
threshold.recomputed: The reported crossing is what distributions and action values give, decided exactly
    enforces RSD-Poker paper, appendix E, reproduction checks: threshold counts
    broken where a row reports a delta and a crossing that its distribution does not give
    reads protocol candidate trace values score; needs join.score join.values JOINED; despite join.score join.values
      JOINED; consequences score.delta
aggregate.summary: Every retained policy summary is the aggregate of its states
    enforces RSD-Poker paper, appendix E, reproduction checks: score aggregation
    broken where a summary's mean weak utility is changed
    reads protocol candidate trace values summary; needs COUNTED; whole; despite UNSCORED
# Partitions.
partition.rule: Every partition reads policy-visible features only, and holds every state in exactly one group
    enforces RSD-Poker paper, section 3.3: groups are functions of what a deployed policy sees
    broken where a partition splits on a feature that nobody declared
    reads STATES partition; consequences partition.labels partition.class partition.optimal table.recipes
partition.labels: Every calibration and held-out trace carries the group that the deployed rule gives
    enforces RSD-Poker paper, appendix A, algorithm table: group labels are sealed with the traces
    broken where a trace carries the label of another group
    reads STATES partition trace; needs partition.rule join.trace; despite join.trace
partition.support: Every learned group holds enough structure states; groups without calibration states are named
    enforces RSD-Poker paper, section 3.3: minimum support; section 3.4: empty groups
    broken where the class demands more structure states than a group holds
    reads STATES partition; needs partition.rule split.inventory split.agreement; whole; consequences
      partition.optimal
partition.class: Every learned partition is a tree of its declared class: depth, features, thresholds
    enforces RSD-Poker paper, section 3.3: the predeclared class
    broken where the class no longer declares a threshold that the partition uses
    reads protocol partition; needs partition.rule; consequences partition.optimal
partition.objective: Every learned partition's objective is what the structure split gives
    enforces RSD-Poker paper, section 3.3: structure objective
    broken where a partition's objective is changed
    reads SCORED partition; needs CALIBRATED; whole; despite UNSCORED
partition.optimal: No partition of the class has a smaller objective, or an equal one and an earlier place in the tie
      rule
    enforces RSD-Poker paper, section 3.3: the selected partition and its tie rule
    broken where two groups of a learned partition are merged
    reads SCORED partition; needs CALIBRATED; whole; despite UNSCORED
partition.allocations: The shares of the failure budgets are positive, one per candidate and group, and sum to at most
      one
    enforces RSD-Poker paper, section 3.4: weighted simultaneous bounds
    broken where the share of one pair is doubled
    reads protocol candidate partition; needs partition.rule; consequences certificate.risk certificate.utility
      map.bounds table.cells
# Certificates.
certificate.complete: Every pair of a competing candidate and a group has one certificate, and nothing else has
    enforces RSD-Poker paper, section 3.4: simultaneous certificates
    broken where a certificate is removed
    reads protocol candidate partition certificate; needs join.unique-key partition.rule; whole
certificate.counts: Every certificate counts the calibration states and the crossings of its group
    enforces RSD-Poker paper, section 3.4: n and k of a group
    broken where a certificate counts one crossing too few
    reads SCORED partition certificate; needs CALIBRATED; whole; despite UNSCORED
certificate.risk: Every risk bound is the Clopper-Pearson bound of the recomputed count at its share
    enforces RSD-Poker paper, section 3.4, risk bound; k = n and empty groups give one
    broken where a certificate's risk bound is lowered
    reads SCORED partition certificate; needs BOUNDED; whole; despite UNSCORED
certificate.range: Every utility of a competing candidate lies in the declared range
    enforces RSD-Poker paper, section 3.4: predeclared normalization
    broken where the protocol declares a narrower utility range
    reads SCORED; needs join.values JOINED; despite join.values JOINED; consequences
      certificate.utility map.bounds table.cells table.recipes
certificate.utility: Every utility bound is the Hoeffding bound of the recomputed normalized mean at its share
    enforces RSD-Poker paper, section 3.4, utility bound
    broken where a certificate's utility bound is raised
    reads SCORED partition certificate; needs CHOSEN; whole; despite UNSCORED certificate.range
certificate.certified: A candidate is certified in a group exactly where its risk bound is within the group's budget
    enforces RSD-Poker paper, section 3.4: the risk-feasible set
    broken where a certificate calls an uncertified candidate certified
    reads SCORED partition certificate; needs BOUNDED; whole; despite UNSCORED
selection.grid: The selection record names a declared selector, its grid, the protocol's tau and the budgets of its
      rule
    enforces RSD-Poker paper, appendix B: the selection record
    broken where the selection record leaves out a scale of the grid
    reads protocol selection
selection.counts: The selection's crossing counts and denominators are those of the records
    enforces RSD-Poker paper, appendix E, reproduction checks: threshold counts
    broken where the selection record counts one crossing too few
    reads protocol candidate trace values partition selection; needs COUNTED; whole; despite UNSCORED
selection.certified: The certified set is what the rule admits on the recomputed counts
    enforces RSD-Poker paper, section 3.4: empirical-zero
    broken where the certified set leaves out an admissible scale
    reads protocol candidate trace values partition selection; needs COUNTED; whole; despite UNSCORED
selection.choice: The choice is what the rule takes on the recomputed counts
    enforces RSD-Poker paper, appendix E, reproduction checks: scale selection
    broken where the selection record chooses a smaller scale
    reads protocol candidate trace values partition selection; needs COUNTED; whole; despite UNSCORED
selection.held-out: The choice was sealed before any held-out value or score, and says so
    enforces RSD-Poker paper, section 3.1: the test split is joined after the map is frozen
    broken where the selection record says that held-out scores had been joined
    reads protocol selection; needs stage.chronology
# Maps.
map.selector: Every selector that chooses in groups has one map, in its declared partition, from the calibration split
    enforces RSD-Poker paper, appendix A, algorithm table: the frozen map
    broken where a map names another partition than its selector declares
    reads protocol map; consequences map.groups
map.groups: Every map assigns each group of its partition once, in order
    enforces RSD-Poker paper, section 3.3: one candidate per group
    broken where a map assigns its groups in another order
    reads SCORED partition map; needs CHOSEN; whole; despite UNSCORED certificate.range
map.certified: No map deploys a candidate that is not certified in its group
    enforces RSD-Poker paper, section 3.4: selection within the feasible set
    broken where a map deploys an uncertified candidate
    reads SCORED partition map; needs CHOSEN; whole; despite UNSCORED certificate.range; consequences map.choice
map.choice: Every assignment is what the declared rule takes, ties included
    enforces RSD-Poker paper, sections 3.4 and 3.5: selection rules, tie rules and fallback
    broken where a map deploys another certified candidate
    reads SCORED partition map; needs CHOSEN; whole; despite UNSCORED certificate.range
map.bounds: Every map's risk and utility bound is its worst mixture within the declared radius
    enforces RSD-Poker paper, section 3.5: the worst mixture
    broken where a map's utility bound is raised
    reads SCORED partition map; needs CHOSEN; whole; despite UNSCORED certificate.range
map.held-out: Every map was sealed before any held-out value or score, and says so
    enforces RSD-Poker paper, section 3.1: the test split is joined after the map is frozen
    broken where a map says that held-out scores had been joined
    reads protocol map; needs stage.chronology
    """,
    STATES="protocol observation",
    POLICIES="STATES teacher candidate trace",
    SCORED="STATES candidate trace values",
    RESCORED="score.utility score.delta aggregate.summary",
    # What must hold before states are counted, counted in groups, bounded there, and chosen among.
    UNSCORED="trace values join.values JOINED",
    JOINED="join.unique-key join.trace action.legal-set action.vocabulary",
    COUNTED="split.inventory split.agreement join.values JOINED",
    CALIBRATED="partition.rule COUNTED",
    BOUNDED="partition.allocations CALIBRATED",
    CHOSEN="certificate.range BOUNDED",
)

METRICS = """
appendix B: state identity
    state state: the numeric id of a state (given)
appendix B: observation
    observation state field: a number that the observation records (given)
section 3.2: the ordered grid
    scale policy: the scale of a candidate (given)
declared before calibration
    constant path: a constant of the protocol (given)
appendix B: denominators
    states [population=all]: how many states a population has (given)
appendix B: metrics
    weak_ev policy [population=all] [state]: mean of E_w(pi, s)
    strong_ev policy [population=all] [state]: mean of E_s(pi, s)
section 3.3
    strong_delta policy [population=all] [state]: mean of d = E_s(pi, s) - E_s(pi_0, s) (difference)
    expected_utility policy [population=all] [state]: mean of what the utility evaluator expects of the policy
    expected_risk policy [population=all] [state]: mean of what the risk evaluator expects of the policy
    degradation policy [population=all] [state]: mean of d: the risk evaluator's expectation less that of the anchor
        (difference)
    crossings policy [population=all]: how many states have d < -tau, of how many; not called safe, safety, uncrossed
    crossing_count policy [population=all]: how many states have d < -tau; not called safe, safety, uncrossed
    crossing_rate policy [population=all]: share of states with d < -tau; not called safe, safety, uncrossed (share)
    marked_delta policy state: d at a state, with a dagger where it crosses
    delta_min policy [population=all]: least d over the population
    delta_max policy [population=all]: greatest d over the population
appendix B: paired question
    weak_gain policy base [population=all]: mean of E_w(pi, s) - E_w(base, s) (difference)
    weak_gain_min policy base [population=all]: least E_w(pi, s) - E_w(base, s)
    weak_gain_max policy base [population=all]: greatest E_w(pi, s) - E_w(base, s)
appendix D
    strong_ev_min policies [population=all]: least E_s(pi, s) over policies and states
    strong_ev_max policies [population=all]: greatest E_s(pi, s) over policies and states
    map_utility selector [variant] [population=held-out] [utility] [risk]: mean E_u of the policy that a selector's map
        deploys
    map_delta selector [variant] [population=held-out] [utility] [risk]: mean d of the policy that a selector's map
        deploys (difference)
    map_crossing_rate selector [variant] [population=held-out] [utility] [risk]: share of states with d < -tau under a
        selector's map; called crossing rate, violation rate; not called safe, safety, uncrossed (share)
    map_worst_group_rate selector [variant] [population=held-out] [utility] [risk]: largest share of crossings over the
        groups of the map's partition; called worst-group crossing, worst-group crossings, worst-group viol.,
        worst-group violation (share)
appendix B: teacher KL
    teacher_kl policy clip [population=all]: mean of KL(teacher || policy), the policy's mass clipped below at `clip`
    map_teacher_kl selector clip [variant] [population=held-out]: mean KL(teacher || policy) under a selector's map, the
        policy's mass clipped below at `clip`
appendix B: teacher-value regret
    teacher_regret policy [population=all]: mean of max(0, V_T - sum pi Q_T) (difference)
appendix B: action agreement
    action_agreement policy [population=all]: share of states with the teacher's top action (share)
appendix C: query decisions
    query_rate policy [population=all]: share of states with an accepted query (share)
appendix C: cost ledger
    tokens policy [population=all]: mean of the ledger's tokens per state
    latency_ms policy [population=all]: mean of the ledger's latency_ms per state
    tool_calls policy [population=all]: mean of the ledger's tool_calls per state
    cost policy quantity [population=all]: mean of what the ledger counts of a declared quantity per state
appendix B: paired bootstrap
    delta_interval policy [population=all] [schedule]: percentile bootstrap interval of mean d
    difference_interval policy base [population=all] [schedule]: percentile bootstrap interval of mean E_w(pi, s) -
        E_w(base, s), the same rows drawn for both
section 3.2
    probability policy state action: pi(a | s) (share)
appendix A: teacher
    teacher_probability state action: pi_T(a | s) (share)
    teacher_action_value state action: Q_T(s, a) (given)
    teacher_state_value state: V_T = sum_a pi_T Q_T
section 3.4: empirical-zero
    selected_scale selector [population=calibration]: the scale that a selector takes on the recomputed counts
appendix D: residual families, relative cost
    map_cost_ratio selector base [variant] [population=held-out] [quantity=latency_ms]: mean of what the ledger counts
        of `quantity` under a selector's map, divided by that of `base` (share)
section 3.4 and 3.5: dual certification, robust selection
    map_name selector [variant]: the candidates that a selector chooses, group by group
    map_scale selector [variant]: the scale that a selector of one group chooses
    map_risk_upper selector [variant]: max over mixtures of sum q U of the chosen map; called risk bound, risk ucb,
        worst-case ucb, worst-case risk bound (share)
    map_utility_lower selector [variant]: min over mixtures of sum q L of the chosen map; called utility bound, utility
        lcb, robust lcb, lcb
    map_nominal_risk selector [variant]: sum q U of the chosen map at the calibration mixture; called nominal risk bound
        (share)
    map_largest_risk selector [variant]: max over groups of U of the chosen map: its risk bound whatever the mixture;
        called largest group bound (share)
section 3.3: partitions
    partition_groups partition: how many groups a partition has; called groups (given)
appendix D: minimum support
    partition_support partition [population=calibration]: fewest states of a group; called support, smallest group
section 3.2: the candidate bank
    bank_size [variant]: how many candidates compete (given)
    bank_families [variant]: how many families compete (given)
    bank_scales [variant]: how many scales compete (given)
section 3.4: normalization
    utility_range [variant]: q_min and q_max (given)
appendix D: repeated splits
    repeated_crossing_rate selector [variant]: mean over repeats of the held-out share of crossings; called crossing
        rate, violation rate (share)
    repeated_worst_group_rate selector [variant]: mean over repeats of the largest held-out share of crossings over
        groups; called worst-group crossing, worst-group viol., worst-group violation (share)
    repeated_utility selector [variant]: mean over repeats of the held-out mean utility
    repeated_coverage selector [variant] [budget]: share of repeats whose held-out share of crossings is within the
        groups' budget, or with `budget` global the mixture's; called coverage (share)
    repeated_uncertified selector [variant]: how many repeats are not certified, of how many; called uncertified,
        no-cert.
    repeated_certification_rate selector [variant]: share of repeats that are certified; called certification rate,
        cert. rate, certified (share)
    repeated_median_scale selector [variant]: median over repeats of the chosen scale, the anchor as 0
    repeated_risk_upper selector [variant]: mean over certified repeats of the map's risk bound; called risk bound, risk
        ucb (share)
    repeated_largest_risk selector [variant]: mean over certified repeats of the largest U of the map's groups (share)
    repeated_utility_lower selector [variant]: mean over certified repeats of the map's utility bound; called utility
        bound, lcb
    repeated_disagreement selector against [variant]: in how many repeats two selectors choose different maps, of how
        many
sealed measurements: what cannot be computed again
    measured_median quantity subject: median of sealed measurements (measured)
"""
"""What recipes can ask for by name, under the part of the paper that defines it."""
