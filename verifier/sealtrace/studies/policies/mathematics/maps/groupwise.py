"""What each group can decide for itself: options that no best map uses, and the case without a trade-off.

Where the global budget cannot bind, the largest L of every group together attain the optimum, since the worst
utility never falls when one group's L rises. An earlier option with a smaller L may attain it too, where no
mixture weighs its group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sealtrace.mathematics import Mask, Matrix

from .instance import INPUT_ERROR, Exact, Instance, worst_risk, worst_risks, worst_utilities, worst_utility
from .proof import GroupWise, Solution


def usable_options(instance: Instance) -> Mask:
    """The admissible options that do not break the global budget with the anchor everywhere else."""
    if instance.budget is None or _all_within(instance, instance.admissible):
        return instance.admissible
    # The worst mixture of a map that is the anchor elsewhere, where U is 0, puts all that can be moved on this group.
    reach = np.minimum(instance.shares + float(instance.moved), 1.0)[:, None]
    excess = instance.upper * reach - float(instance.budget)
    usable: Mask = instance.admissible & (excess <= instance.margin)
    for group, option in np.argwhere(usable & (excess >= -instance.margin)).tolist():
        share = Fraction(instance.counts[group], instance.states)
        alone = instance.exact_upper(group, option) * min(share + instance.moved, Fraction(1))
        usable[group, option] = instance.may_keep_budget(alone)
    return usable


def _all_within(instance: Instance, usable: Mask) -> bool:
    """Whether every option surely keeps the global budget as its own group's budget, so that every map does."""
    assert instance.budget is not None, "asked only where there is a budget"
    return bool(instance.upper[usable].max() <= float(instance.budget) - instance.margin)


@dataclass(frozen=True)
class Removal:
    """An option that breaks the global budget with the anchor in all other groups, so that no map may use it."""

    group: int
    option: int
    upper: Fraction
    """U of the option."""
    share: Fraction
    """The largest share that a mixture can give the group: min(q_h + rho/2, 1)."""

    @property
    def risk(self) -> Fraction:
        """The worst risk of the map that uses this option alone, above the budget."""
        return self.upper * self.share


def removals(instance: Instance) -> list[Removal]:
    """The options that the global budget removes, each with the numbers that show it."""
    found = []
    for group, option in np.argwhere(instance.admissible & ~usable_options(instance)).tolist():
        share = min(Fraction(instance.counts[group], instance.states) + instance.moved, Fraction(1))
        found.append(Removal(group, option, instance.exact_upper(group, option), share))
    return found


def largest_risk(instance: Instance) -> Fraction:
    """The worst risk of the riskiest options that the budget leaves: within it, the budget cannot bind."""
    left = np.where(usable_options(instance), instance.upper, -1.0)
    return worst_risk(instance, largest(left, instance.exact_upper))


def group_wise(instance: Instance, usable: Mask) -> Solution | None:
    """The best map if the global budget cannot bind, otherwise None."""
    if not _budget_is_idle(instance, usable):
        return None
    best = largest(np.where(usable, instance.lower, -1.0), instance.exact_lower)
    if instance.slack:
        near = _near_largest(np.where(usable, instance.lower, -1.0), 2 * INPUT_ERROR + 2 * float(instance.slack))
        check_rivals(instance, np.argwhere(near).tolist(), best)
    removed = int((instance.admissible & ~usable).sum())
    return Solution(tuple(_earliest(instance, usable, best)), GroupWise(removed), instance)


def largest(values: Matrix, exact: Exact) -> list[int]:
    """The first of the exactly largest options of every group."""
    near = _near_largest(values, 2 * INPUT_ERROR)
    first: list[int] = near.argmax(axis=1).tolist()
    for group in np.flatnonzero(near.sum(axis=1) > 1).tolist():
        rivals: list[int] = np.flatnonzero(near[group]).tolist()
        first[group] = max(rivals, key=lambda option: (exact(group, option), -option))
    return first


