"""Files of claims: JSON, JSON lines, and a short text form.

    # a comment
    claim share
      at s19 "Of the 48,200 records, 3,133 (5.0 %) were removed"
      reads #5.0% == 100 * #3,133 / #48,200
      also s20 "words of another passage"
      set models = tab:main[*, F1]; tab:more[*, F1] "all models"
      constant level = 0.05 definition "the usual level"
      assumes what the paper states nowhere
      says  the claim in other words

A line that is indented further than the lines of its claim continues the one above. A file that does not fit is
refused as a whole, with its line and field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sealtrace.bundle.defects import BundleError, nearest
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.claims import Claims, StatedClaim

MAX_BYTES = 8_000_000
MAX_CLAIMS = 5000
_WANTED = {"dict_type": "an object", "model_type": "an object", "list_type": "a list", "string_type": "a text"}
"""What a field has to be, by what the model says of one that is something else."""
_KEYS = ("at", "reads", "also", "set", "constant", "assumes", "says")
_QUOTED = re.compile(r'(?:(?:"(?P<label>[^"]+)"|(?P<at>(?:[^"“]*?[^"“\s])??))\s++)?["“](?P<quote>.*)["”]', re.DOTALL)
"""A passage: where it stands, which is quoted where it is a label such as "table 1", and its words."""
_SET = re.compile(r'(?P<name>\w+)\s*=\s*+(?P<cells>(?:.*?\S)??)\s*+["“](?P<words>[^"”]*)["”]\s*', re.DOTALL)
_CONSTANT = re.compile(r'(?P<name>\w+)\s*=\s*(?P<value>\S+)\s+(?P<kind>\w+)\s+["“](?P<because>.*)["”]', re.DOTALL)


@dataclass(frozen=True)
class Written:
    """A claim, and where it is written."""

    claim: StatedClaim
    source: str
    line: int
    number: int

    @property
    def name(self) -> str:
        """What it is called."""
        return self.claim.id or f"claim {self.number}"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.source}:{self.line}"


def read_claims(path: Path) -> list[Written]:
    """The claims of a file; `BundleError` with file, line and field where it does not fit."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BundleError(f"{path}: more than {MAX_BYTES} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BundleError(f"{path}: not UTF-8 (byte {error.start + 1})") from None
    except (OSError, ValueError) as error:
        raise BundleError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return claims_in(text, path.as_posix())


def claims_in(text: str, source: str) -> list[Written]:
    """The claims of a text, in whichever of the three forms it is."""
    first = text.lstrip()[:1]
    if first not in ("{", "["):
        records = list(_short(text, source))
    elif first == "[" or _is_document(text):
        records = list(_document(text, source))
    else:
        records = list(_lines(text, source))
    if not records:
        raise BundleError(f"{source}:1: holds no claim")
    if len(records) > MAX_CLAIMS:
        raise BundleError(f"{source}: {len(records)} claims; {MAX_CLAIMS} are allowed")
    found = [Written(_valid(record, source, line), source, line, number)
             for number, (line, record) in enumerate(records, 1)]  # fmt: skip
    names: dict[str, Written] = {}
    for written in found:
        if (other := names.setdefault(written.name, written)) is not written:
            raise BundleError(
                f"{written.place}: id: a second claim named {written.name!r}; the first is on line {other.line}"
            )
    return found


def _valid(record: object, source: str, line: int) -> StatedClaim:
    try:
        return StatedClaim.model_validate(record)
    except ValidationError as error:
        wrong = error.errors()[0]
        field = "/".join(map(str, wrong["loc"])) or "claim"
        hint = (
            nearest(str(wrong["loc"][-1]), list(StatedClaim.model_fields)) if wrong["type"] == "extra_forbidden" else ""
        )
        needed = _WANTED.get(wrong["type"])
        told = f"{needed} is needed" if needed else f"{wrong['msg']}{hint}"
        raise BundleError(f"{source}:{line}: {field}: {told}") from None


