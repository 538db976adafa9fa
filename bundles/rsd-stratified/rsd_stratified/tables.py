"""The study's tables: what they print, and how the verifier finds each number in the records."""

from __future__ import annotations

from rsd_stratified.figures import Figures
from rsd_stratified.layout import FOUR, THREE, TIMES, TWO, Column, Line, interval, share, table_record
from rsd_stratified.states import Row, Traced

SELECTORS = {
    "Anchor": "anchor",
    "Fixed-0.08": "fixed-0.08",
    "Empirical-Zero": "empirical-zero",
    "Mean-Strong": "mean-strong",
    "KL-Budget": "kl-budget",
    "Global Risk-Only": "global-risk-only",
    "Global Dual-Certified": "global-dual",
    "Group Risk-Only": "group-risk-only",
    "Group Dual-Certified": "group-dual",
    "Learned-Group Dual": "learned-dual",
    "Robust Group": "robust-group",
}
CLIP = "1e-12"
BASE = "fixed@0.08"
"""The candidate whose latency is the unit of cost."""
SEARCH = "map-search"
"""The measured quantity of search times; its subjects are variants."""

Arguments = dict[str, str]


def table_records(
    protocol: Row, partitions: list[Row], traced_by_split: dict[str, list[Traced]], measurements: list[Row]
) -> list[Row]:
    """Every printed table as a record."""
    figures = Figures(protocol, partitions, traced_by_split, measurements)
    return [
        _primary(figures),
        _selected_maps(figures),
        _risk_validity(figures),
        _calibration_size(figures),
        _risk_sensitivity(figures),
        _residual_family(figures),
        _structured_shifts(figures),
        _partition_ablation(figures),
        _group_complexity(figures),
        _mixture_radius(figures),
        _evaluator_role(figures),
        _bank_scaling(figures),
        _utility_range(figures),
        _conditional_shifts(figures),
    ]


def _named(name: str) -> Arguments:
    return {"selector": name, "variant": "{variant}"}


def _constant(label: str, path: str) -> Column:
    return Column(label, "constant", {"path": path})


def _variant(name: str, **texts: str) -> Line:
    """A row of a sweep, which is one declared variant."""
    return Line(", ".join(texts.values()) or name, texts, {"variant": name})


def _primary(figures: Figures) -> Row:
    chosen = {"selector": "{selector}"}
    return table_record(
        figures,
        "tab:primary",
        "Every selector on the held-out states: mean weak-response value, mean strong-response change against "
        "the anchor, share of crossing states, the map's risk and utility bounds, and divergence from the teacher. "
        "Best and second-best printed values are marked; n/a where a selector states no such bound.",
        [
            Column("Method"),
            Column("Weak EV ↑", "map_utility", chosen, FOUR, "higher"),
            Column("Strong Δ ↑", "map_delta", chosen, FOUR, "higher"),
            Column("Viol. ↓", "map_crossing_rate", chosen, FOUR, "lower"),
            Column("UCB ↓", "map_risk_upper", chosen, FOUR, "lower"),
            Column("LCB ↑", "map_utility_lower", chosen, FOUR, "higher"),
            Column("KL ↓", "map_teacher_kl", chosen | {"clip": CLIP}, FOUR, "lower"),
        ],
        [Line(label, {"Method": label}, {"selector": name}) for label, name in SELECTORS.items()],
        second=True,
    )


def _selected_maps(figures: Figures) -> Row:
    return table_record(
        figures,
        "tab:selected-maps",
        "The candidate that each selector froze, one per group in the order of its partition's groups; "
        "a scale follows the @.",
        [Column("Selector"), Column("Candidate or map", "map_name", {"selector": "{selector}"})],
        [Line(label, {"Selector": label}, {"selector": name}) for label, name in SELECTORS.items()],
    )