def _near_largest(values: Matrix, margin: float) -> Mask:
    """The options whose doubles come close to the largest of their group."""
    near: Mask = values >= values.max(axis=1, keepdims=True) - margin
    return near


def check_rivals(instance: Instance, options: Iterable[Sequence[int]], best: Sequence[int]) -> None:
    """Raises Undecided if an option's L is too close to its group's best to tell, and the optimum depends on it."""
    for group, option in options:
        if option == best[group]:
            continue
        gap = instance.exact_lower(group, best[group]) - instance.exact_lower(group, option)
        if 0 < gap < instance.slack:
            rival = [*best[:group], option, *best[group + 1 :]]
            instance.compare(worst_utility(instance, rival), worst_utility(instance, best))


def _budget_is_idle(instance: Instance, usable: Mask) -> bool:
    """Whether even the largest U of all groups together keep the budget."""
    if instance.budget is None or _all_within(instance, usable):
        return True
    upper = np.where(usable, instance.upper, -1.0)
    room = float(instance.budget) - float(worst_risks(instance, upper.max(axis=1)[None])[0])
    if abs(room) > instance.margin:
        return room > 0
    riskiest = largest(upper, instance.exact_upper)
    risk = worst_risk(instance, riskiest)
    if risk == instance.budget:
        return _clearly_largest(instance, usable, riskiest)
    return risk <= instance.budget - instance.slack


def _clearly_largest(instance: Instance, usable: Mask, riskiest: list[int]) -> bool:
    """Whether no U could exceed the largest of its group by less than the slack."""
    for group, option in np.argwhere(usable).tolist():
        gap = instance.exact_upper(group, riskiest[group]) - instance.exact_upper(group, option)
        if 0 < gap < instance.slack:
            return False
    return True


def _earliest(instance: Instance, usable: Mask, best: list[int]) -> list[int]:
    """The first map in order of preference that attains the optimum of the best options."""
    groups = np.arange(instance.groups)
    earlier = usable & (np.arange(usable.shape[1]) < np.array(best)[:, None])
    # If the best earlier option of a group lowers the optimum, each of them does.
    # One row for each group with its best earlier option in place of the best; the last row has none replaced.
    changed = np.repeat(instance.lower[groups, best][None], instance.groups + 1, axis=0)
    changed[groups, groups] = np.where(earlier, instance.lower, -1.0).max(axis=1)
    utilities = worst_utilities(instance, changed)
    near = np.flatnonzero(utilities[:-1] >= utilities[-1] - instance.margin).tolist()
    if not near:
        return best
    choice, optimum = list(best), worst_utility(instance, best)
    for group in near:
        for option in np.flatnonzero(earlier[group]).tolist():
            rival = [*choice[:group], option, *choice[group + 1 :]]
            if instance.compare(worst_utility(instance, rival), optimum) == 0:
                choice = rival
                break
    return choice


def needed_options(instance: Instance, usable: Mask) -> Mask:
    """The usable options that no earlier usable one of their group equals or surpasses in both L and U."""
    # One that equals an earlier option is needless, too: among equal maps the earlier one stands.
    values = np.stack([instance.lower, -instance.upper])
    ahead = values[:, :, None, :] - values[:, :, :, None]
    width = usable.shape[1]
    earlier = np.tri(width, k=-1, dtype=np.bool_) & usable[:, None, :] & usable[:, :, None]
    rivals = earlier & (ahead >= -instance.margin).all(axis=0)
    surely = rivals & (ahead > instance.margin).all(axis=0)
    needed: Mask = usable & ~surely.any(axis=2)
    # Where doubles are close only exact equality counts.
    unsure = rivals & ~surely & needed[:, :, None]
    close = ahead <= instance.margin
    for group, option, rival in np.argwhere(unsure).tolist():
        if needed[group, option]:
            needed[group, option] = any(
                close[side, group, option, rival] and exact(group, option) != exact(group, rival)
                for side, exact in enumerate((instance.exact_lower, instance.exact_upper))
            )
    return needed
