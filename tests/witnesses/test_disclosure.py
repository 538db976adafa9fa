"""Withheld rows: the tree is RFC 6962's, rows cannot be changed or chosen, and the sample says what it excludes."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sealtrace
from cli.runner import sealtrace as run
from sealtrace.bundle.budget import Asked
from sealtrace.bundle.sealing import seal
from sealtrace.contract.result import Disclosed, Result
from sealtrace.witnesses.disclosure import drawn, leaf_hash, levels_of, most_wrong, proof_of, root_from, root_of
from small_study import small_study
from support import EMPTY, copy_of_small_fixture, unseal

# The published test vectors of Certificate Transparency's reference implementation: inputs, and roots of the
# first 1 to 8 of them.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def recursive(leaves: list[bytes]) -> bytes:
    """The tree's hash as the RFC defines it."""
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    middle = 1
    while middle * 2 < len(leaves):
        middle *= 2
    return hashlib.sha256(b"\1" + recursive(leaves[:middle]) + recursive(leaves[middle:])).digest()


def test_roots_are_those_that_others_publish() -> None:
    """Another implementation verifies what this one seals."""
    leaves = [leaf_hash(bytes.fromhex(text)) for text in INPUTS]
    assert [root_of(levels_of(leaves[:count])).hex() for count in range(1, 9)] == ROOTS


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=4), max_size=40), st.data())
def test_every_leaf_is_proved_and_no_other(leaves: list[bytes], data: st.DataObject) -> None:
    """For every size: the root is the RFC's, each proof leads to it from its place, and from nowhere else."""
    tree = levels_of([leaf_hash(one) for one in leaves])
    root = root_of(tree)
    assert root == recursive(leaves)
    for index, leaf in enumerate(leaves):
        proof = proof_of(tree, index)
        assert root_from(leaf_hash(leaf), index, len(leaves), proof) == root
        assert root_from(leaf_hash(leaf + b"x"), index, len(leaves), proof) != root
        assert root_from(leaf_hash(leaf), index, len(leaves), [*proof, bytes(32)]) is None
        assert root_from(leaf_hash(leaf), len(leaves), len(leaves), proof) is None
        if proof:
            assert root_from(leaf_hash(leaf), index, len(leaves), proof[:-1]) != root
    if len(leaves) > 1:
        index = data.draw(st.integers(0, len(leaves) - 1))
        other = data.draw(st.integers(0, len(leaves) - 1))
        moved = root_from(leaf_hash(leaves[index]), other, len(leaves), proof_of(tree, index))
        assert moved != root or leaves[index] == leaves[other]


@pytest.mark.parametrize(
    ("leaves", "sampled", "wrong"), [(50, 10, 0), (50, 10, 2), (20, 20, 0), (9, 1, 0), (30, 29, 1)]
)
def test_the_excluded_rate_is_exact(leaves: int, sampled: int, wrong: int) -> None:
    """By trying every number of wrong rows: so many leave the sample possible, and one more does not."""

    def chance(bad: int) -> Fraction:
        ways = sum(comb(bad, one) * comb(leaves - bad, sampled - one) for one in range(wrong + 1))
        return Fraction(ways, comb(leaves, sampled))

    possible = [bad for bad in range(wrong, leaves - sampled + wrong + 1) if chance(bad) >= Fraction(1, 20)]
    assert most_wrong(leaves, sampled, wrong) == max(possible, default=wrong)


def test_large_tables_are_decided_too() -> None:
    """The rule of three: no error among n excludes about 3/n."""
    assert most_wrong(100_000, 300, 0) == 992
    assert most_wrong(1000, 1000, 0) == 0


def test_a_sample_follows_from_seed_and_root() -> None:
    """The same for everybody, all places equally likely, and nothing that an owner could choose."""
    places = drawn("words", "ab" * 32, 1000, 50)
    assert places == drawn("words", "ab" * 32, 1000, 50)
    assert places == sorted(set(places))
    assert len(places) == 50
    assert places != drawn("words", "cd" * 32, 1000, 50)
    assert places != drawn("word", "ab" * 32, 1000, 50)
    counts = [0] * 10
    for seed in range(2000):
        for place in drawn(str(seed), "ab" * 32, 10, 3):
            counts[place] += 1
    assert all(500 < count < 700 for count in counts)
    assert drawn("words", "ab" * 32, 5, 5) == [0, 1, 2, 3, 4]


