"""Fonts of a PDF whose map to characters disagrees with the names of their glyphs.

What is copied from a page is what the font's ToUnicode map says; what is seen is the glyph. Simple fonts name their
glyphs, in /Differences or in the font program itself, so that a map that reads the glyph `eight` as 3 can be told.
The objects are found by their form, without the cross-reference table: a damaged or a hostile file may hide a font
from this search, but not make it say more than the file holds.
"""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Iterator

_OBJECT = re.compile(rb"(?<!\d)(\d{1,7})\s+\d{1,5}\s+obj\b(.*?)\bendobj", re.DOTALL)
_STREAM = re.compile(rb"(.*?)\bstream\r?\n(.*?)\r?\n?endstream", re.DOTALL)
_REFERENCE = rb"\s+(\d{1,7})\s+\d{1,5}\s+R"
_DIFFERENCES = re.compile(rb"/Differences\s*\[(.*?)\]", re.DOTALL)
_DIFFERENT = re.compile(rb"(\d{1,3})|/([^\s/\[\]<>()]+)")
_OF_PROGRAM = re.compile(rb"dup\s+(\d{1,3})\s*/([^\s/\[\]<>()]+)\s+put")
_RANGES = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)
_RANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(<[0-9A-Fa-f]+>|\[[^\]]*\])")
_PAIR = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f\s]+)>")
_DIGITS = (b"zero", b"one", b"two", b"three", b"four", b"five", b"six", b"seven", b"eight", b"nine")
_NAMES = {
    **{name: str(digit) for digit, name in enumerate(_DIGITS)},
    b"period": ".",
    b"comma": ",",
    b"minus": "-",
    b"hyphen": "-",
    b"plus": "+",
    b"percent": "%",
    **{letter.encode(): letter for letter in string.ascii_letters},
}
"""Glyphs that numbers and labels are made of."""
_ALIKE = str.maketrans("−‐‑–\u00ad", "-----")
MOST_BYTES = 2**26
"""Of all streams together, unpacked."""


def misread_fonts(data: bytes) -> frozenset[str]:
    """The names of fonts, as pages give them, that are read as other characters than their glyphs are called."""
    objects = _objects(data)
    found = set()
    for body in objects.values():
        mapped = _stream_of(objects, body, rb"/ToUnicode")
        named = re.search(rb"/BaseFont\s*/([^\s/\[\]<>()]+)", body)
        if mapped is None or named is None:
            continue
        read = dict(_read_as(mapped))
        names = dict(_names_of(objects, body))
        if any(
            (due := _NAMES.get(name)) is not None and code in read and not _same(read[code], due)
            for code, name in names.items()
        ):
            found.add(named[1].decode("ascii", "replace"))
    return frozenset(found)


def _same(read: str, due: str) -> bool:
    return read.translate(_ALIKE) == due.translate(_ALIKE)


def _objects(data: bytes) -> dict[bytes, bytes]:
    """The objects of a file by number, those of object streams included; the last of a number counts."""
    found: dict[bytes, bytes] = {}
    left = MOST_BYTES
    for match in _OBJECT.finditer(data):
        found[match[1]] = match[2]
        if b"/ObjStm" not in match[2][:400]:
            continue
        head, unpacked = match[2][:400], _unpacked(match[2], left)
        first = re.search(rb"/First\s+(\d+)", head)
        left -= len(unpacked)
        if first is None:
            continue
        start = int(first[1])
        places = [int(number) for number in unpacked[:start].split() if number.isdigit()]
        pairs = list(zip(places[::2], places[1::2], strict=False))
        ends = [*(place for _, place in pairs[1:]), len(unpacked) - start]
        for (number, place), end in zip(pairs, ends, strict=True):
            found[str(number).encode()] = unpacked[start + place : start + end]
    return found


def _unpacked(body: bytes, most: int = MOST_BYTES) -> bytes:
    """What a stream holds; nothing where it is packed otherwise than by deflation."""
    match = _STREAM.match(body)
    if match is None:
        return b""
    if b"/FlateDecode" not in match[1]:
        return match[2]
    try:
        return zlib.decompressobj().decompress(match[2], max(most, 1))
    except zlib.error:
        return b""


def _referred(objects: dict[bytes, bytes], body: bytes, key: bytes) -> bytes | None:
    match = re.search(key + _REFERENCE, body)
    return None if match is None else objects.get(match[1])


def _stream_of(objects: dict[bytes, bytes], body: bytes, key: bytes) -> bytes | None:
    referred = _referred(objects, body, key)
    return None if referred is None else _unpacked(referred)


def _read_as(text: bytes) -> Iterator[tuple[int, str]]:
    """The characters that a ToUnicode map gives to codes."""
    for kind, inner in _RANGES.findall(text):
        if kind == b"char":
            for code, given in _PAIR.findall(inner):
                yield int(code, 16), _text(given)
            continue
        for low, high, given in _RANGE.findall(inner):
            start, count = int(low, 16), min(int(high, 16) - int(low, 16) + 1, 65536)
            if given.startswith(b"["):
                for at, one in enumerate(re.findall(rb"<([0-9A-Fa-f]+)>", given)[: max(count, 0)]):
                    yield start + at, _text(one)
                continue
            first = _text(given[1:-1])
            for at in range(max(count, 0)):
                if first and ord(first[-1]) + at < 0x110000:
                    yield start + at, first[:-1] + chr(ord(first[-1]) + at)


def _text(digits: bytes) -> str:
    plain = b"".join(digits.split())
    return bytes.fromhex(plain.decode("ascii").zfill(len(plain) + len(plain) % 2)).decode("utf-16-be", "replace")


def _names_of(objects: dict[bytes, bytes], font: bytes) -> Iterator[tuple[int, bytes]]:
    """The names of the glyphs behind a simple font's codes: those of the PDF, or of the font program without any."""
    listed = _DIFFERENCES.findall(_referred(objects, font, rb"/Encoding") or font)
    for part in listed:
        code = 0
        for number, name in _DIFFERENT.findall(part):
            if number:
                code = int(number)
            else:
                yield code, name
                code += 1
    descriptor = _referred(objects, font, rb"/FontDescriptor")
    if not listed and b"/Encoding" not in font and descriptor is not None:
        program = _stream_of(objects, descriptor, rb"/FontFile") or b""
        yield from ((int(code), name) for code, name in _OF_PROGRAM.findall(program) if int(code) < 256)
