"""Options that no best map needs, because an earlier one of their group does as well."""

from __future__ import annotations

import numpy as np

from .instance import Instance, Mask


def needed_options(instance: Instance, usable: Mask) -> Mask:
    """The usable options that no earlier usable one of their group equals or surpasses in both L and U."""
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