def _risk_validity(figures: Figures) -> Row:
    named = _named("{selector}")
    lines = [
        Line(
            f"{epsilon}, {label}",
            {"Method": label},
            {"selector": SELECTORS[label], "variant": f"epsilon-{epsilon}"},
            among=epsilon,
        )
        for epsilon in ("0.05", "0.10", "0.20")
        for label in ("Global Risk-Only", "Group Risk-Only", "Group Dual-Certified")
    ]
    return table_record(
        figures,
        "tab:risk-validity",
        "Repeated splits of the scored pool. Coverage is the share of splits whose held-out crossing rate keeps "
        "within the declared budget; a split has no certificate where some group falls back to the anchor. "
        "The best values of each budget are marked.",
        [
            _constant("ε", "variants/{variant}/epsilon"),
            Column("Method"),
            Column("Held-out viol.", "repeated_crossing_rate", named, FOUR, "lower"),
            Column("Coverage", "repeated_coverage", named, THREE, "higher"),
            Column("No-cert.", "repeated_uncertified", named, share, "lower"),
            _constant("Splits", "resampling/repeats"),
        ],
        lines,
    )


def _calibration_size(figures: Figures) -> Row:
    named = _named("global-dual")
    return table_record(
        figures,
        "tab:calibration-size",
        "Global dual selection on repeated splits with fewer calibration states. The risk bound is the mean over "
        "certified splits, the scale the median over all, with a fallback counted as scale zero.",
        [
            _constant("n_C", "variants/{variant}/calibration"),
            Column("Cert. rate", "repeated_certification_rate", named, THREE, "higher"),
            Column("Median α", "repeated_median_scale", named, TWO),
            Column("Weak EV", "repeated_utility", named, FOUR, "higher"),
            Column("Held-out viol.", "repeated_crossing_rate", named, FOUR, "lower"),
            Column("Risk UCB", "repeated_risk_upper", named, FOUR, "lower"),
        ],
        [_variant(f"calibration-{states}") for states in (32, 64, 128, 256, 512)],
    )


def _risk_sensitivity(figures: Figures) -> Row:
    named = _named("global-dual")
    budgets = ("0.025-0.05-0.05", "0.05-0.05-0.05", "0.05-0.10-0.05", "0.10-0.20-0.10")
    return table_record(
        figures,
        "tab:risk-sensitivity",
        "Global dual selection under other severity thresholds, budgets and failure probabilities. Only weak EV is "
        "ranked: rows with different thresholds count different events.",
        [
            _constant("τ", "variants/{variant}/tau"),
            _constant("ε", "variants/{variant}/epsilon"),
            _constant("ζ", "variants/{variant}/zeta"),
            Column("α", "map_scale", named, TWO),
            Column("Weak EV", "map_utility", named, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR),
            Column("Risk UCB", "map_risk_upper", named, FOUR),
        ],
        [_variant(f"budget-{budget}") for budget in budgets],
    )


def _residual_family(figures: Figures) -> Row:
    named = _named("global-dual")
    lines = [
        _variant(f"families-{family}", Residual=label)
        for label, family in (
            ("Fixed rule", "fixed"),
            ("Linear", "linear"),
            ("MLP", "mlp"),
            ("Student residual", "student"),
        )
    ]
    scale = figures.map_name("global-dual", "families-student").partition("@")[2] or "0"
    free = {"policy": f"student-free@{scale}", "population": "held-out"}
    teacher_free = Line(
        f"Student without teacher @{scale}",
        {"Residual": f"Student without teacher @{scale}"},
        own={
            "Weak EV": Column("", "weak_ev", free, FOUR),
            "Held-out viol.": Column("", "crossing_rate", free, FOUR),
            "Risk UCB": None,
            "Teacher KL": Column("", "teacher_kl", free | {"clip": CLIP}, FOUR),
            "Cost": None,
        },
        among="teacher-free",
    )
    return table_record(
        figures,
        "tab:residual-family",
        "Global dual selection among the scales of one residual family, shares of the budgets equal. Cost is the "
        "charged latency against the fixed rule at scale 0.08. The last row is the student's own policy at the scale "
        "chosen for its residual: it sees no teacher, has no certificate and is not ranked.",
        [
            Column("Residual"),
            Column("Weak EV", "map_utility", named, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR, "lower"),
            Column("Risk UCB", "map_risk_upper", named, FOUR, "lower"),
            Column("Teacher KL", "map_teacher_kl", named | {"clip": CLIP}, FOUR, "lower"),
            Column("Cost", "map_cost_ratio", named | {"base": BASE}, TIMES, "lower"),
        ],
        [*lines, teacher_free],
    )


