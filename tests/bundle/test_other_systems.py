"""What Windows lacks: descriptors of directories, links that are refused by a flag, alarms, hard links, one drive."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import sealtrace
from sealtrace import process
from sealtrace.bundle import archives, placing
from sealtrace.bundle.archives import DirectoryContainer
from sealtrace.cli import options
from sealtrace.cli.output import way_down
from small_study import small_study


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """This system without what the other one does not have."""
    monkeypatch.setattr(os, "supports_dir_fd", set())
    monkeypatch.setattr(os, "supports_fd", set())
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY"):
        monkeypatch.delattr(os, name)
    monkeypatch.setitem(sys.modules, "resource", None)
    for name in ("SIGALRM", "setitimer", "ITIMER_REAL"):
        monkeypatch.delattr(signal, name)


@pytest.mark.usefixtures("windows")
def test_a_bundle_has_the_same_verdict(tmp_path: Path) -> None:
    """Reading by path gives what reading by descriptors gives."""
    assert sealtrace.verify(small_study(tmp_path / "study")).verdict == "verified"


@pytest.mark.usefixtures("windows")
def test_links_are_not_followed_without_the_flag(tmp_path: Path) -> None:
    """Neither the file itself nor a directory on the way to it, and no path that another system would split."""
    inside = tmp_path / "bundle"
    (inside / "plain").mkdir(parents=True)
    (inside / "plain" / "file").write_text("ours")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("secret")
    (inside / "linked").symlink_to(tmp_path / "elsewhere")
    (inside / "plain" / "other").symlink_to(tmp_path / "elsewhere" / "file")
    container = DirectoryContainer(inside)
    with container.open("plain/file") as opened:
        assert opened.file.read(9) == b"ours"
    for path, said in (
        ("linked/file", "a directory on its way is a link"),
        ("plain/other", "it is a link"),
        ("plain\\..\\..\\elsewhere\\file", "leaves the directory"),
        ("c:file", "leaves the directory"),
    ):
        with pytest.raises(OSError, match=said), container.open(path):
            pass
    kinds = {member.path: member.kind for member in container.members()}
    assert kinds == {"linked": "link", "plain/file": "file", "plain/other": "link"}


def test_a_junction_is_a_link() -> None:
    """Windows calls it a directory, and says by an attribute that it leads elsewhere."""
    found = SimpleNamespace(st_mode=stat.S_IFDIR, st_file_attributes=stat.FILE_ATTRIBUTE_REPARSE_POINT)
    assert archives._leads_elsewhere(found)  # type: ignore[arg-type]
    assert not archives._leads_elsewhere(SimpleNamespace(st_mode=stat.S_IFDIR))  # type: ignore[arg-type]


@pytest.mark.usefixtures("windows")
def test_limits_of_the_system_may_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The backstops do nothing there; the limits that the verifier keeps itself stay."""
    monkeypatch.setattr(process, "OWN_PROCESS", True)
    options._backstop_memory()
    options.backstop_time()


def test_a_disk_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new file is written all the same, and none is overwritten."""

    def refused(*_: object) -> None:
        raise OSError(1, "not permitted")

    monkeypatch.setattr(os, "link", refused)
    placing.place_new_file(tmp_path / "new", b"content")
    assert (tmp_path / "new").read_bytes() == b"content"
    with pytest.raises(FileExistsError):
        placing.place_new_file(tmp_path / "new", b"other")


def test_another_drive_has_no_way_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """`relpath` refuses there; reports then name files as they are in the bundle."""

    def refused(*_: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", refused)
    assert way_down(Path("bundle")) is None
