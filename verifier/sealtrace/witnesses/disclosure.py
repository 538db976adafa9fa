"""Withheld rows: sealing a tree in their place, disclosing some of them, and what those that were seen say of all.

A leaf is a salt of 16 bytes and the row in its RFC 8785 form. Without the salt, rows of few possible values could be
guessed from the hashes of their neighbours. Leaves and nodes are hashed as RFC 6962 has it: one root for many rows, and
a short proof for each.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import NotRequired, TypedDict, cast

import rfc8785

from sealtrace.bundle.defects import Defect
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.shapes import row_key
from sealtrace.contract.result import Disclosed
from sealtrace.contract.sealing import Tree

SALT = 16
CONFIDENCE = 95
"""Per cent."""


class DisclosureError(ValueError):
    """The file discloses nothing that can be checked."""


@dataclass(frozen=True)
class Withheld:
    """A row and its salt, as its owner keeps them."""

    salt: bytes
    row: dict[str, object]

    @property
    def leaf(self) -> bytes:
        return leaf_hash(self.salt + rfc8785.dumps(self.row))  # type: ignore[arg-type]  # refuses what is no JSON


def salted(rows: Sequence[dict[str, object]]) -> list[Withheld]:
    return [Withheld(secrets.token_bytes(SALT), row) for row in rows]


def tree_of(name: str, kind: str, rows: Sequence[Withheld], reason: str | None) -> Tree:
    """The tree to seal in place of the rows."""
    root = root_of(levels_of([row.leaf for row in rows])).hex()
    return Tree(
        sealtrace="1",
        name=name,
        kind=kind,
        hash="sha256-rfc6962",
        leaves=len(rows),
        root_sha256=root,
        reason=reason or None,
    )


def drawn(seed: str, root: str, leaves: int, count: int) -> list[int]:
    """The places of a random sample that nobody can choose: they follow from a reviewer's seed and the sealed root."""
    if not 0 <= count <= leaves:
        raise DisclosureError(f"{count} of {leaves} rows cannot be drawn")
    places: set[int] = set()
    limit = 2**256 - 2**256 % max(leaves, 1)
    number = 0
    while len(places) < count:
        text = f"sealtrace-sample-1\0{root}\0{seed}\0{number}".encode()
        value = int.from_bytes(hashlib.sha256(text).digest(), "big")
        if value < limit:  # so that every place is equally likely
            places.add(value % leaves)
        number += 1
    return sorted(places)


class DisclosedRow(TypedDict):
    """A row with its place, its salt, and the hashes that lead from it to the root, in hexadecimal digits."""

    index: int
    salt: str
    row: dict[str, object]
    proof: list[str]


class Disclosure(TypedDict):
    """Rows of one tree, as a file discloses them."""

    sealtrace: str
    tree: str
    rows: list[DisclosedRow]
    seed: NotRequired[str]


def disclosed(tree: Tree, rows: Sequence[Withheld], places: Sequence[int], seed: str | None = None) -> Disclosure:
    """Rows with their proofs. `DisclosureError` where the rows are not those of the tree."""
    levels = levels_of([row.leaf for row in rows])
    if root_of(levels).hex() != tree.root_sha256 or len(rows) != tree.leaves:
        raise DisclosureError("these rows, with these salts, are not those that were sealed")
    if bad := [place for place in places if not 0 <= place < len(rows)]:
        raise DisclosureError(f"there is no row {bad[0] + 1}, only {len(rows)}")
    document: Disclosure = {
        "sealtrace": "1",
        "tree": tree.name,
        "rows": [
            {
                "index": place,
                "salt": rows[place].salt.hex(),
                "row": rows[place].row,
                "proof": [step.hex() for step in proof_of(levels, place)],
            }
            for place in places
        ],
    }
    if seed is not None:
        document["seed"] = seed
    return document


def _fault(index: int, message: str, expected: str, found: str, field: str | None = None) -> Defect:
    """A disclosed row that is not what it should be, by its place among the withheld ones."""
    return Defect(message, row=index + 1, field=field, expected=expected, found=found)


