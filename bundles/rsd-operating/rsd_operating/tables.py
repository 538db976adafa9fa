"""The study's tables: what they print, and how the verifier finds each number in the records."""

from __future__ import annotations

from collections.abc import Iterator

from rsd_operating.protocol import BUDGETS, CALIBRATION, RADII, SIZES, SWEPT
from rsd_stratified.cases import Case
from rsd_stratified.evaluation import Deployment, rate, worst_rate
from rsd_stratified.figures import Figures
from rsd_stratified.layout import FOUR, THREE, TWO, Column, Line, share, table_record
from rsd_stratified.population import Population
from rsd_stratified.resampling import Repeat
from rsd_stratified.selectors import ChosenMap, choose
from rsd_stratified.states import Row, Traced

SELECTORS = {
    "Anchor": "anchor",
    "Global Risk-Only": "global-risk-only",
    "Global Dual-Certified": "global-dual",
    "Group Risk-Only": "group-risk-only",
    "Group Dual-Certified": "group-dual",
    "Robust Group": "robust-group",
}


class BlockFigures(Figures):
    """The same quantities, over repeats each of which has states of its own."""

    def _choices(self, selector: str, variant: str | None = None) -> Iterator[tuple[ChosenMap, Population, list[int]]]:
        """Per repeat the map that is chosen on its block, and the block's held-out states."""
        rule = self._protocol["resampling"]
        case: Case = self._case(selector, variant)
        pool = self._population(*rule["pool"])
        whole = rule["calibration"] + rule["held_out"]
        for start in range(0, rule["repeats"] * whole, whole):
            calibrating = list(range(start, start + case.setting.calibration))
            held_out = list(range(start + rule["calibration"], start + whole))
            yield choose(case, pool, calibrating), pool, held_out

    def _repeated(self, selector: str, variant: str | None) -> list[Repeat]:
        if (selector, variant) not in self._repeats:
            found = []
            for chosen, pool, held_out in self._choices(selector, variant):
                deployment, setting = Deployment(chosen, pool, held_out), chosen.case.setting
                counts = deployment.crossings(setting.risk)
                found.append(
                    Repeat(
                        certified=chosen.certified,
                        crossing_rate=rate(counts),
                        worst_rate=worst_rate(counts),
                        utility=deployment.utility(setting.utility),
                        scales=tuple(one.scale for one in chosen.choices),
                        risk_upper=chosen.risk_upper,
                        utility_lower=chosen.utility_lower,
                    )
                )
            self._repeats[selector, variant] = found
        return self._repeats[selector, variant]

    def repeated_disagreement(self, selector: str, against: str) -> tuple[int, int]:
        maps = [
            [[choice.name for choice in chosen.choices] for chosen, _, _ in self._choices(name)]
            for name in (selector, against)
        ]
        return sum(one != other for one, other in zip(*maps, strict=True)), len(maps[0])


def table_records(protocol: Row, partitions: list[Row], traced: dict[str, list[Traced]]) -> list[Row]:
    """Every printed table as a record."""
    figures = BlockFigures(protocol, partitions, traced, [])
    return [
        _primary(figures),
        _mixture_radius(figures),
        _work(figures),
        _calibration_size(figures),
        _risk_validity(figures),
        _shifts(figures),
    ]


def _primary(figures: Figures) -> Row:
    chosen = {"selector": "{selector}"}
    return table_record(
        figures,
        "tab:primary",
        "Every selector on held-out states, with a budget of 0.20 in each group and 0.10 for the mixture. The map "
        "names a candidate per group, its scale after the @.",
        [
            Column("Method"),
            Column("Weak EV ↑", "map_utility", chosen, FOUR, "higher"),
            Column("Strong Δ ↑", "map_delta", chosen, FOUR, "higher"),
            Column("Viol. ↓", "map_crossing_rate", chosen, FOUR, "lower"),
            Column("UCB ↓", "map_risk_upper", chosen, FOUR, "lower"),
            Column("LCB ↑", "map_utility_lower", chosen, FOUR, "higher"),
            Column("Candidate or map", "map_name", chosen),
        ],
        [Line(label, {"Method": label}, {"selector": name}) for label, name in SELECTORS.items()],
        second=True,
    )


def _mixture_radius(figures: Figures) -> Row:
    named = {"selector": "robust-group", "variant": "{variant}"}
    return table_record(
        figures,
        "tab:mixture-radius",
        "Robust selection as the radius of the mixture set grows: the budget of the mixture binds, so the map itself "
        "changes, and not only its bounds.",
        [
            Column("ρ", "constant", {"path": "variants/{variant}/rho"}),
            Column("Nominal risk", "map_nominal_risk", named, FOUR, "lower"),
            Column("Worst-case UCB", "map_risk_upper", named, FOUR, "lower"),
            Column("Robust LCB", "map_utility_lower", named, FOUR, "higher"),
            Column("Held-out viol.", "map_crossing_rate", named, FOUR, "lower"),
            Column("Weak EV", "map_utility", named, FOUR, "higher"),
            Column("Map", "map_name", named),
        ],
        [Line(f"rho-{radius}", {}, {"variant": f"rho-{radius}"}) for radius in RADII],
    )


