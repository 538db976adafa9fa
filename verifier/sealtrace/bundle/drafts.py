"""Drafts: what is not sealed yet, or not any more. One is sealed elsewhere, for the length of an examination."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sealtrace.bundle.defects import BundleError, refusing
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.identity import MANIFEST, SEALS, SUMS, seal_path
from sealtrace.bundle.sealing import ALL, SealError, seal
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.kinds import STAGES

REASON = "A draft: nothing is said of this stage yet."


def reasons_of(directory: Path) -> dict[str, str]:
    """The reasons of the stages that were sealed empty, as far as seals can be read."""
    reasons = {}
    for path in sorted((directory / SEALS).glob("*.json")):
        try:
            document = parse(path.read_bytes())
        except (StrictJSONError, OSError):
            continue
        if isinstance(document, dict) and not misfits_of("seal", document) and document.get("empty_reason"):
            reasons[document["stage"]] = document["empty_reason"]
    return reasons


def unseal(directory: Path) -> None:
    """Removes seals, manifest and sums: what was sealed is a draft again."""
    with refusing(directory, SealError):
        for path in [*(directory / seal_path(stage) for stage in STAGES), directory / MANIFEST, directory / SUMS]:
            path.unlink(missing_ok=True)


@contextmanager
def draft_bundle(directory: Path, changed: dict[str, bytes] | None = None) -> Iterator[Path]:
    """The directory's files, with some of them changed, as a bundle of its own that is gone afterwards.

    Records that their schema refuses are sealed as well: what is wrong with them is for the examination to say.
    """
    if not directory.is_dir():
        raise BundleError(f"{directory}: a draft is a directory")
    with tempfile.TemporaryDirectory(prefix="sealtrace-draft-") as work:
        copy = Path(work) / "draft"
        with refusing(directory):
            _copied(directory, copy)
        for path, data in (changed or {}).items():
            place = copy / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            place.write_bytes(data)
        filled = {place.name for place in copy.iterdir() if any(place.rglob("*"))}
        reasons = {stage: reason for stage, reason in reasons_of(directory).items() if stage not in filled}
        seal(copy, empty={**reasons, ALL: REASON}, lenient=True)
        yield copy


def _copied(source: Path, target: Path) -> None:
    """A tree of the same files, by other names where the file system allows that; links stay links."""
    for place, directories, files in os.walk(source):
        here = Path(place)
        inside = target / here.relative_to(source)
        inside.mkdir(parents=True)
        if here == source:
            directories[:] = [name for name in directories if name != SEALS]
            files = [name for name in files if name not in (MANIFEST, SUMS)]
        for name in [*files, *(name for name in directories if (here / name).is_symlink())]:
            try:
                os.link(here / name, inside / name, follow_symlinks=False)
            except (OSError, NotImplementedError):  # another disk; a system that cannot name a link itself
                shutil.copy2(here / name, inside / name, follow_symlinks=False)