def checked(document: object, tree: Tree, seed: str | None, count: int | None = None) -> tuple[Disclosed, list[Defect]]:
    """Every disclosed row against the sealed root and its schema, and the sample against what the reviewer demanded."""
    rows = list(_rows(document))
    faults = [fault for row in rows for fault in _faults(row, tree)]
    wrong = len({fault.row for fault in faults})
    places = [row["index"] for row in rows]
    repeated = sorted({place for place in places if places.count(place) > 1}) if len(set(places)) < len(places) else []
    faults += [_fault(place, "The row is disclosed twice.", "once", "twice") for place in repeated]
    faults += _same_keys(rows, tree.kind)
    claimed = document.get("seed") if isinstance(document, dict) else None
    sampled = None
    if seed is not None or isinstance(claimed, str):
        many = len(set(places)) if count is None else min(count, tree.leaves)
        wanted = drawn(seed if seed is not None else str(claimed), tree.root_sha256, tree.leaves, many)
        if sorted(set(places)) == wanted:
            # Without a reviewer's own words and number, the owner may have tried many, or stopped at the last good row.
            sampled = None if count is None else seed
        else:
            absent = sorted(set(wanted) - set(places))
            told = f"{len(wanted)} rows", f"{len(set(places))} rows"
            if absent:
                told = f"row {absent[0] + 1}", "other rows"
            faults.append(_fault((absent or places)[0], "The rows are not those that the seed draws.", *told))
    seen = len(set(places)) - wrong
    # Rows that somebody chose say nothing of the others.
    most = None if sampled is None else most_wrong(tree.leaves, seen + wrong, wrong)
    found = Disclosed(tree=tree.name, leaves=tree.leaves, seen=seen, wrong=wrong, seed=sampled, most_wrong=most)
    return found, faults


def _same_keys(rows: Sequence[DisclosedRow], kind: str) -> Iterator[Defect]:
    """Rows of different places that are about the same thing."""
    seen: dict[str, int] = {}
    for row in rows:
        key = json.dumps([row["row"].get(name) for name in row_key(kind)], sort_keys=True)
        if (first := seen.setdefault(key, row["index"])) != row["index"]:
            yield _fault(row["index"], "Two disclosed rows have the same key.", "one", f"row {first + 1}, too")


def _rows(document: object) -> Iterator[DisclosedRow]:
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list) or not document["rows"]:
        raise DisclosureError("no rows are disclosed: an object with tree and rows is needed")
    for row in document["rows"]:
        match row:
            case {"index": int(index), "salt": str(salt), "row": dict(), "proof": [*proof]} if (
                all(isinstance(step, str) for step in proof)
                and not isinstance(index, bool)
                and re.fullmatch(rf"[0-9a-f]{{{2 * SALT}}}", salt)
            ):
                yield cast("DisclosedRow", row)
            case _:
                raise DisclosureError(f"a disclosed row has an index, a salt of {SALT} bytes, a row and a proof")


def _faults(row: DisclosedRow, tree: Tree) -> Iterator[Defect]:
    index = row["index"]
    try:
        leaf = Withheld(bytes.fromhex(row["salt"]), row["row"]).leaf
        root = root_from(leaf, index, tree.leaves, [bytes.fromhex(step) for step in row["proof"]])
    except (ValueError, rfc8785.CanonicalizationError):
        root = None
    if root is None or root.hex() != tree.root_sha256:
        found = "no proof" if root is None else root.hex()
        yield _fault(index, "The disclosed row is not the one that was sealed.", tree.root_sha256, found)
        return
    for pointer, expected, value in misfits_of(tree.kind, row["row"]):
        yield _fault(index, "The value of a disclosed row does not fit the schema.", expected, value, pointer)


def most_wrong(leaves: int, sampled: int, wrong: int) -> int:
    """The largest number of wrong rows, of all, with which so few in a sample are not rarer than one time in twenty.

    Rows are drawn without replacement, so their number is hypergeometric; it is decided in whole numbers.
    """
    low, high, every = wrong, leaves - (sampled - wrong), comb(leaves, sampled)
    # The more rows are wrong, the rarer are so few of them in a sample: the last number that is not too rare is
    # halved towards.
    while low < high:
        middle = (low + high + 1) // 2
        if _ways(leaves, middle, sampled, wrong) * 100 >= every * (100 - CONFIDENCE):
            low = middle
        else:
            high = middle - 1
    return low


def _ways(leaves: int, bad: int, sampled: int, wrong: int) -> int:
    """The number of samples with at most this many bad rows; each term follows from the one before."""
    first = max(0, sampled - (leaves - bad))
    term = comb(bad, first) * comb(leaves - bad, sampled - first) if first <= wrong else 0
    ways = term
    for met in range(first, wrong):
        term = term * ((bad - met) * (sampled - met)) // ((met + 1) * (leaves - bad - sampled + met + 1))
        ways += term
    return ways


# The tree

_EMPTY = hashlib.sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    """A leaf's hash; its first byte tells leaves from nodes."""
    return hashlib.sha256(b"\0" + data).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def levels_of(leaves: Sequence[bytes]) -> list[list[bytes]]:
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
        # RFC 9162, section 2.1.3.2: a node has a partner here unless it is the last of an odd row, which moves up as
        # it is.
        if index % 2 or index < last:
            if not rest:
                return None
            other = rest.pop(0)
            reached = _node(other, reached) if index % 2 else _node(reached, other)
        index, last = index // 2, last // 2
    return None if rest else reached
