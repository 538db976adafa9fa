"""Flat rows of files as frames: files that are alike are stacked, and their names are fields too."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from sealtrace.binding.compounds import aligned_fields
from sealtrace.binding.files import Rows, Unread, belong_together, kind_of, stem_of
from sealtrace.binding.frames import Dimension, Numbers, ResultFrame
from sealtrace.binding.tally import Tally
from sealtrace.binding.written import named_parts
from sealtrace.paper.numbers import PrintedNumber, read_printed

MAX_VALUES = 400
"""Distinct values that a field may have and still select."""
_LONG = 160
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_ID = re.compile(r"(^|[^a-z])(id|idx|index|pmid|uid)s?$|[a-z]id$", re.IGNORECASE)
_WRITTEN = ("number", "plus-minus", "ratio", "interval")
"""Forms of numbers that a results file writes for readers; `2017 -> 2018` is a name."""
_BOUNDED = re.compile(r"[^()\[\]A-Za-z]*\d\s*[(\[](?:[^()\[\]A-Za-z]|\bto\b)+[)\]]")
"""A number with its interval, its deviation or its share behind it: `0.61 (0.52, 0.70)`."""
_MOST_NAMED = 60
"""Different names of numbers within the texts of one column."""
_KEY = re.compile(r"key\d+")
_WORDS_OF_TRUTH = {"true": 1.0, "false": 0.0}
_DIGITS = re.compile(r"\d+")
_BOUNDS = "<>≤≥"
_NOTHING = ("", "nan", "none", "null", "na", "n/a", "-", "inf", "-inf")


def frames_of(tables: list[Rows], tally: Tally | None = None, unread: Sequence[Unread] = ()) -> list[ResultFrame]:
    """Frames of all tables, the small ones first where there is not time for all.

    Of files that belong together all are compared with a paper or none: a mean over some of them is another number.
    """
    tally = tally or Tally()
    groups = _alike(tables, tally)
    placed = {id(rows) for group in groups for rows in group}
    late = [
        Unread(table.file, kind_of(Path(table.file)), "", frozenset(table.columns))
        for table in tables
        if id(table) not in placed
    ]
    groups = _whole(groups, [*unread, *late], tally)
    sizes = [sum(len(rows) * len(rows.columns) for rows in group) for group in groups]
    found: dict[int, ResultFrame | None] = {}
    for place in sorted(range(len(groups)), key=sizes.__getitem__):
        if tally.late():
            break
        found[place] = stacked(groups[place])
    left = [one.file for one in late]
    left += [rows.file for place, group in enumerate(groups) if place not in found for rows in group]
    if left:
        tally.untried.append(f"what {left[0]} and {len(set(left)) - 1} more files hold")
    return [frame for _, frame in sorted(found.items()) if frame is not None]


def _whole(groups: list[list[Rows]], unread: Sequence[Unread], tally: Tally) -> list[list[Rows]]:
    """The groups that no file is missing from; the others are said."""
    nearby: dict[tuple[str, str], list[Unread]] = {}
    for one in (one for one in unread if one.missed):
        directory, _, name = one.file.rpartition("/")
        for place in (directory, f"*/{name}"):
            nearby.setdefault((place, one.kind), []).append(one)
    kept = []
    for group in groups if nearby else ():
        files = sorted({rows.file for rows in group})
        places = {place for file in files for place in (file.rpartition("/")[0], f"*/{file.rpartition('/')[2]}")}
        kind = kind_of(Path(files[0]))
        near = {one.file: one for place in places for one in nearby.get((place, kind), ())}
        missing = [one for one in near.values() if _belongs(one, group[0], files)]
        if not missing:
            kept.append(group)
            continue
        others = f"{missing[0].file}{f' and {len(missing) - 1} more' if len(missing) > 1 else ''}"
        told = f"{pattern(files)}: not compared, because {others} of the same kind could not be read"
        if told not in tally.partial:
            tally.partial.append(told)
    return kept if nearby else groups


def _belongs(one: Unread, table: Rows, files: list[str]) -> bool:
    """Whether a file that was not read, and lies beside others or is called like them, would be one of their group."""
    if one.columns:
        own = {name for name in table.columns if not _KEY.fullmatch(name)}
        return 2 * len(own & one.columns) >= len(own) > 0
    # Of a file that shows nothing, only its name is known: beside a single one it belongs there by number.
    return len(files) > 1 or _DIGITS.sub("#", one.file) == _DIGITS.sub("#", files[0])


def _alike(tables: list[Rows], tally: Tally) -> list[list[Rows]]:
    """Tables that belong together.

    Where every file has columns of its own all are compared with all, and half of the time is left for their rows.
    """
    end = (time.process_time() + tally.deadline) / 2
    kinds: dict[tuple[bool, int], list[Rows]] = {}
    for table in tables:
        kinds.setdefault((table.nested, table.depth), []).append(table)
    groups: dict[tuple[bool, int], list[tuple[frozenset[str], str, list[Rows]]]] = {}
    # What there is little of first.
    for kind, alike in sorted(kinds.items(), key=lambda item: len(item[1])):
        for table in alike:
            if time.process_time() > end:
                break
            names = frozenset(table.columns)
            directory = table.file.rpartition("/")[0]
            for known, where, members in groups.setdefault(kind, []):
                if members[-1].file == table.file:
                    continue
                if belong_together(names, directory, known, where):
                    members.append(table)
                    break
            else:
                groups[kind].append((names, directory, [table]))
    order = {id(table): place for place, table in enumerate(tables)}
    found = [members for kind in groups.values() for _, _, members in kind]
    return sorted(found, key=lambda members: order[id(members[0])])


def stacked(tables: list[Rows]) -> ResultFrame | None:
    """Tables that are alike, one below the other; None where nothing is measured and nothing selects."""
    names = dict.fromkeys(name for table in tables for name in table.columns)
    lengths = [len(table) for table in tables]
    rows = sum(lengths)
    dimensions: list[Dimension] = []
    measures: dict[str, Numbers] = {}
    read: dict[str, list[object]] = {}
    for name in names:
        column: list[object] = []
        read[name] = column
        for table in tables:
            column.extend(table.columns.get(name, [None] * len(table)))
        selecting, measured = _placed(name, column, rows)
        dimensions += selecting
        measures |= measured
    files = [table.file for table in tables]
    if len(tables) > 1:
        for name, values in file_fields(files).items():
            texts = [value for value, length in zip(values, lengths, strict=True) for _ in range(length)]
            dimensions.append(Dimension.of(name, texts))
    if not measures and not dimensions:
        return None
    matrix = np.column_stack([*measures.values()]) if measures else np.zeros((rows, 0))
    places = [place for table in tables for place in table.places]
    inherited = frozenset.intersection(*(table.inherited for table in tables))
    return ResultFrame(
        pattern(files), files, dimensions, list(measures), matrix, places, depth=tables[0].depth, inherited=inherited,
        read=read,
    )  # fmt: skip


def _placed(name: str, column: list[object], rows: int) -> tuple[list[Dimension], dict[str, Numbers]]:
    """What a column is: a number is measured, a text selects, a small whole number does both."""
    key = _KEY.fullmatch(name) is not None
    found, words = (None, {}) if key else _numeric(column, name)
    if found is not None and _identifies(name, found):
        return [], {}
    if found is not None:
        telling = _selects(found, rows)
        texts = [f"{number:.12g}" if telling and np.isfinite(number) else "" for number in found]
        for row, word in words.items():
            texts[row] = word
        return [Dimension.of(name, texts)] if telling or words else [], {name: found}
    parts = {} if key else {f"{name}{label}": values for label, values in _compound(column).items()}
    if parts and not all(_selects(values, rows) for values in parts.values()):
        return [], parts
    whole = _dimension(name, column)
    if not 0 < len(whole.values) <= MAX_VALUES or max(map(len, whole.values[:200])) > _LONG:
        return [], parts
    return selecting_parts(whole), parts


def selecting_parts(whole: Dimension) -> list[Dimension]:
    """A field of texts, and those that its compound names hold."""
    pieces = aligned_fields(whole.values) if len(whole.values) > 2 else {}
    inner = [Dimension.of(f"{whole.name}/{part}", texts).at(whole.codes) for part, texts in pieces.items()]
    return [whole, *(dimension for dimension in inner if 1 < len(dimension.values) < len(whole.values))]


def _selects(values: Numbers, rows: int) -> bool:
    """Whether numbers could be settings of rows: a few whole ones, or a few that are written with three digits."""
    distinct = np.unique(values[np.isfinite(values)])
    if not 1 < len(distinct) <= 60 or np.abs(distinct).max() >= 1e9 or (len(distinct) >= rows > 60):
        return False
    return bool(np.all(distinct == np.round(distinct))) or all(float(f"{number:.3g}") == number for number in distinct)


def _dimension(name: str, column: list[object]) -> Dimension:
    """A column of texts as a field, spaces aside; Arrow finds the distinct ones."""
    import pyarrow as pa

    try:
        array = pa.array(column, pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        array = pa.array([None if value is None else str(value) for value in column], pa.string())
    encoded = array.dictionary_encode()
    distinct = [" ".join(text.split()) for text in encoded.dictionary.to_pylist()]
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return Dimension.of(name, distinct).at(codes)


def _identifies(name: str, values: Numbers) -> bool:
    """Whether whole numbers only tell examples apart."""
    known = values[np.isfinite(values)]
    whole = len(known) > 50 and bool(np.all(known == np.round(known)))
    return whole and _ID.search(name) is not None and len(np.unique(known)) > 0.05 * len(known)


def _numeric(column: list[object], name: str) -> tuple[Numbers | None, dict[int, str]]:
    """The column as numbers, where it is one, and the texts that stand in place of some (`OOM`), by their rows.

    A file that was written in several goes has its header in between, `R@1` as well, which is no text of the column.
    """
    if isinstance(next((text for text in column if text is not None), ""), (int, float)):
        plain = _plain_numbers(column)
        if plain is not None:
            return plain, {}
    values = np.full(len(column), np.nan)
    texts: dict[int, str] = {}
    good = 0
    for row, text in enumerate(column):
        if isinstance(text, str) and not _PLAIN.fullmatch(text := text.strip()):
            if text.lower() in _NOTHING or text == name or name.endswith(f" {text}"):
                continue
            if text.lower() not in _WORDS_OF_TRUTH:
                texts[row] = " ".join(text.split())
                if len(texts) > 20 and len(texts) > good:
                    return None, {}
                continue
            text = _WORDS_OF_TRUTH[text.lower()]
        elif not isinstance(text, (str, int, float)):
            if text is None:
                continue
            return None, {}
        with suppress(OverflowError):
            values[row] = float(text)
        good += 1
    return (values, texts) if _stand_for_numbers(list(texts.values()), good) else (None, {})


def number_of(text: str, *, commas: bool = False) -> float:
    """A text as a number; NaN where it is none."""
    plain = text.strip()
    if commas and "," in plain:
        plain = plain.replace(".", "").replace(",", ".")
    return float(plain) if _PLAIN.fullmatch(plain) else _WORDS_OF_TRUTH.get(plain.lower(), np.nan)


def _stand_for_numbers(texts: list[str], numbers: int) -> bool:
    """Whether texts stand where a number could not be given, so that each costs its own cell only.

    Names repeat or count on as rows go on (`3a`, `3b`); reasons for a missing number are few, and hold no number but a
    bound.
    """
    if len(texts) <= 0.02 * numbers:
        return numbers > 0
    distinct = set(texts)
    few = len(texts) < numbers and len(distinct) ** 2 < len(texts) + numbers
    return few and all(text[0] in _BOUNDS or not any(map(str.isdigit, text)) for text in distinct)


def _plain_numbers(column: list[object]) -> Numbers | None:
    """Numbers that need no reading."""
    import pyarrow as pa

    try:
        array = pa.array(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type) or pa.types.is_boolean(array.type)):
        return None
    values: Numbers = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.where(np.isfinite(values), values, np.nan)


def _compound(column: list[object]) -> dict[str, Numbers]:
    """Numbers of a column that was written for readers: `0.61 (0.52, 0.70)` has three, `0.65 +/- 0.05` and `1/3` two,
    `12.5%` and `61.2 (up 3)` one."""
    first = [str(value) for value in column if value not in (None, "")][:3]
    if not any(map(str.isdigit, "".join(first))) or len(column) > 5000:
        return {}
    texts = [str(value).strip().replace("+/-", "±") if value not in (None, "") else "" for value in column]
    written = [_written(text) or _written(text.partition("(")[0].strip()) for text in texts]
    if not any(written):
        return _by_name(texts)
    others = [text for text, parts in zip(texts, written, strict=True) if text and not parts]
    if not _stand_for_numbers(others, sum(map(bool, written))):
        return {}
    found = {}
    for part in range(max(map(len, written))):
        values = [float(parts[part].value) if len(parts) > part else np.nan for parts in written]
        found["" if part == 0 else f" ({part + 1})"] = np.array(values)
    return found


def _written(text: str) -> tuple[PrintedNumber, ...]:
    """The numbers of a text that is nothing else."""
    form = read_printed(text) if text else None
    if form is None or not (form.form in _WRITTEN or (form.form == "compound" and _BOUNDED.fullmatch(text))):
        return ()
    return form.parts


def _by_name(texts: list[str]) -> dict[str, Numbers]:
    """Numbers that texts name, most of them at least: `F1=61.7 (n=300)` has two."""
    said = [named_parts(text) for text in texts]
    named = [{name: value for name, value in own.items() if isinstance(value, float)} for own in said]
    names = dict.fromkeys(name for own in named for name in own)
    if not 0 < len(names) <= _MOST_NAMED or 2 * sum(map(bool, named)) < sum(map(bool, texts)):
        return {}
    return {f" {name}": np.array([own.get(name, np.nan) for own in named]) for name in names}


def file_fields(files: list[str]) -> dict[str, list[str]]:
    """Fields that file names hold: directories by level from the file, pieces of names, and the whole."""
    fields: dict[str, list[str]] = {}
    parts = [file.split("/") for file in files]
    stems = [stem_of(way[-1]) for way in parts]
    deepest = max(map(len, parts))
    for level in range(2, deepest + 1):
        column = [way[-level] if len(way) >= level else "" for way in parts]
        if len(set(column)) > 1:
            fields[f"directory{level - 1}"] = [directory or "." for directory in column]
    if len(set(stems)) > 1:
        fields["file"] = stems
        fields |= {f"file/{name}": values for name, values in aligned_fields(stems).items()}
    return fields


def pattern(files: list[str]) -> str:
    """One name for several files: what they share, with a star between."""
    if len(files) == 1:
        return files[0]
    first = files[0]
    before = 0
    while all(len(file) > before and file[before] == first[before] for file in files):
        before += 1
    after = 0
    shortest = min(map(len, files)) - before
    while after < shortest and all(file[-1 - after] == first[-1 - after] for file in files):
        after += 1
    return f"{first[:before]}*{first[len(first) - after :]} ({len(files)} files)"
