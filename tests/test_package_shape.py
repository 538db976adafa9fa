"""How the package is written: what was reached, so that it cannot be lost again unnoticed."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from support import ROOT

PACKAGE = ROOT / "verifier" / "sealtrace"

MOST_LINES = 79_653
"""Lines of the package without comment lines, with one in a hundred to spare."""
MOST_ANY = 140
"""Lines outside `bundle/` that say `Any`, or a name that stands for it."""
LATE_LIBRARIES = {
    "aiohttp": "an extra",
    "click": "shell completion, which hardly any run asks for",
    "cryptography": "an extra",
    "ctypes": "start-up",
    "distributed": "an extra",
    "duckdb": "start-up: a tenth of a second, and only queries need it",
    "fcntl": "not on every platform",
    "flint": "start-up: only numbers that doubles do not separate need it",
    "fsspec": "an extra",
    "h5py": "an extra",
    "jinja2": "start-up",
    "markdown_it": "start-up: only Markdown papers need it",
    "markupsafe": "start-up",
    "mcp": "an extra",
    "opentimestamps": "an extra",
    "pyarrow": "start-up: its readers and writers of files, each of a format",
    "pydantic": "start-up",
    "pyreadr": "an extra",
    "pyreadstat": "an extra",
    "pyspiel": "an extra",
    "python_calamine": "an extra",
    "resource": "not on every platform",
    "rfc3161_client": "an extra",
    "rich": "start-up: only a terminal needs it",
    "scipy": "start-up: the slowest of all libraries to import",
    "securesystemslib": "an extra",
    "signal": "not on every platform has what is asked of it",
    "sigstore": "an extra",
    "sqlite3": "start-up: only its own files need it",
    "tensorboard": "an extra",
    "tomllib": "start-up: only where there is a file of settings",
    "yaml": "an extra",
}
"""Libraries that functions may import, and why that is not done at the top."""
LATE_PLACES = {
    "__init__.py": "`import sealtrace` costs nothing",
    "api.py": "each function is a command, and imports what that needs",
    "cli/": "start-up: a command imports what it needs when it is asked; `--help` and `--version` wait for nothing",
    "pytest_plugin.py": "start-up: pytest loads it in every run, also where no bundle is collected",
    "settings.py": "start-up: most directories have no settings",
    "binding/foreign_process.py": "a process of its own, which imports the one reader that it needs",
}
"""Files, and directories, whose functions import modules of the package, and why."""


@cache
def _modules() -> dict[str, ast.Module]:
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def _lines(path: str) -> list[str]:
    return (PACKAGE / path).read_text(encoding="utf-8").splitlines()


def test_no_two_modules_define_a_class_of_one_name() -> None:
    """A reader who meets a name need not ask which of two things it is."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, tree in _modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def _used(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _defined(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names of a module that stand for a type, and the type."""
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        target, value = node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value
        variable = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "TypeVar"
        is_type = variable or isinstance(value, ast.Subscript | ast.Name | ast.BinOp)
        if value is not None and isinstance(target, ast.Name) and is_type:
            yield target.id, value


def lines_with_any(modules: dict[str, ast.Module]) -> set[tuple[str, int]]:
    """The lines that say `Any`, or a name that a module gives to a type with `Any` in it."""
    homes = {f"sealtrace.{path.removesuffix('.py').replace('/', '.')}": path for path in modules}
    imported = {
        path: {
            alias.asname or alias.name: (homes.get(node.module or "", node.module), alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for path, tree in modules.items()
    }
    known: set[tuple[str | None, str]] = {("typing", "Any")}
    while True:
        count = len(known)
        for path, tree in modules.items():
            for name, value in _defined(tree):
                if any((path, used) in known or imported[path].get(used) in known for used in _used(value)):
                    known.add((path, name))
        if len(known) == count:
            break
    return {
        (path, node.lineno)
        for path, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and ((path, node.id) in known or imported[path].get(node.id) in known)
    }


def test_any_stays_rare() -> None:
    """What passed its schema is used through its type: `Any` is for edges to libraries."""
    found = [path for path, _line in lines_with_any(_modules()) if not path.startswith("bundle/")]
    assert len(found) <= MOST_ANY, {path: found.count(path) for path in sorted(set(found))}


def test_names_for_any_count_as_any() -> None:
    """An alias, also an imported one, hides nothing."""
    modules = {
        "a.py": ast.parse("from typing import Any\nThing = dict[str, Any]\n"),
        "b.py": ast.parse("from sealtrace.a import Thing as Other\ndef f(x: Other) -> int:\n    return 1\n"),
    }
    assert lines_with_any(modules) == {("a.py", 2), ("b.py", 2)}


def _late_imports(path: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports within functions that nothing explains: the line, and what is imported."""
    lines = _lines(path)
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            first = node.lineno - 1
            while lines[first - 1].lstrip().startswith(("from ", "import ")):
                first -= 1  # a comment above several imports is for all of them
            around = lines[first - 1 : node.end_lineno]
            if not any("#" in line for line in around):
                yield from ((node.lineno, name) for name in names)


def test_imports_within_functions_have_a_reason() -> None:
    """Start-up, an extra, or a comment beside it."""
    found = {
        f"{path}:{line} {name}"
        for path, tree in _modules().items()
        for line, name in _late_imports(path, tree)
        if name.partition(".")[0] not in LATE_LIBRARIES and not path.startswith(tuple(LATE_PLACES))
    }
    assert found == set()


def test_the_package_does_not_grow() -> None:
    """Whoever adds something finds what can go for it. Comments are free: they say why."""
    lines = sum(not re.match(r"\s*#", line) for path in _modules() for line in _lines(path))
    assert MOST_LINES * 0.9 < lines <= MOST_LINES, "where it shrank by much, lower the bound"
