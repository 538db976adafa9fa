"""What the names that the tables print stand for."""

from __future__ import annotations

CHECKPOINTS = {str(count): f"cfr+{count}" for count in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)}
ORDERS = {
    f"doubles, deals in the order {' '.join(order)}": f"cfr+1000 {order}"
    for order in ("JKQ", "QJK", "QKJ", "KJQ", "KQJ")
}
NAMES = {
    "printed": {
        "profile": {
            **CHECKPOINTS,
            "doubles, deals in the order J Q K": "cfr+1000",
            **ORDERS,
            **{f"{count} decimal digits": f"cfr+1000 {count} digits" for count in (77, 154)},
        },
        "run": CHECKPOINTS,
        "player": {"BR0": "0", "BR1": "1"},
    }
}