def _transfer(selector: str, first: str, violation: str) -> list[Column]:
    where = {"selector": selector, "population": "{population}"}
    return [
        Column(first),
        Column("Weak EV", "map_utility", where | {"utility": "{utility}"}, FOUR, "higher"),
        Column("Strong Δ", "map_delta", where | {"risk": "{risk}"}, FOUR, "higher"),
        Column(violation, "map_crossing_rate", where | {"risk": "{risk}"}, FOUR, "lower"),
    ]


def _moved(column: str, label: str, population: str, opponent: str = "") -> Line:
    """A row of a shift: other states, or the same states with values against another opponent."""
    arguments = {"population": population, "utility": f"weak{opponent}", "risk": f"strong{opponent}"}
    return Line(label, {column: label}, arguments)


def _structured_shifts(figures: Figures) -> Row:
    splits = {
        "Matched": "held-out",
        "Position shift": "position-shift",
        "Rank shift": "rank-shift",
        "History shift": "history-shift",
        "Pot-pressure shift": "pot-shift",
    }
    return table_record(
        figures,
        "tab:structured-shifts",
        "The group dual map, frozen on matched states, on splits of another composition and against opponents that "
        "respond otherwise. No certificate covers the shifted rows.",
        _transfer("group-dual", "Distribution", "Violation"),
        [
            *(_moved("Distribution", label, split) for label, split in splits.items()),
            _moved("Distribution", "Opponent shift", "held-out", "-shifted"),
        ],
    )


def _conditional_shifts(figures: Figures) -> Row:
    return table_record(
        figures,
        "tab:conditional-shifts",
        "The robust map where the mixture of groups stays and what happens within groups changes: a control for what "
        "the mixture bound does not cover.",
        _transfer("robust-group", "Shift", "Held-out viol."),
        [
            _moved("Shift", "Matched conditional", "held-out"),
            _moved("Shift", "Within-group state shift", "within-group-shift"),
            _moved("Shift", "Opponent-response shift", "held-out", "-shifted"),
            _moved("Shift", "Adaptive opponent", "held-out", "-adaptive"),
        ],
    )


def _partition_ablation(figures: Figures) -> Row:
    named = _named("learned-dual")
    rules = {
        "Global": "global",
        "Manual groups": "manual",
        "Random tree": "random",
        "Learned, no penalty": "learned-unpenalized",
        "Learned, certificate-aware": "learned",
    }
    return table_record(
        figures,
        "tab:partition-ablation",
        "Dual selection in the groups of each partition. n_min is the fewest calibration states of a group; the "
        "certification rate comes from repeated splits, the other results from the one frozen map.",
        [
            Column("Rule"),
            Column("Leaves", "partition_groups", {"partition": "{partition}"}),
            Column("n_min", "partition_support", {"partition": "{partition}"}),
            Column("Cert. rate", "repeated_certification_rate", named, THREE, "higher"),
            Column("Weak EV", "map_utility", named, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR, "lower"),
            Column("Worst-group viol.", "map_worst_group_rate", named, FOUR, "lower"),
        ],
        [
            Line(label, {"Rule": label}, {"partition": name, "variant": f"partition-{name}"})
            for label, name in rules.items()
        ],
    )


