"""The process that opens PDFs: confined, one document in, its pages out as JSON, ended by its parent.

pdfium is given bytes that nobody vouches for, so a crash or a page without end must cost this process only. Each
character comes with its place, font and colour, and with what makes it doubtful that a reader sees it. That is not
deduced from the many ways to hide text: the page is drawn, with its text and without, and looked at.
"""

from __future__ import annotations

import ctypes
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pypdfium2 as pdfium
from pypdfium2 import raw

from sealtrace.bundle.child_process import allow_time, confine, own_output
from sealtrace.paper.pdf_fonts import misread_fonts

MEMORY = 2**31
"""Bytes that reading one PDF may take."""
MAX_PAGES = 300
MAX_CHARACTERS = 40_000
"""On one page; the densest pages of papers have a quarter of that."""
MAX_TOTAL = 2_000_000
"""In the document."""
MAX_OBJECTS = 100_000
"""On one page, those of its forms included."""
MAX_DEPTH = 8
"""Forms within forms."""
SCALE = 3.0
"""Pixels per point: a digit of the smallest print is ten of them high."""
_CONTRAST = 40
"""Of 255 steps of grey: how much a drawn character differs from the page without it. The light grey of set tables, a
fifth of black, differs by 51."""
# A page is drawn twice, with its text and without, and compared: several copies have to fit into the memory above.
MAX_PIXELS = 20_000_000
_THIN = 0.5
_SMALL = 20.0
"""Points that a rule of a table has at least, in one of its directions."""
_BESIDE = 10.0
"""Points between a character and what may be read with it."""
_BLANK = frozenset({0, 9, 10, 13, 32, 0xA0})

Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.int16]]
Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in points from the upper left corner of the page as it is shown."""


def serve() -> None:
    """Reads a document from standard input, and writes one line for each of its pages."""
    answers = own_output()
    seconds = float(sys.argv[1])
    confine(MEMORY)
    allow_time(seconds)
    until = time.process_time() + seconds
    data = sys.stdin.buffer.read()
    try:
        document = pdfium.PdfDocument(data)
        count = len(document)
    except (pdfium.PdfiumError, MemoryError):
        answers.write(json.dumps({"error": "damaged, locked by a password, or no PDF at all"}) + "\n")
        return
    misread = misread_fonts(data)
    left = MAX_TOTAL
    for number in range(min(count, MAX_PAGES)):
        if time.process_time() > until - 1 or left < 0:
            break
        try:
            page = _PageDescriber(document, number, misread).described()
        except (pdfium.PdfiumError, MemoryError, OverflowError) as error:
            page = {"error": f"the page cannot be read ({type(error).__name__})"}
        left -= len(page.get("characters", ()))
        answers.write(json.dumps(page) + "\n")
        answers.flush()
    answers.write(json.dumps({"pages": count}) + "\n")
    answers.flush()


class _PageDescriber:
    """One page: its characters, its rules, and whatever else is drawn on it."""

    def __init__(self, document: pdfium.PdfDocument, number: int, misread: frozenset[str]) -> None:
        self._page = document[number]
        self._misread = misread
        box = raw.FS_RECTF()
        raw.FPDF_GetPageBoundingBox(self._page.raw, box)
        self._bounds = box.left, box.bottom, box.right, box.top
        self._turns = raw.FPDFPage_GetRotation(self._page.raw)
        self._set: dict[int, tuple[str, str]] = {}
        self._texts: list[object] = []
        self.edges: list[Box] = []
        self.drawn: list[Box] = []
        """What is neither text nor rules nor areas of one colour: images, shadings, curves, annotations."""
        self._small: list[Box] = []
        """Rules and areas that are no larger than a character: a minus, a point or a stroke may be one."""
        self._count = 0

    @property
    def size(self) -> tuple[float, float]:
        left, bottom, right, top = self._bounds
        return (right - left, top - bottom) if self._turns % 2 == 0 else (top - bottom, right - left)

    def described(self) -> dict[str, Any]:
        for at in range(raw.FPDFPage_CountObjects(self._page.raw)):
            self._look_at(raw.FPDFPage_GetObject(self._page.raw, at), (1, 0, 0, 1, 0, 0), 0)
        characters = list(self._characters())
        self._see(characters)
        self.drawn += [*self._annotations(), *self._strokes([one["ink"] for one in characters])]
        size, turn = self.size, Counter(one["turned"] for one in characters).most_common(1)
        if turn and turn[0][0] in _UPRIGHT:
            # A table on its side is read as who reads it turns the page.
            upright = _UPRIGHT[turn[0][0]]
            for one in characters:
                one["box"] = upright(one["box"], *size)
            self.edges = [upright(box, *size) for box in self.edges]
            self.drawn = [upright(box, *size) for box in self.drawn]
            size = size[1], size[0]
        return {
            "size": size,
            "characters": [
                [one["text"], *(round(value, 2) for value in one["box"]), one["font"], one["doubt"]]
                for one in characters
            ],
            "rules": sorted(
                {(round(box[0], 1), round(box[2], 1), round(box[1], 1)) for box in self.edges if _flat(box)}
            ),
            "drawn": [[round(value, 1) for value in box] for box in self.drawn],
        }

    # Objects

    def _look_at(self, thing: object, around: Matrix, depth: int) -> None:
        self._count += 1
        if self._count > MAX_OBJECTS:
            raise MemoryError
        kind = raw.FPDFPageObj_GetType(thing)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            self._texts.append(thing)
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
            inner = _times(_matrix(thing), around)
            for at in range(raw.FPDFFormObj_CountObjects(thing)):
                self._look_at(raw.FPDFFormObj_GetObject(thing, at), inner, depth + 1)
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            self._path(thing, around)
        else:
            ends = [ctypes.c_float() for _ in range(4)]
            raw.FPDFPageObj_GetBounds(thing, *ends)
            left, bottom, right, top = (end.value for end in ends)
            self.drawn.append(self._shown(_mapped(left, bottom, around), _mapped(right, top, around)))

    def _path(self, path: object, around: Matrix) -> None:
        """The edges of a path; one with anything but horizontal and vertical edges is a drawing."""
        matrix = _times(_matrix(path), around)
        x, y = ctypes.c_float(), ctypes.c_float()
        points: list[Point] = []
        edges: list[tuple[Point, Point]] = []
        plain, start = True, 0
        segments = raw.FPDFPath_CountSegments(path)
        self._count += segments
        for at in range(segments if self._count <= MAX_OBJECTS else 0):
            segment = raw.FPDFPath_GetPathSegment(path, at)
            raw.FPDFPathSegment_GetPoint(segment, x, y)
            kind = raw.FPDFPathSegment_GetType(segment)
            here = _mapped(x.value, y.value, matrix)
            if kind == raw.FPDF_SEGMENT_MOVETO:
                start = len(points)
            elif kind == raw.FPDF_SEGMENT_LINETO and points:
                edges.append((points[-1], here))
            else:
                plain = False
            points.append(here)
            if raw.FPDFPathSegment_GetClose(segment):
                edges.append((here, points[start]))
        boxes = [self._shown(*edge) for edge in edges]
        self.edges += [box for box in boxes if _flat(box) or _upright(box)]
        if points:
            across, up = [point[0] for point in points], [point[1] for point in points]
            whole = self._shown((min(across), min(up)), (max(across), max(up)))
            if whole[2] - whole[0] < _SMALL and whole[3] - whole[1] < _SMALL:
                self._small.append(whole)
        if points and not (plain and all(_flat(box) or _upright(box) for box in boxes)):
            self.drawn.append(whole)

    def _annotations(self) -> Iterator[Box]:
        """The places of annotations, which viewers draw over the page: all but links that draw nothing themselves."""
        for at in range(raw.FPDFPage_GetAnnotCount(self._page.raw)):
            note = raw.FPDFPage_GetAnnot(self._page.raw, at)
            place = raw.FS_RECTF()
            try:
                plain = raw.FPDFAnnot_GetSubtype(note) in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
                drawn = raw.FPDFAnnot_GetAP(note, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > 2
                if (drawn or not plain) and raw.FPDFAnnot_GetRect(note, place):
                    yield self._shown((place.left, place.bottom), (place.right, place.top))
            finally:
                raw.FPDFPage_CloseAnnot(note)

    def _strokes(self, characters: list[Box]) -> Iterator[Box]:
        """Small rules beside characters, of their height or less: what is seen there is no character's doing."""
        for left, top, right, bottom in self._small:
            for x0, y0, x1, y1 in characters:
                near = left < x1 + _BESIDE and x0 - _BESIDE < right
                if near and y0 - _THIN < (top + bottom) / 2 < y1 + _THIN and bottom - top < 1.2 * (y1 - y0):
                    yield left, top, right, bottom
                    break

    def _shown(self, one: Point, other: Point) -> Box:
        """The box between two points, from the upper left corner of the page as it is shown."""
        left, bottom, right, top = self._bounds
        places = [(x - left, top - y) for x, y in (one, other)]
        for _ in range(self._turns):
            height = top - bottom
            places = [(height - y, x) for x, y in places]
            left, bottom, right, top = 0.0, 0.0, height, right - left
        (x0, y0), (x1, y1) = places
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    # Characters

    def _characters(self) -> Iterator[dict[str, Any]]:
        text = raw.FPDFText_LoadPage(self._page.raw)
        try:
            loose = raw.FS_RECTF()
            ends = [ctypes.c_double() for _ in range(4)]
            count = raw.FPDFText_CountChars(text)
            if count > MAX_CHARACTERS:
                raise MemoryError
            for at in range(count):
                code = raw.FPDFText_GetUnicode(text, at)
                if raw.FPDFText_IsGenerated(text, at) == 1 or code in _BLANK:
                    continue
                raw.FPDFText_GetLooseCharBox(text, at, loose)
                raw.FPDFText_GetCharBox(text, at, *ends)
                left, right, bottom, top = (end.value for end in ends)
                angle = raw.FPDFText_GetCharAngle(text, at)
                font, doubt = self._set_in(raw.FPDFText_GetTextObject(text, at))
                matrix = raw.FS_MATRIX()
                raw.FPDFText_GetMatrix(text, at, matrix)
                if matrix.a * matrix.d < matrix.b * matrix.c:
                    doubt = doubt or "mirrored"
                code = ord("-") if raw.FPDFText_IsHyphen(text, at) == 1 else code
                unknown = raw.FPDFText_HasUnicodeMapError(text, at) == 1
                # What is no character that can be printed.
                unknown |= not 32 < code < 0x110000 or 0xD800 <= code < 0xF900 or code in (0xFFFE, 0xFFFF)
                yield {
                    "text": "\ufffd" if unknown else chr(code),
                    "box": self._shown((loose.left, loose.bottom), (loose.right, loose.top)),
                    "ink": self._shown((left, bottom), (right, top)),
                    "turned": (round(angle / (math.pi / 2)) + self._turns) % 4 if angle >= 0 else 0,
                    "font": font,
                    "doubt": "no character is known for what is set" if unknown else doubt,
                }
        finally:
            raw.FPDFText_ClosePage(text)

    def _set_in(self, thing: Any) -> tuple[str, str]:
        """The name of a text's font, and what of the text lets its characters differ from what is seen."""
        if not thing:
            return "", ""
        key = ctypes.cast(thing, ctypes.c_void_p).value or 0
        if key not in self._set:
            font = raw.FPDFTextObj_GetFont(thing)
            name = ctypes.create_string_buffer(256)
            raw.FPDFFont_GetBaseFontName(font, name, 256)
            doubt = "" if name.value else "set in drawings (a Type 3 font)"
            if name.value.decode("ascii", "replace") in self._misread:
                doubt = "read as another character than its glyph is called (ToUnicode)"
            for at in range(raw.FPDFPageObj_CountMarks(thing)):
                if _has_actual_text(raw.FPDFPageObj_GetMark(thing, at)):
                    doubt = "the PDF itself says what it reads as (ActualText)"
            self._set[key] = name.value.decode("ascii", "replace"), doubt
        return self._set[key]

    def _see(self, characters: list[dict[str, Any]]) -> None:
        """Doubts each character without which the page looks the same: white, covered, clipped, off the page."""
        width, height = self.size
        scale = min(SCALE, math.sqrt(MAX_PIXELS / max(1.0, width * height)))
        drawn = self._drawn(scale)
        for thing in self._texts:
            raw.FPDFPageObj_SetIsActive(thing, False)
        bare = self._drawn(scale)
        change = np.abs(drawn - bare).max(axis=2)
        upright = Counter(one["turned"] for one in characters).most_common(1)
        for before, one, after in zip(characters, characters[1:], characters[2:], strict=False):
            # A point that stands higher than a quarter of its digits may be a sign of multiplication.
            foot, head = before["ink"][3], before["ink"][1]
            if one["text"] == "." and (before["text"] + after["text"]).isdecimal() and one["turned"] == 0:
                raised = foot - one["ink"][3] > (foot - head) / 4 and abs(foot - after["ink"][3]) < (foot - head) / 4
                one["doubt"] = one["doubt"] or ("raised above the line" if raised else "")
        for one in characters:
            left, top, right, bottom = (value * scale for value in one["ink"])
            seen = change[max(0, int(top)) : max(0, math.ceil(bottom)), max(0, int(left)) : max(0, math.ceil(right))]
            if not one["doubt"] and (not seen.size or seen.max() < _CONTRAST):
                one["doubt"] = "not seen on the page"
            elif not one["doubt"] and one["turned"] != upright[0][0] and not one["text"].isalpha():
                one["doubt"] = "turned otherwise than the page's text"
            elif not one["doubt"] and self._crossed(bare, one["ink"], scale):
                one["doubt"] = "crossed by something that is drawn"

    @staticmethod
    def _crossed(bare: Pixels, ink: Box, scale: float) -> bool:
        """Whether the page has, without its text, more than one colour where a character stands."""
        left, top, right, bottom = (value * scale for value in ink)
        place = bare[math.ceil(top) : int(bottom), math.ceil(left) : int(right)]
        return bool(place.size) and bool((place.max(axis=(0, 1)) - place.min(axis=(0, 1))).max() > _CONTRAST)

    def _drawn(self, scale: float) -> Pixels:
        bitmap = self._page.render(scale=scale, may_draw_forms=False)
        return np.asarray(bitmap.to_numpy()[:, :, :3], np.int16)