ROWS = [{"item": f"i{number}", "label": "yes" if number % 3 else "no", "split": "held-out"} for number in range(400)]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A bundle that withholds 400 labels."""
    bundle = copy_of_small_fixture(tmp_path)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    made = run("disclose", "tree", rows, "--kind", "label", "--keep", tmp_path / "secret.jsonl",
               "-o", bundle / "report" / "tree.labels.json", "--reason", "Under licence.")  # fmt: skip
    assert made.code == 0, made.errors
    unseal(bundle)
    seal(bundle, empty=EMPTY)
    return bundle


def test_a_tree_and_its_secrets_are_never_one_file(tmp_path: Path) -> None:
    """Whatever the spelling: nothing is written, least of all the rows to where the tree goes."""
    rows, target = tmp_path / "rows.jsonl", tmp_path / "tree.labels.json"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    other = tmp_path / "." / "sub" / ".." / target.name
    (tmp_path / "sub").mkdir()
    done = run("disclose", "tree", rows, "--kind", "label", "--keep", target, "-o", other)
    assert (done.code, target.exists()) == (2, False)


def shown(study: Path, *options: str) -> Path:
    """Rows disclosed by the command."""
    target = study.parent / "shown.json"
    tree = study / "report" / "tree.labels.json"
    done = run("disclose", "rows", study.parent / "secret.jsonl", "--tree", tree, *options, "-o", target)
    assert done.code == 0, done.errors
    return target


def partial(study: Path, path: Path, seed: str | None = None, count: int | None = None) -> tuple[Disclosed, list[str]]:
    """What a report says of disclosed rows, and what is wrong with them."""
    asked = Asked(partial=(path,), seed=seed, count=count)
    report: Result = sealtrace.verify(study, check=["witness.disclosed"], asked=asked)
    found = [one.message for one in report.findings if one.check == "witness.disclosed"]
    return report.summary.disclosed[0], found


def changed(path: Path, **changes: Any) -> Path:
    """A disclosure with its first row changed."""
    document = json.loads(path.read_text())
    document["rows"][0] |= changes
    path.write_text(json.dumps(document))
    return path


def test_a_sample_by_a_reviewers_seed_is_verified_and_bounded(study: Path) -> None:
    """As a reviewer would do it, on the command line."""
    path = shown(study, "--seed", "reviewer 2", "--count", "60")
    seen, found = partial(study, path, "reviewer 2", 60)
    assert (seen.leaves, seen.seen, seen.wrong, seen.seed, found) == (400, 60, 0, "reviewer 2", [])
    assert seen.most_wrong == most_wrong(400, 60, 0) == 18
    done = run("verify", study, "--partial", path, "--seed", "reviewer 2", "--count", "60")
    assert done.code == 0
    assert run("verify", study, "--partial", path, "--seed", "reviewer 2").code == 2
    text = " ".join(done.output.split())
    assert "60 of 400 withheld rows of labels were seen, 0 of them wrong" in text
    assert "exclude at 95 % that more than 18 (4.50 %) are" in text


def test_rows_that_were_chosen_say_nothing_of_the_rest(study: Path) -> None:
    """Neither those named by their owner, nor a sample by a seed of the owner's own."""
    for options in (["--row", "1", "--row", "400"], ["--seed", "lucky", "--count", "2"]):
        seen, found = partial(study, shown(study, *options))
        assert (seen.seen, seen.most_wrong, found) == (2, None, [])


def test_the_bundle_without_disclosure_is_verified(study: Path) -> None:
    """Withheld rows are not missing evidence: nothing in the bundle needs them."""
    report = sealtrace.verify(study)
    assert report.verdict == "verified"
    assert next(one for one in report.checks if one.id == "witness.disclosed").reason == (
        "no withheld rows were disclosed (--partial)"
    )