def _group_complexity(figures: Figures) -> Row:
    named = _named("robust-group")
    classes = {"depth-1": "depth-1", "learned": "certificate-aware", "depth-3": "depth-3", "depth-4": "depth-4"}
    return table_record(
        figures,
        "tab:group-complexity",
        "Robust selection in the best tree of each class. n_min is the fewest structure states that the class allows "
        "a leaf; certification rate, bound and worst-group rate are over repeated splits.",
        [
            _constant("Depth", "partition_classes/{class}/depth"),
            _constant("n_min", "partition_classes/{class}/minimum_support"),
            Column("Groups", "partition_groups", {"partition": "{partition}"}),
            Column("Cert. rate", "repeated_certification_rate", named, THREE, "higher"),
            Column("Utility LCB", "repeated_utility_lower", named, FOUR, "higher"),
            Column("Worst-group viol.", "repeated_worst_group_rate", named, FOUR, "lower"),
            Column("Map time (ms)", "measured_median", {"quantity": SEARCH, "subject": "{variant}"}, TWO, "lower"),
        ],
        [
            Line(name, {}, {"partition": name, "variant": f"partition-{name}", "class": learned_in})
            for name, learned_in in classes.items()
        ],
    )


def _mixture_radius(figures: Figures) -> Row:
    named = _named("robust-group")
    return table_record(
        figures,
        "tab:mixture-radius",
        "Robust selection as the radius of the mixture set grows: the chosen map's risk bound at the calibration "
        "mixture, its bounds over the set, and its held-out results.",
        [
            _constant("ρ", "variants/{variant}/rho"),
            Column("Nominal risk", "map_nominal_risk", named, FOUR, "lower"),
            Column("Worst-case UCB", "map_risk_upper", named, FOUR, "lower"),
            Column("Robust LCB", "map_utility_lower", named, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR, "lower"),
            Column("Weak EV", "map_utility", named, FOUR, "higher"),
        ],
        [_variant(f"rho-{radius}") for radius in ("0", "0.05", "0.10", "0.20")],
    )


def _evaluator_role(figures: Figures) -> Row:
    named = _named("learned-dual")
    roles = [("strong", "weak"), ("weak", "strong"), ("strong", "strong"), ("weak", "weak")]
    return table_record(
        figures,
        "tab:evaluator-role",
        "Learned-group dual selection with the roles of the evaluators exchanged. Weak EV is comparable across rows "
        "and ranked; crossings and risk bounds are those of the row's own risk evaluator.",
        [
            Column("Risk"),
            Column("Utility"),
            Column("Weak EV", "map_utility", named | {"utility": "weak"}, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR),
            Column("Risk UCB", "map_risk_upper", named, FOUR),
        ],
        [_variant(f"roles-{risk}-{utility}", Risk=risk, Utility=utility) for risk, utility in roles],
    )


def _bank_scaling(figures: Figures) -> Row:
    named = _named("robust-group")
    bank = {"variant": "{variant}"}
    return table_record(
        figures,
        "tab:bank-scaling",
        "Robust selection from more residual families, shares of the budgets equal: certification rate over repeated "
        "splits, the frozen map's utility bound, and the measured time of its search.",
        [
            Column("Families", "bank_families", bank),
            Column("Scales", "bank_scales", bank),
            Column("K", "bank_size", bank),
            Column("Cert. rate", "repeated_certification_rate", named, THREE, "higher"),
            Column("Utility LCB", "map_utility_lower", named, FOUR, "higher"),
            Column("Search time (ms)", "measured_median", {"quantity": SEARCH, "subject": "{variant}"}, TWO, "lower"),
        ],
        [_variant(f"families-{count}") for count in (1, 2, 4)],
    )


def _utility_range(figures: Figures) -> Row:
    named = _named("learned-dual")
    return table_record(
        figures,
        "tab:utility-range",
        "Learned-group dual selection under wider declared utility ranges. Utility bounds of different ranges are "
        "not comparable and not ranked.",
        [
            Column("Range", "utility_range", {"variant": "{variant}"}, interval),
            Column("Utility LCB", "map_utility_lower", named, FOUR),
            Column("Selected map", "map_name", named),
            Column("Weak EV", "map_utility", named, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR, "lower"),
        ],
        [_variant(f"range-wide-{margin}") for margin in (0, 1, 3, 6)],
    )