def _is_document(text: str) -> bool:
    """Whether a text that begins with a brace is one document rather than a line for each claim."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # A claim has a quotation; a document has claims, and may be written on many lines.
    if len(lines) == 1:
        return '"quote"' not in text or '"claims"' in text.partition('"quote"')[0]
    return not all(line.startswith("{") and line.endswith("}") for line in lines)


def _document(text: str, source: str) -> Iterator[tuple[int, object]]:
    value = _json(text, source, 1)
    claims = value if isinstance(value, list) else value.get("claims")
    strange = [] if isinstance(value, list) else [name for name in value if name not in Claims.model_fields]
    if strange or not isinstance(claims, list):
        field = strange[0] if strange else "claims"
        what = "is not known" if strange else "a list of claims is needed"
        line = text.count("\n", 0, max(0, text.find(f'"{field}"'))) + 1
        raise BundleError(f"{source}:{line}: {field}: {what}{nearest(field, Claims.model_fields)}")
    at = 0
    for record in claims:
        # Strict JSON has no lines for its values; the quotation is the longest text of a claim, and usually its own.
        said = record.get("quote") if isinstance(record, dict) else None
        found = text.find(json.dumps(said, ensure_ascii=False), at) if isinstance(said, str) else -1
        at = max(found, at)
        yield text.count("\n", 0, at) + 1, record


def _lines(text: str, source: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, _json(line, source, number)


def _json(text: str, source: str, line: int) -> Any:
    try:
        return parse(text.encode())
    except StrictJSONError as error:
        where = re.search(r"line (\d+)", str(error))
        at = line + int(where.group(1)) - 1 if where else line
        raise BundleError(f"{source}:{at}: {error}") from None


# The short form


def _short(text: str, source: str) -> Iterator[tuple[int, object]]:
    record: dict[str, object] | None = None
    start, inner = 0, None
    passages: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), "claim"], 1):
        stripped = line.strip()
        if not stripped or (stripped.startswith("#") and not line[0].isspace()):
            continue
        if not line[0].isspace():
            if record is not None:
                for at, passage in passages:
                    _key(record, passage, source, at)
                yield start, record
            word, _, name = stripped.partition(" ")
            if word != "claim":
                raise BundleError(
                    f"{source}:{number}: {word[:40]!r} starts nothing here; a claim begins with `claim NAME`"
                )
            record, start, inner, passages = ({"id": name.strip()} if name.strip() else {}), number, None, []
            continue
        if record is None:
            raise BundleError(f"{source}:{number}: an indented line outside a claim")
        indent = len(line) - len(line.lstrip())
        inner = indent if inner is None else inner
        if indent <= inner:
            passages.append((number, stripped))
        else:
            at, before = passages[-1]
            passages[-1] = at, f"{before} {stripped}"


def _key(record: dict[str, Any], passage: str, source: str, line: int) -> None:
    word, _, rest = passage.partition(" ")
    rest = rest.strip()
    takers: dict[str, Callable[[dict[str, object], str], bool]] = {
        "at": _take_at, "also": _take_also, "set": _take_set, "constant": _take_constant,
    }  # fmt: skip
    if word == "reads":
        record.setdefault("readings", []).append(rest)
    elif word == "assumes":
        record.setdefault("assumes", []).append(rest)
    elif word == "says":
        record["says"] = rest
    elif word not in takers:
        raise BundleError(f"{source}:{line}: {word[:40]}: no line of a claim{nearest(word, _KEYS)}")
    elif not takers[word](record, rest):
        forms = {
            "at": 'at SENTENCE "words"',
            "also": 'also SENTENCE "words"',
            "set": 'set NAME = CELLS "words"',
            "constant": 'constant NAME = VALUE KIND "what says so"',
        }
        raise BundleError(f"{source}:{line}: {word}: expected: {forms[word]}")


def _take_at(record: dict[str, object], rest: str) -> bool:
    if found := _QUOTED.fullmatch(rest):
        record |= _quotation(found)
    return found is not None


def _take_also(record: dict[str, Any], rest: str) -> bool:
    if found := _QUOTED.fullmatch(rest):
        record.setdefault("also", []).append(_quotation(found))
    return found is not None


def _quotation(found: re.Match[str]) -> dict[str, str]:
    at = found["label"] or found["at"]
    return {"quote": found["quote"], **({"at": at} if at else {})}


def _take_set(record: dict[str, Any], rest: str) -> bool:
    if found := _SET.fullmatch(rest):
        cells = [cell.strip() for cell in re.split(r";\s*(?![^\[]*\])", found["cells"]) if cell.strip()]
        record.setdefault("sets", {})[found["name"]] = {"cells": cells, "words": found["words"]}
    return found is not None


def _take_constant(record: dict[str, Any], rest: str) -> bool:
    if found := _CONSTANT.fullmatch(rest):
        record.setdefault("constants", {})[found["name"]] = {
            "value": found["value"], "kind": found["kind"], "because": found["because"]
        }  # fmt: skip
    return found is not None