def test_rows_that_are_not_the_sealed_ones_are_found(study: Path) -> None:
    """A changed row, salt, place or proof; a row twice; a sample with another row in it."""
    other = {"item": "i0", "label": "changed", "split": "held-out"}
    every: list[dict[str, Any]] = [
        {"row": other}, {"salt": "00" * 16}, {"index": 7}, {"proof": []}, {"proof": ["zz"]}, {"index": -1},
    ]  # fmt: skip
    for changes in every:
        seen, found = partial(study, changed(shown(study, "--row", "1"), **changes))
        assert found == ["The disclosed row is not the one that was sealed."]
        assert (seen.seen, seen.wrong) == (0, 1)
    path = shown(study, "--row", "1")
    document = json.loads(path.read_text())
    document["rows"] *= 2
    path.write_text(json.dumps(document))
    assert partial(study, path)[1] == ["The row is disclosed twice."]
    seen, found = partial(study, shown(study, "--row", "1", "--row", "2"), "reviewer 2", 2)
    assert (seen.most_wrong, found) == (None, ["The rows are not those that the seed draws."])
    for count in ("59", "61"):  # whoever stops early, or goes on, may have seen which row comes next
        seen, found = partial(study, shown(study, "--seed", "reviewer 2", "--count", count), "reviewer 2", 60)
        assert (seen.most_wrong, found) == (None, ["The rows are not those that the seed draws."])
    seen, found = partial(study, shown(study, "--seed", "reviewer 2", "--count", "59"), "reviewer 2")
    assert (seen.most_wrong, found) == (None, [])
    assert partial(study, shown(study, "--seed", "mine", "--count", "5"), "reviewer 2")[1]


def test_disclosed_rows_must_fit_their_schema(tmp_path: Path) -> None:
    """A tree can be made of anything; what is disclosed is looked at like any other record."""
    from sealtrace.witnesses.disclosure import checked, disclosed, salted, tree_of

    rows = salted([{"item": "a", "label": "x", "split": "s"}, {"item": 5}])
    tree = tree_of("t", "label", rows, None)
    result, faults = checked(disclosed(tree, rows, [0, 1], "s"), tree, "s", 2)
    assert (result.seen, result.wrong, result.most_wrong) == (1, 1, 1)
    assert "/item" in {fault.field for fault in faults}
    twice = salted([{"item": "a", "label": "x", "split": "s"}, {"item": "a", "label": "y", "split": "s"}])
    tree = tree_of("t", "label", twice, None)
    _, same = checked(disclosed(tree, twice, [0, 1]), tree, None)
    assert [fault.message for fault in same] == ["Two disclosed rows have the same key."]
    assert tmp_path.is_dir()


def test_what_cannot_be_disclosed_is_refused(study: Path, tmp_path: Path) -> None:
    """Each with a message, and nothing is written over."""
    secret, tree = tmp_path / "secret.jsonl", study / "report" / "tree.labels.json"
    lines = secret.read_text().splitlines()
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("\n".join([*lines[:-1], '{"salt": "1", "row": {}}']))
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_text("\n".join(lines[:-1]))
    (tmp_path / "others.jsonl").write_text("\n".join((tmp_path / "rows.jsonl").read_text().splitlines()[1:]))
    cases: list[tuple[list[str | Path], str]] = [
        (["rows", damaged, "--tree", tree, "--row", "1"], "not a row with its salt"),
        (["rows", fewer, "--tree", tree, "--row", "1"], "are not those that were sealed"),
        (["rows", secret, "--tree", tree, "--row", "401"], "there is no row 401"),
        (["rows", secret, "--tree", tree, "--seed", "x", "--count", "401"], "cannot be drawn"),
        (["rows", secret, "--tree", tree], "name rows with --row"),
        (["rows", secret, "--tree", secret, "--row", "1"], "secret.jsonl"),
        (["tree", tmp_path / "rows.jsonl", "--kind", "nothing", "--keep", "k", "-o", "o"], "not a kind of rows"),
        (
            ["tree", tmp_path / "rows.jsonl", "--kind", "score", "--keep", "k", "-o", "o"],
            "The value does not fit the schema",
        ),
        (["tree", tmp_path / "others.jsonl", "--kind", "label", "--keep", secret, "-o", tmp_path / "o"], "other rows"),
    ]
    for arguments, message in cases:
        done = run("disclose", *arguments)
        assert done.code == 2, arguments
        assert message in done.errors
    assert secret.read_text().splitlines() == lines
    path = tmp_path / "no.json"
    for text in ("{", "[]", '{"tree": "labels"}', '{"tree": "x", "rows": [1]}', '{"tree": "labels", "rows": [{}]}'):
        path.write_text(text)
        done = run("verify", study, "--partial", path)
        assert done.code == 2
        assert "no.json" in done.errors


