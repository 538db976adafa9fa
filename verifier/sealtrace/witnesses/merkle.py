"""Merkle trees as RFC 6962 hashes them: one root for many rows, and a short proof for each row."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

_EMPTY = hashlib.sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    """A leaf's hash; its first byte tells leaves from nodes."""
    return hashlib.sha256(b"\0" + data).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """The tree from its leaves to its root; a node without a partner moves up as it is."""
    rows = [list(leaves)]
    while len(rows[-1]) > 1:
        below = rows[-1]
        above = [_node(below[place], below[place + 1]) for place in range(0, len(below) - 1, 2)]
        rows.append(above + below[len(below) - len(below) % 2 :])
    return rows


def root_of(tree: list[list[bytes]]) -> bytes:
    """The root; that of no leaves is the hash of nothing."""
    return tree[-1][0] if tree[-1] else _EMPTY


def proof_of(tree: list[list[bytes]], index: int) -> list[bytes]:
    """The hashes that lead from a leaf to the root."""
    proof = []
    for row in tree[:-1]:
        partner = index ^ 1
        if partner < len(row):
            proof.append(row[partner])
        index //= 2
    return proof


def root_from(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """The root that a leaf and its proof give; None where the proof does not fit the place."""
    if not 0 <= index < size:
        return None
    rest = list(proof)
    last, reached = size - 1, leaf
    while last:
        if index % 2 or index < last:
            if not rest:
                return None
            other = rest.pop(0)
            reached = _node(other, reached) if index % 2 else _node(reached, other)
        index, last = index // 2, last // 2
    return None if rest else reached
