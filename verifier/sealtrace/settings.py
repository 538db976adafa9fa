"""Settings of a project: `sealtrace.toml`, or `[tool.sealtrace]` in `pyproject.toml`, here or in a directory above.

Options of commands, waivers, and queries over records that must return no rows: `docs/in-your-project.md` shows each.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealtrace.bundle.budget import Asked
from sealtrace.bundle.defects import BundleError, nearest, real_path

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from sealtrace.contract.waivers import Waiver

MOST_DOTS = 500
MOST_BYTES = 2**20
OWN, SHARED = "sealtrace.toml", "pyproject.toml"
OTHERS = ("waivers", "must-be-empty")
"""Sections that hold no options of a command."""
SETTABLE = (
    "all", "beside", "bundle", "bundles", "check", "every-row", "format", "jobs", "paper", "papers", "quiet",
    "relations", "reported", "results", "root", "skip", "strict", "table", "verbose", "width",
)  # fmt: skip
"""Options that settings may say. Settings may come with what is judged, so that whatever excuses findings, is trusted,
writes, connects or raises a limit is typed by whoever wants it: `--allow-waived`, `--tsa-root`, `--output`, ... So is
what the reader demands (`--expect-root`, `--require-signature`): a demand of the author's own says nothing. Paths lead
to nothing outside the directory of the settings."""


@dataclass(frozen=True)
class Settings:
    """What a project's file says; nothing where there is none."""

    path: Path | None = None
    waivers: list[Waiver] = field(default_factory=list)
    must_be_empty: dict[str, str] = field(default_factory=dict)
    commands: dict[str, dict[str, object]] = field(default_factory=dict)

    def examining(self, bundle: Path | None, asked: Asked | None = None) -> dict[str, Any]:
        """What they add to the examination of a bundle; `BundleError` where they lie in it: none judges itself."""
        if self.path is not None and bundle is not None and real_path(self.path).is_relative_to(real_path(bundle)):
            raise BundleError(f"{self.path}: inside the bundle, which cannot say how it is judged; start elsewhere")
        queries = tuple(self.must_be_empty.items())
        return {"asked": replace(asked or Asked(), must_be_empty=queries), "waivers": self.waivers}


def read_settings(start: Path | None = None) -> Settings:
    """The settings that hold in a directory; `BundleError` where they cannot be read."""
    for directory in (here := real_path(start or Path.cwd()), *here.parents):
        for name in (OWN, SHARED):
            if (directory / name).is_file() and (found := _read(directory / name)) is not None:
                return found
        # Settings that cannot be read may demand something: to pass over them would be to pass over that.
        if os.path.lexists(own := directory / OWN) and not own.is_file():
            raise BundleError(f"{own}: no ordinary file; remove it, or write the settings there")
        if (directory / ".git").exists():
            break
    return Settings()


def _read(path: Path) -> Settings | None:
    import tomllib

    try:
        if path.stat().st_size > MOST_BYTES:
            raise BundleError(f"{path}: more than {MOST_BYTES} bytes, which no settings have")
        text = path.read_text(encoding="utf-8")
        # The parser takes time with the square of the parts of a key, and a file of 100 kB can be one key.
        if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
            raise BundleError(f"{path}: cannot be read as TOML (a line has more than {MOST_DOTS} dots)")
        said = tomllib.loads(text)
    except RecursionError:
        raise BundleError(f"{path}: cannot be read as TOML (it is nested too deeply)") from None
    except (OSError, ValueError) as error:
        raise BundleError(f"{path}: cannot be read as TOML ({error})") from None
    if path.name == SHARED:
        tools = said.get("tool", {})
        if not isinstance(tools, dict) or "sealtrace" not in tools:
            return None
        said = tools["sealtrace"]
        if not isinstance(said, dict):
            raise BundleError(f"{path}: tool.sealtrace is a table of settings")
    queries = said.get("must-be-empty", {})
    if not isinstance(queries, dict) or not all(isinstance(query, str) for query in queries.values()):
        raise BundleError(f"{path}: must-be-empty is a table of names and queries")
    commands = {name: table for name, table in said.items() if name not in OTHERS}
    return Settings(path, _waivers(path, said.get("waivers", [])), queries, commands)


_WAIVER_KINDS = {"date": "no date such as 2027-01-31", "string": "no text", "list": "no list of waivers"}


def _plainly(problem: ErrorDetails) -> str:
    """One thing that is wrong with the waivers, in the words of the file; the library's are about its own types."""
    number, *fields = problem["loc"] or (None,)
    place = f"waiver {number + 1}" if isinstance(number, int) else "waivers"
    name = ".".join(map(str, fields))
    kind = problem["type"]
    if kind == "missing":
        return f"{place}: {name} is missing"
    if kind == "extra_forbidden":
        return f"{place}: there is no {name}"
    wrong = next((said for begin, said in _WAIVER_KINDS.items() if kind.startswith(begin)), "not what it should be")
    return f"{place}: {name}{': ' if name else ''}{problem['input']!r} is {wrong}"


def _waivers(path: Path, given: object) -> list[Waiver]:
    from pydantic import TypeAdapter, ValidationError

    from sealtrace.checks.catalogue import BY_ID
    from sealtrace.contract.waivers import Waiver

    try:
        waivers = TypeAdapter(list[Waiver]).validate_python(given)
    except ValidationError as error:
        raise BundleError("\n".join(f"{path}: {_plainly(one)}" for one in error.errors())) from None
    for waiver in waivers:
        if waiver.check not in BY_ID:
            raise BundleError(f"{path}: no check has the id {waiver.check!r}{nearest(waiver.check, BY_ID)}")
    return waivers
