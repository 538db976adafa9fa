"""`verify --cache`: a report is taken again only for the very same bytes and questions."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.runner import sealtrace
from sealtrace import examination
from sealtrace.bundle import reading
from sealtrace.bundle.budget import INCIDENTS
from sealtrace.cli.main import cli
from sealtrace.recipes.sql import SqlRecords
from sealtrace.recipes.sql_syntax import SqlError
from small_study import small_study
from support import copy_of_small_fixture, edit_document


def verify(*arguments: object) -> Result:
    """A run of `sealtrace verify`."""
    return CliRunner().invoke(cli, ["verify", "--quiet", *map(str, arguments)], standalone_mode=False)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every examination."""
    times: list[int] = []
    real = reading.read_bundle

    def counted(*args: object, **kwargs: object) -> object:
        times.append(1)
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(examination, "read_bundle", counted)
    return times


def test_the_same_bytes_are_not_verified_again(tmp_path: Path, read: list[int]) -> None:
    """The second run says the same, to the byte, without reading a record; another question is another entry."""
    bundle, cache = copy_of_small_fixture(tmp_path), tmp_path / "cache"
    first = verify(bundle, "--format", "json", "--cache", cache)
    again = verify(bundle, "--format", "json", "--cache", cache)
    assert (first.return_value, first.output) == (again.return_value, again.output)
    assert len(read) == 1
    assert json.loads(again.output)["verdict"] == "verified"
    assert verify(bundle, "--check", "identity", "--cache", cache).return_value == 3
    assert (len(read), len(list(cache.iterdir()))) == (2, 2)


def test_a_changed_byte_is_seen_whatever_the_cache_holds(tmp_path: Path, read: list[int]) -> None:
    """The manifest still names the old digests: believing it would bring the old verdict back."""
    bundle, cache = copy_of_small_fixture(tmp_path), tmp_path / "cache"
    assert verify(bundle, "--cache", cache).return_value == 0
    edit_document(bundle / "declare/protocol.json", lambda document: document.update(title="Another"))
    assert verify(bundle, "--cache", cache).return_value == 1
    (bundle / "unlisted.txt").write_text("new")
    assert verify(bundle, "--cache", cache).return_value == 1
    assert len(read) == 3


def test_damaged_entries_are_computed_anew(tmp_path: Path, read: list[int]) -> None:
    """An entry that cannot be read, or that belongs to another key, is nothing."""
    bundle, cache = copy_of_small_fixture(tmp_path), tmp_path / "cache"
    first = verify(bundle, "--format", "json", "--cache", cache)
    (entry,) = cache.iterdir()
    for text in ("", "[]", '{"key": "x"}', entry.read_text().replace('"key": "', '"key": "0')):
        entry.write_text(text)
        assert json.loads(verify(bundle, "--format", "json", "--cache", cache).output)["verdict"] == "verified"
    assert len(read) == 5
    assert first.return_value == 0


def test_what_the_reader_brings_is_not_kept(tmp_path: Path, read: list[int]) -> None:
    """Papers, keys and expectations lie outside of the bundle, so their runs are not remembered."""
    bundle, cache = copy_of_small_fixture(tmp_path), tmp_path / "cache"
    for _ in range(2):
        assert verify(bundle, "--as-expected", "--cache", cache).return_value == 0
    assert len(read) == 2
    assert not cache.exists()
    assert "there is no such file" in str(verify(tmp_path / "nothing", "--cache", cache).exception)