def _work(figures: Figures) -> Row:
    named = {"selector": "{selector}"}
    pairs = {
        "Group Dual-Certified": ("group-dual", "group-risk-only"),
        "Robust Group": ("robust-group", "group-dual"),
    }
    return table_record(
        figures,
        "tab:work",
        "Fresh draws: in how many of them a selector's map is another than that of the selector before it (dual beside "
        "risk-only, robust beside dual), and what its maps reach on the held-out states of the same draw.",
        [
            Column("Method"),
            Column("Other map", "repeated_disagreement", named | {"against": "{against}"}, share),
            Column("Risk UCB", "repeated_risk_upper", named, FOUR, "lower"),
            Column("Held-out viol.", "repeated_crossing_rate", named, FOUR, "lower"),
            Column("Worst-group viol.", "repeated_worst_group_rate", named, FOUR, "lower"),
            Column("Weak EV", "repeated_utility", named, FOUR, "higher"),
        ],
        [
            Line(label, {"Method": label}, {"selector": name, "against": against})
            for label, (name, against) in pairs.items()
        ],
    )


def _calibration_size(figures: Figures) -> Row:
    named = {"selector": "global-dual", "variant": "{variant}"}
    return table_record(
        figures,
        "tab:calibration-size",
        f"Global dual selection among the scales of the {SWEPT} family on fresh draws with fewer calibration states. "
        "The risk bound is the mean over certified draws, the scale the median over all, a fallback counted as zero.",
        [
            Column("n_C", "constant", {"path": "variants/{variant}/calibration"}),
            Column("Cert. rate", "repeated_certification_rate", named, THREE, "higher"),
            Column("Median α", "repeated_median_scale", named, TWO),
            Column("Weak EV", "repeated_utility", named, FOUR, "higher"),
            Column("Held-out viol.", "repeated_crossing_rate", named, FOUR, "lower"),
            Column("Risk UCB", "repeated_risk_upper", named, FOUR, "lower"),
        ],
        [Line(f"n {states}", {}, {"variant": f"calibration-{states}"}) for states in SIZES],
    )


def _risk_validity(figures: Figures) -> Row:
    named = {"selector": "{selector}", "variant": "{variant}"}
    kinds = {
        f"Global Dual-Certified, {SWEPT}": ("global-dual", SWEPT),
        "Group Dual-Certified": ("group-dual", "epsilon"),
        "Robust Group": ("robust-group", "epsilon"),
    }
    return table_record(
        figures,
        "tab:risk-validity",
        f"Fresh draws of {CALIBRATION} calibration states, groups and mixture with one budget. Coverage is the share "
        "of draws whose held-out crossing rate keeps within it; a draw has no certificate where some group falls back "
        "to the anchor.",
        [
            Column("ε", "constant", {"path": "variants/{variant}/epsilon"}),
            Column("Method"),
            Column("Held-out viol.", "repeated_crossing_rate", named, FOUR, "lower"),
            Column("Coverage", "repeated_coverage", named, THREE, "higher"),
            Column("Cert. rate", "repeated_certification_rate", named, THREE, "higher"),
            Column("No-cert.", "repeated_uncertified", named, share, "lower"),
        ],
        [
            Line(
                f"{budget}, {label}",
                {"Method": label},
                {"selector": name, "variant": f"{kind}-{budget}"},
                among=budget,
            )
            for budget in BUDGETS
            for label, (name, kind) in kinds.items()
        ],
    )


def _shifts(figures: Figures) -> Row:
    where = {"selector": "{selector}", "population": "{population}"}
    moved = {
        "Matched": ("held-out", ""),
        "Deep betting": ("deep-betting", ""),
        "Small pots": ("small-pots", ""),
        "Worse tempers": ("worse-tempers", ""),
        "Opponent shift": ("held-out", "-shifted"),
        "Adaptive opponent": ("held-out", "-adaptive"),
    }
    return table_record(
        figures,
        "tab:shifts",
        "The robust map, frozen on matched states, where states or opponents are others. The adaptive opponent knows "
        "how often this map's policy raises. No certificate covers the shifted rows.",
        [
            Column("Shift"),
            Column("Weak EV", "map_utility", where | {"utility": "{utility}"}, FOUR, "higher"),
            Column("Strong Δ", "map_delta", where | {"risk": "{risk}"}, FOUR, "higher"),
            Column("Violation", "map_crossing_rate", where | {"risk": "{risk}"}, FOUR, "lower"),
        ],
        [
            Line(
                label,
                {"Shift": label},
                {
                    "selector": "robust-group",
                    "population": split,
                    "utility": f"weak{opponent}",
                    "risk": f"strong{opponent}",
                },
            )
            for label, (split, opponent) in moved.items()
        ],
    )