def _has_actual_text(mark: object) -> bool:
    length = ctypes.c_ulong()
    for at in range(raw.FPDFPageObjMark_CountParams(mark)):
        key = (ctypes.c_ushort * 64)()
        raw.FPDFPageObjMark_GetParamKey(mark, at, key, 128, length)
        if bytes(key).decode("utf-16-le", "replace").rstrip("\0") == "ActualText":
            return True
    return False


def _flat(box: Box) -> bool:
    return box[3] - box[1] < _THIN


def _upright(box: Box) -> bool:
    return box[2] - box[0] < _THIN


def _clockwise(box: Box, _width: float, height: float) -> Box:
    left, top, right, bottom = box
    return height - bottom, left, height - top, right


def _counterclockwise(box: Box, width: float, _height: float) -> Box:
    left, top, right, bottom = box
    return top, width - right, bottom, width - left


_UPRIGHT = {1: _counterclockwise, 3: _clockwise}
"""How a page is turned whose text runs down, or up."""


def _matrix(thing: object) -> Matrix:
    found = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(thing, found)
    return found.a, found.b, found.c, found.d, found.e, found.f


def _times(one: Matrix, other: Matrix) -> Matrix:
    """First one, then the other."""
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _mapped(x: float, y: float, matrix: Matrix) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