def test_a_decoy_of_the_same_name_states_no_bound(study: Path, tmp_path: Path) -> None:
    """Rows of the decoy would be drawn and shown, and the bound stated of the tree that nobody saw."""
    decoy = study / "report" / "tree.zz.json"
    rows = tmp_path / "decoy.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS[:5]))
    made = run("disclose", "tree", rows, "--kind", "label", "--name", "labels", "--keep", tmp_path / "kept.jsonl",
               "-o", decoy)  # fmt: skip
    assert made.code == 0, made.errors
    unseal(study)
    seal(study, empty=EMPTY)
    sample = tmp_path / "sample.json"
    drawn_rows: list[str | Path] = ["--tree", decoy, "--seed", "words", "--count", "5", "-o", sample]
    assert run("disclose", "rows", tmp_path / "kept.jsonl", *drawn_rows).code == 0
    done = run("verify", study, "--check", "witness.disclosed", "--partial", sample, "--seed", "words", "--count", "5")
    assert done.code == 1
    assert "Two trees have the same name" in done.output
    assert "rows were seen" not in done.output


MALFORMED = {
    "no JSON": b"{",
    "a list": b"[]",
    "another tree": b'{"tree": "x", "rows": [1]}',
    "a tree that is no text": b'{"tree": ["labels"], "rows": [1]}',
    "no rows": b'{"tree": "labels", "rows": [{}]}',
    "a huge index": b'{"tree": "labels", "rows": [{"index": 1e400, "salt": "", "row": {}, "proof": []}]}',
    "nested": b'{"tree": "labels", "rows": ' + b"[" * 5000 + b"]" * 5000 + b"}",
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
@pytest.mark.parametrize("name", ["a.rows.json", "a.tsr", "a.dsse.json", "a.ots", "a.commit", "a.sigstore.json"])
def test_a_malformed_witness_costs_itself_only(tmp_path: Path, name: str, data: bytes) -> None:
    """The run goes on to a verdict, whatever anybody has put there."""
    bundle = small_study(tmp_path / "bundle")
    (bundle / "witnesses").mkdir()
    (bundle / "witnesses" / name).write_bytes(data)
    report = sealtrace.verify(bundle)
    assert report.verdict in ("findings", "verified")
    assert any(finding.source == f"witnesses/{name}" for finding in report.findings)


def test_examples_beside_a_demanded_sample_are_no_findings(study: Path, tmp_path: Path) -> None:
    """The author shows some rows to everybody; the reviewer's words drew others."""
    tree, secret = study / "report" / "tree.labels.json", tmp_path / "secret.jsonl"
    (study / "witnesses").mkdir()
    examples, sample = study / "witnesses" / "examples.rows.json", tmp_path / "sample.json"
    assert run("disclose", "rows", secret, "--tree", tree, "--row", "1", "--row", "2", "-o", examples).code == 0
    drawn_rows: list[str | Path] = ["--seed", "words", "--count", "9", "-o", sample]
    assert run("disclose", "rows", secret, "--tree", tree, *drawn_rows).code == 0
    asked = Asked(partial=(sample,), seed="words", count=9)
    report = sealtrace.verify(study, check=["witness.disclosed"], asked=asked)
    assert [finding.message for finding in report.findings] == []
    assert [one.seen for one in report.summary.disclosed] == [2, 9]