def test_packs_of_others_are_not_remembered(tmp_path: Path, read: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Their code decides too, and is not hashed: an edited pack must not bring back what it said before."""
    bundle, cache = copy_of_small_fixture(tmp_path), tmp_path / "cache"
    monkeypatch.setattr("sealtrace.cache.entry_points", lambda **_: ["a pack"])
    assert [verify(bundle, "--cache", cache).return_value for _ in range(2)] == [0, 0]
    assert (len(read), cache.exists()) == (2, False)


def test_a_directory_that_others_write_to_keeps_nothing(tmp_path: Path, read: list[int]) -> None:
    """Whoever can write an entry can write a verdict; what is no entry at all is computed anew."""
    bundle, cache = small_study(tmp_path / "study"), tmp_path / "cache"
    assert sealtrace("verify", bundle, "--cache", bundle / "cache").code == 2
    assert sealtrace("verify", bundle, "--cache", cache).code == 0
    (entry,) = cache.glob("*.json")
    entry.write_text("[" * 100_000)
    assert sealtrace("verify", bundle, "--cache", cache).code == 0
    assert len(read) == 2
    cache.chmod(0o777)
    run = sealtrace("verify", bundle, "--cache", cache)
    assert (run.code, "others can write there" in run.errors) == (2, True)


def test_an_entry_that_is_a_pipe_is_not_waited_for(tmp_path: Path, read: list[int]) -> None:
    """Nobody would ever write to it."""
    bundle, cache = small_study(tmp_path / "bundle"), tmp_path / "cache"
    assert verify(bundle, "--cache", cache).return_value == 0
    (entry,) = cache.iterdir()
    entry.unlink()
    os.mkfifo(entry)
    assert verify(bundle, "--cache", cache).return_value == 0
    assert len(read) == 2
    assert entry.is_file()


def test_an_entry_that_no_memory_holds_costs_no_verdict(tmp_path: Path, read: list[int]) -> None:
    """A disk gives a file any length, at no cost."""
    bundle, cache = small_study(tmp_path / "bundle"), tmp_path / "cache"
    assert verify(bundle, "--cache", cache).return_value == 0
    (entry,) = cache.iterdir()
    os.truncate(entry, 2**43)
    assert sealtrace("verify", bundle, "--cache", cache).code == 0
    assert (len(read), entry.stat().st_size < 2**30) == (2, True)


def test_what_cannot_be_kept_costs_no_verdict(tmp_path: Path, read: list[int]) -> None:
    """A directory in the place of an entry, with something in it: nothing is replaced, and the verdict stands."""
    bundle, cache = small_study(tmp_path / "bundle"), tmp_path / "cache"
    assert sealtrace("verify", bundle, "--cache", cache).code == 0
    (entry,) = cache.iterdir()
    entry.unlink()
    (entry / "inner").mkdir(parents=True)
    run = sealtrace("verify", bundle, "--cache", cache)
    assert (run.code, len(read)) == (0, 2)
    assert f"{entry.name}: Is a directory; the report was not kept" in run.errors
    assert (entry / "inner").is_dir()


def test_what_came_of_a_loss_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that were lost, and queries that ran out of time or memory, may be there the next time."""
    bundle, cache = small_study(tmp_path / "bundle"), tmp_path / "cache"
    real = reading.read_bundle

    def losing(*args: object, **kwargs: object) -> object:
        INCIDENTS.append("a worker was lost")
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(examination, "read_bundle", losing)
    assert verify(bundle, "--cache", cache).return_value == 0
    assert not cache.exists()


@pytest.mark.parametrize(
    ("limits", "sql", "reason"),
    [
        (
            {"seconds": 0.2},
            "SELECT count(DISTINCT a.range * 7 + b.range) FROM range(200000) a, range(100000) b",
            "ended",
        ),
        ({"memory": 2**26}, "SELECT len(list(range)) FROM range(20000000)", "failed to allocate"),
    ],
)
def test_a_query_that_runs_out_of_time_or_memory_is_noted(limits: dict[str, Any], sql: str, reason: str) -> None:
    """Another run, on a machine with more to spare, might answer it."""
    before = len(INCIDENTS)
    with SqlRecords({}, **limits) as records, pytest.raises(SqlError, match=reason):
        records.query(sql)
    assert len(INCIDENTS) == before + 1


def test_another_library_computes_anew(tmp_path: Path, read: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """An optional one, too: without it, a signature is not looked at, and the report says so."""
    bundle, cache = small_study(tmp_path / "bundle"), tmp_path / "cache"
    assert verify(bundle, "--cache", cache).return_value == 0
    (tmp_path / "site" / "sigstore-99.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert verify(bundle, "--cache", cache).return_value == 0
    assert len(read) == 2
