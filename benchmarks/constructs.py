"""The constructs that readers know, taken from the readers themselves: what growth is measured with.

Two sorts. Names: every command and environment in a table of the LaTeX reader, begun, opened, and whole. Patterns: a
text that each regular expression of a reader finds, and each beginning of it, so that what never closes is tried, too.
A construct that a reader learns is measured from then on, because nothing here is a list of them.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules, walk_packages
from types import CodeType, ModuleType
from typing import Any

import sealtrace.paper

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_constants as code
    import sre_parse

_NAME = re.compile(r"[A-Za-z@+]+\*?")
_OF_CATEGORY = {
    code.CATEGORY_DIGIT: "7",
    code.CATEGORY_SPACE: " ",
    code.CATEGORY_WORD: "a",
    code.CATEGORY_NOT_DIGIT: "a",
    code.CATEGORY_NOT_SPACE: "a",
    code.CATEGORY_NOT_WORD: "-",
}
MOST_PARTS = 12
"""Beginnings of one text that are tried: a word of thirty letters is no more than its first."""


def _modules() -> Iterator[ModuleType]:
    """The readers of papers; what runs in a process of its own has limits of its own."""
    for found in iter_modules(sealtrace.paper.__path__, "sealtrace.paper."):
        if "pdf" not in found.name and not found.ispkg:
            yield import_module(found.name)


def latex_names() -> list[str]:
    """The commands and environments that the LaTeX reader tells apart.

    Names that stand in the same tables, with the same value, are read by the same lines: one of them speaks for all.
    What a function itself names, it treats apart.
    """
    told: dict[str, list[object]] = {}
    for module in _modules():
        held = {place: value for place, value in vars(module).items() if not place.startswith("__")}
        for place, table in held.items() if ".tex_" in module.__name__ else ():
            values = table if isinstance(table, dict) else {}
            # A table of signs has a value of its own for each name, and one way to read them.
            shared = 2 * len(set(map(repr, values.values()))) < len(values)
            for name in filter(_is_name, table if isinstance(table, dict | frozenset | tuple) else ()):
                told.setdefault(name, []).append((place, values[name] if shared else None))
        for name in filter(_is_name, _constants(held.values()) if ".tex_" in module.__name__ else ()):
            told.setdefault(name, []).append(name)
    apart = {repr(sorted(map(repr, known))): name for name, known in told.items()}
    return sorted(apart.values())


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _constants(values: Iterable[object]) -> Iterator[str]:
    """The texts that functions hold, and those of the functions in them."""
    for value in values:
        if isinstance(value, type):
            yield from _constants(vars(value).values())
        elif held := getattr(value, "__code__", value if isinstance(value, CodeType) else None):
            yield from (text for text in held.co_consts if isinstance(text, str))
            yield from (text for some in held.co_consts if isinstance(some, frozenset | tuple) for text in some
                        if isinstance(text, str))  # fmt: skip
            yield from _constants(some for some in held.co_consts if isinstance(some, CodeType))


def latex() -> Iterator[str]:
    """What may be done with a name: alone, opened in each way, whole, begun, ended, defined."""
    for name in latex_names():
        yield from (f"\\{name} ", f"\\{name}{{", f"\\{name}[", f"\\{name}*[a]{{b}}{{c}}{{d}}", f"\\begin{{{name}}}")
        yield from (f"\\begin{{{name}}}{{l}}a&b\\\\\\end{{{name}}}", f"\\end{{{name}}}", f"\\{name}\\x{{")


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every regular expression of a reader, with its name."""
    for module in _modules():
        for name, value in vars(module).items():
            held = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else [value]
            for one in held:
                if isinstance(one, re.Pattern) and isinstance(one.pattern, str):
                    yield f"{module.__name__.rpartition('.')[2]}.{name}", one


def all_patterns() -> Iterator[tuple[str, re.Pattern[Any], frozenset[str]]]:
    """Every named regular expression of the whole package, and by which methods its module asks it."""
    for found in walk_packages(sealtrace.__path__, "sealtrace."):
        if found.name.endswith("__main__"):
            continue
        module = import_module(found.name)
        source = inspect.getsource(module)
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern) and f"\n{name} = " in source:
                asked = frozenset(re.findall(rf"\b{name}\.(\w+)", source))
                yield f"{found.name.removeprefix('sealtrace.')}.{name}", value, asked


def pumped(pattern: re.Pattern[Any]) -> list[Any]:
    """Texts that, repeated, lead a pattern on and never satisfy it: its parts, what it begins with, and usual signs."""
    parts = list(_parts(sre_parse.parse(pattern.pattern, pattern.flags & ~re.UNICODE)))
    some = dict.fromkeys(("".join(parts), *parts[:MOST_PARTS], *' a1.("', "\n", "a ", "1,"))
    return [text.encode() if isinstance(pattern.pattern, bytes) else text for text in some if text]


def led_on(pattern: re.Pattern[Any]) -> list[Any]:
    """Beginnings after which a text is repeated: none, and all that the pattern finds but its end."""
    parts = list(_parts(sre_parse.parse(pattern.pattern, pattern.flags & ~re.UNICODE)))
    begun = ["", *("".join(parts[:count]) for count in range(1, min(len(parts), MOST_PARTS)))]
    return [text.encode() if isinstance(pattern.pattern, bytes) else text for text in dict.fromkeys(begun)]


def beginnings(pattern: re.Pattern[str]) -> list[str]:
    """A text that a pattern finds, and what stands before each of its parts."""
    parts = list(_parts(sre_parse.parse(pattern.pattern, pattern.flags & ~re.UNICODE)))
    whole = ["".join(parts[: count + 1]) for count in range(len(parts))]
    return [text for text in dict.fromkeys(whole) if text.strip()][-MOST_PARTS:]


def _parts(tree: Any) -> Iterator[str]:
    for kind, given in tree:
        match kind:
            case code.LITERAL:
                yield chr(given)
            case code.NOT_LITERAL | code.ANY:
                yield "a"
            case code.IN:
                yield _one_of(given)
            case code.BRANCH:
                yield max(("".join(_parts(branch)) for branch in given[1]), key=len)
            case code.SUBPATTERN:
                yield from _parts(given[3])
            case code.ATOMIC_GROUP:
                yield from _parts(given)
            case code.MAX_REPEAT | code.MIN_REPEAT | code.POSSESSIVE_REPEAT:
                yield "".join(_parts(given[2])) * max(1, min(given[0], 3))
            case code.ASSERT:
                yield from _parts(given[1]) if given[0] > 0 else ()


def _one_of(given: list[tuple[Any, Any]]) -> str:
    if given[0][0] is code.NEGATE:
        refused = {chr(item) for kind, item in given if kind is code.LITERAL}
        return next(sign for sign in "a7 -" if sign not in refused)
    kind, item = given[0]
    return _OF_CATEGORY[item] if kind is code.CATEGORY else chr(item if kind is code.LITERAL else item[0])
