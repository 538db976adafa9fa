"""Whether a reader can see what LaTeX sets: not type near white or on black, too small, moved away or covered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

HIDES = "\\{} hides or changes what it sets, and that is read as text"
_NAMED = {
    "black": 0.0, "darkgray": 0.25, "gray": 0.5, "lightgray": 0.75, "white": 1.0, "red": 0.3, "green": 0.59,
    "blue": 0.11, "cyan": 0.7, "magenta": 0.41, "yellow": 0.89, "orange": 0.6, "brown": 0.5, "lime": 0.81,
    "olive": 0.45, "pink": 0.82, "purple": 0.3, "teal": 0.35, "violet": 0.21,
}  # fmt: skip
"""How light the colours are that need no definition."""
_LIGHT, _DARK = 0.9, 0.25
_POINTS = {"pt": 1.0, "bp": 1.0, "mm": 2.85, "cm": 28.5, "in": 72.3, "em": 10.0, "ex": 4.3, "sp": 0.0, "pc": 12.0}
_LENGTH = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*([a-z]{2}|\\[A-Za-z]+)?")
_COMMENT = re.compile(r"(?<!\\)%.*")
_DEFINED = re.compile(
    r"\\(?:definecolor|providecolor)\s*(?:\[[^]]*\])?\s*\{([^{}]*)\}\s*\{([^{}]*)\}\s*\{([^{}]*)\}"
    r"|\\colorlet\s*\{([^{}]*)\}\s*(?:\[[^]]*\])?\s*\{([^{}]*)\}"
)
_FLOAT = re.compile(r"\\begin\s*\{(?:sideways|wrap)?table\*?\}(.*?)\\begin\s*\{(?:long|x)?tab[a-z]*\*?\}", re.S)
_OPTION, _ARGUMENT = r"\s*(?:\[([^]]*)\])?", r"\s*\{([^{}]*)\}"
_BEFORE = re.compile(
    rf"\\(color|fontsize|scalebox|resizebox|raisebox){_OPTION}{_ARGUMENT}(?:{_ARGUMENT})?"
    r"|\\(arraystretch|tabcolsep)\}?\s*(?:\{|=)?\s*([^{}\s]*)"
)
_ANYWHERE = re.compile(
    r"\\(arraystretch|tabcolsep)\}?\s*(?:\{|=)?\s*([+-]?[\d.]+\s*[a-z]*)"
    rf"|\\(rowcolors)\s*\*?{_OPTION}{_ARGUMENT}{_ARGUMENT}{_ARGUMENT}"
)
_SET = re.compile(r"\b(bg|back|background|fg|fore|foreground|rowcolor|cellcolor|color)\s*=\s*\{?([^,{}]+)")
"""Colours among the keys of a row or a cell."""


_BOX_KEY = re.compile(r"(?:^|,)\s*([A-Za-z ]+?)\s*(?==|,|$)(?:=\s*(\{[^{}]*\}|[^,{}]*))?")
_PLAIN_BOX = frozenset(
    """
    width, max width, min width, height, max height, totalheight, max totalheight, min totalheight, set height,
    center, left, right, pagecenter, valign, margin, padding, vspace, raise, textwidth, scale, angle, rotate, frame,
    max size, fbox, tabular, minipage, varwidth, env, float, nofloat, caption, captionabove, captionbelow,
    label, keepaspectratio
    """.replace("\n    ", " ")
    .strip()
    .split(", ")
)
"""Keys of adjustbox that lay out, and show all that a box holds."""


def colours_in(text: str) -> dict[str, tuple[str, str]]:
    """The colours that a file defines: name to model and values; without a model, to other colours."""
    return {
        (found[1] or found[4]).strip(): (found[2] or "", found[3] or found[5] or "")
        for found in _DEFINED.finditer(text)
    }


def hidden(command: str, arguments: Sequence[str], colours: Mapping[str, tuple[str, str]]) -> bool:
    """Whether a command hides what stands at it, by its arguments in their order; an absent option is empty."""
    first, second = (*arguments, "", "")[:2]
    match command:
        case "textcolor" | "color":
            return (_lightness(second, first, colours) or 0.0) > _LIGHT
        case "colorbox" | "cellcolor" | "rowcolor" | "columncolor":
            return (1.0 if (light := _lightness(second, first, colours)) is None else light) < _DARK
        case "fcolorbox" if len(arguments) > 2:
            return hidden("colorbox", [first, arguments[2]], colours)
        case "rowcolors" if len(arguments) > 3:
            return any(hidden("rowcolor", ["", colour], colours) for colour in arguments[2:4])
        case "RowStyle" | "SetRow" | "SetCell" | "SetColumn" | "SetCells":
            return any(
                hidden("color" if key in ("fg", "fore", "foreground", "color") else "rowcolor", ["", colour], colours)
                for given in arguments
                for key, colour in _SET.findall(given.replace(r"\color{", "color={"))
            )
        case "fontsize":
            return _points(first, 10) < 4
        case "scalebox":
            return _points(first, 1) < 0.4
        case "resizebox":
            return any(_points(length, 100) < 3 for length in arguments[:2])
        case "raisebox":
            return abs(_points(first, 0)) > 12
        case "hspace":
            return _points(first, 0) < -4
        case "llap" | "rlap" | "clap" | "mathllap" | "mathrlap" | "mathclap" | "smash":
            return _has_digit(first)  # it lies on what stands beside it, or on another line
        case "makebox" | "framebox" if len(arguments) > 2:
            return bool(first) and _points(first, 10) < 3 and _has_digit(arguments[2])
        case "adjustbox":
            return changes_box(first) is not None
        case "addlinespace" | "noalign" | "\\" | "tabularnewline":
            # A row that is moved up lies on the one above.
            return _points(re.sub(r"\\(?:vskip|vspace\*?|kern)|[{}]", "", first), 0) < -6
        case "rule":
            return min(map(_points, arguments[-2:], (0, 0))) > 3
        case "rotatebox":
            return 100 < abs(_points(second, 0)) % 360 < 260
        case "arraystretch":
            return _points(first, 1) < 0.5
        case "tabcolsep":
            return _points(first, 6) < -2
    return False


def changes_box(keys: str) -> str | None:
    """The first key of a box that may cut, turn over or shrink what it holds."""
    for key, value in _BOX_KEY.findall(keys):
        small = key == "scale" and _points(value, 1) < 0.4
        turned = key in ("angle", "rotate") and hidden("rotatebox", ["", value], {})
        if small or turned or key.strip() not in _PLAIN_BOX:
            return str(key.strip())
    return None


def _has_digit(text: str) -> bool:
    return any(character.isdecimal() for character in text)


def before_tables(text: str, colours: Mapping[str, tuple[str, str]]) -> Iterator[tuple[int, str]]:
    """Where a file hides whole tables: inside their floats, before they begin, or by how far rows and columns lie."""
    text = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    for part in _FLOAT.finditer(text):
        for found in _BEFORE.finditer(text, part.start(1), part.end(1)):
            given = [found[2] or "", found[3] or ""] if found[1] == "color" else [found[3] or "", found[4] or ""]
            if found[1] and hidden(found[1], given, colours):
                yield found.start(), found[1]
    for found in _ANYWHERE.finditer(text):
        if hidden(found[1] or found[3], [found[2]] if found[1] else [found[at] or "" for at in range(4, 8)], colours):
            yield found.start(), found[1] or found[3]


def _points(length: str, otherwise: float = 0.0) -> float:
    """A length in points, a number as it is; where it is neither, something else, or a part of that."""
    found = _LENGTH.match(length)
    if found is None:
        return otherwise
    unit = found[2] or "pt"
    return float(found[1]) * (otherwise if unit.startswith("\\") else _POINTS.get(unit, 10.0))


def _lightness(colour: str, model: str, colours: Mapping[str, tuple[str, str]], depth: int = 0) -> float | None:
    """From black, 0, to white, 1; None where nobody says."""
    if model:
        return _of_model(model.strip().partition("/")[0], colour)
    first, *rest = (part.strip() for part in colour.split("!"))
    light = _NAMED.get(first)
    if first in colours and depth < 10:
        model, values = colours[first]
        light = _lightness(values, model, colours, depth + 1)
    for share, other in zip(rest[::2], [*rest[1::2], "white"], strict=False):
        with_other = _lightness(other, "", colours, depth + 1) if depth < 10 else None
        if light is None or with_other is None:
            return None
        part = _points(share, 100) / 100
        light = part * light + (1 - part) * with_other
    return light


def _of_model(model: str, values: str) -> float | None:
    if model == "HTML":
        numbers = [int(digits, 16) / 255 for digits in re.findall(r"[0-9A-Fa-f]{2}", values)]
    else:
        numbers = [float(digits) for digits in re.findall(r"\d+\.?\d*|\.\d+", values)]
        numbers = [number / 255 for number in numbers] if model == "RGB" else numbers
    match model, numbers:
        case "gray", [grey]:
            return grey
        case "rgb" | "RGB" | "HTML", [red, green, blue]:
            return 0.3 * red + 0.59 * green + 0.11 * blue
        case "cmyk", [cyan, magenta, yellow, key]:
            return (1 - key) * (1 - 0.3 * cyan - 0.59 * magenta - 0.11 * yellow)
        case _:
            return None
