"""Changes the verifier's own code, one small change at a time, and asks the tests that run the changed line.

A change that no test notices is printed, unless `mutants.toml` says why it changes nothing: else a test is missing.

One pytest session collects the tests of the rooms. Every test runs once, in a fork, under a trace that writes down
which lines of the rooms it runs. Then every change is made in a fork of its own: the changed function gets its new
code wherever it is held, and the tests that run the statement are asked, quickest first, until one of them fails.
What is computed while a module is imported cannot be changed so; then everything is imported again in the fork, with
the changed source under an import hook. Nothing is written to the checkout, and the parent runs no test: libraries
start threads when they are used, which a fork would lose.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import mmap
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import Phase, settings

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "verifier" / "sealtrace"
ROOMS: dict[str, str] = {
    "mathematics/": "mathematics policies/test_scores.py policies/test_thresholds.py",
    "mathematics/networks.py": "mathematics/test_networks.py",
    "statistics/": "results/test_association.py results/test_intervals.py results/test_labels.py "
    "results/test_probabilities.py results/test_significance.py results/test_summaries.py",
    "studies/games/mathematics/": "games",
    "studies/policies/mathematics/": "policies/test_policies.py policies/test_scores.py policies/test_thresholds.py",
    "studies/policies/mathematics/maps/": "policies/test_maps.py policies/test_maps_proof.py "
    "policies/test_maps_recheck.py policies/test_maps_steps.py policies/test_maps_ties.py",
    "studies/policies/mathematics/maps/recheck.py": "policies/test_maps_recheck.py "
    "policies/test_maps_proof.py::test_a_worse_map_is_refuted "
    "policies/test_maps_proof.py::test_false_values_are_refuted "
    "policies/test_maps_proof.py::test_missing_work_is_refuted "
    "policies/test_maps_proof.py::test_regions_must_cover "
    "policies/test_maps_proof.py::test_wrong_multipliers_are_refuted "
    "policies/test_maps_ties.py::test_a_map_that_goes_later_is_refuted",
    "studies/policies/mathematics/partitions/": "policies/test_partitions.py",
    "studies/policies/mathematics/screening.py": "policies/test_screening.py",
    "studies/results/joins.py": "results/test_joins.py",
    "recipes/cells.py": "recipes/test_keys.py recipes/test_marks.py checks/test_cells.py checks/test_tables.py "
    "checks/test_unnamed_digits.py::test_a_label_with_words_is_a_name",
    "recipes/judgement.py": "recipes/test_judgement.py",
    "checks/": "checks/test_catalogue.py",
    "checks/cells.py": "checks/test_cells.py checks/test_tables.py",
    "checks/identity.py": "checks/test_reading.py",
    "checks/outcome.py": "checks/test_outcome.py",
    "checks/printed.py": "checks/test_cells.py checks/test_tables.py",
    "checks/queries.py": "checks/test_reading.py",
    "checks/relations.py": "checks/test_cells.py",
    "checks/release.py": "checks/test_release.py",
    "checks/schema.py": "checks/test_reading.py checks/test_statuses.py",
    "checks/stages.py": "checks/test_stages.py",
    "checks/witnesses.py": "checks/test_reading.py witnesses/test_checks.py",
    "studies/games/checks/": "games/test_game_checks.py",
    "studies/policies/checks/": "policies/test_access_checks.py policies/test_choice_checks.py "
    "policies/test_declared_checks.py policies/test_distribution_checks.py policies/test_partition_checks.py "
    "policies/test_score_checks.py policies/test_split_checks.py",
    "studies/results/checks.py": "results/test_checks.py",
    "studies/services/checks.py": "services/test_ledger.py",
}
"""Where modules are, and the tests that speak of them; the last that fits a module counts."""
SECONDS = 6
"""After so much processor time no further test is asked about a change."""
MEMORY = 8 << 30
"""What takes more bytes fails; so does a test that takes a second and five times as long as it took under the trace."""
UNMADE = 3
"""How a fork ends in which a change cannot be made: that is a fault of this script, and no test noticed anything."""
PREPARED = {"studies.certified_study": "_sound_parts", "support": "small_fixture"}
"""What many tests start from: made once, by the code without a change, for all forks."""
TOGETHER = 25
"""So many tests are traced in one fork. What only the first of them computes counts for the first."""
LATE = ("scipy.special", "scipy.optimize", "flint", "pandas")
"""Libraries that the package imports when they are used: once for all forks, as are its own modules."""
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True)
class Change:
    """One change of one module."""

    module: str
    place: int
    """Which node of the syntax tree is changed."""
    line: int
    text: str
    """That line of the source."""
    what: str
    lines: range
    """Those of the statement, or of its head."""
    function: tuple[str, int] | None
    """The outermost function around it, by its qualified name and first line; None for what runs at import."""

    @property
    def key(self) -> str:
        """What it is called in the list of those that change nothing."""
        return f"{self.text}  # {self.what}"

    @property
    def code(self) -> CodeType:
        """The module after it."""
        tree = ast.parse((PACKAGE / self.module).read_text("utf-8"))
        _changed(next(node for number, node in enumerate(ast.walk(tree)) if number == self.place))
        return compile(ast.fix_missing_locations(tree), str(PACKAGE / self.module), "exec")


def changes(module: str) -> Iterator[Change]:
    """Every change of a module. Those that read alike are counted through."""
    source = (PACKAGE / module).read_text("utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    places = {id(node): place for place, node in enumerate(ast.walk(tree))}
    seen: Counter[str] = Counter()
    for node, statement, function in _within(tree, range(0), (), None):
        if (what := _changed(copy.copy(node))) is not None:
            line: int = node.lineno  # type: ignore[attr-defined]
            change = Change(module, places[id(node)], line, lines[line - 1].strip(), what, statement, function)
            seen[change.key] += 1
            number = seen[change.key]
            yield change if number == 1 else replace(change, what=f"{what} ({number})")


def _within(
    node: ast.AST, statement: range, names: tuple[str, ...], function: tuple[str, int] | None
) -> Iterator[tuple[ast.AST, range, tuple[str, int] | None]]:
    """Every node below one that is run, with the lines of its statement and the function around it."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            names = (*names, name)
            head = range(first, node.body[0].lineno)
            for field in ("decorator_list", "args", "bases", "keywords"):
                for child in _children(node, field):
                    yield from _within(child, head, names, function)
            if isinstance(node, ast.FunctionDef) and function is None:
                function = (".".join(names), first)
            for child in node.body:
                yield from _within(child, statement, names, function)
            return
        case ast.Lambda() if function is None:
            yield from _within(node.args, statement, names, None)
            yield from _within(node.body, statement, names, (".".join((*names, "<lambda>")), node.lineno))
            return
        case ast.arg() | ast.keyword(arg="frozen" | "slots" | "strict") | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.stmt():
            body = getattr(node, "body", None)
            end = body[0].lineno if isinstance(body, list) and body else (node.end_lineno or node.lineno) + 1
            statement = range(node.lineno, max(end, node.lineno + 1))
    yield node, statement, function
    for field in node._fields:
        if field not in ("annotation", "returns"):
            for child in _children(node, field):
                yield from _within(child, statement, names, function)


def _children(node: ast.AST, field: str) -> list[ast.AST]:
    value = getattr(node, field, None)
    return [child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)]


def _changed(node: ast.AST) -> str | None:
    """Changes a node in place and says how; None where there is no such way. Annotations and texts are let be."""
    match node:
        case ast.Compare(ops=[operator, *_]) if type(operator) in _COMPARISONS:
            before = ast.unparse(node)
            node.ops = [_COMPARISONS[type(operator)](), *node.ops[1:]]
            return f"{before} -> {ast.unparse(node)}"
        case ast.BinOp(op=operation) if type(operation) in _OPERATIONS and not _of_types(node):
            before = ast.unparse(node)
            node.op = _OPERATIONS[type(operation)]()
            return f"{before} -> {ast.unparse(node)}"
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return f"-> {ast.unparse(node)}"
        case ast.Constant(value=bool() as value):
            node.value = not value
            return f"{value} -> {node.value}"
        case ast.Constant(value=int() | float() as number):
            node.value = number + 1
            return f"{number} -> {node.value}"
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return f"-> {ast.unparse(node.test)}"
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            node.value = ast.Constant(None)
            return "returns nothing"
        case ast.Name(id=name) if name in _NAMES:
            node.id = _NAMES[name]
            return f"{name} -> {node.id}"
        case ast.Attribute(attr=name) if name in _NAMES:
            node.attr = _NAMES[name]
            return f"{name} -> {node.attr}"
    return None


def _of_types(node: ast.BinOp) -> bool:
    """Whether an operation is a union of types."""
    named = ast.Name | ast.Subscript | ast.Constant | ast.BinOp
    return isinstance(node.op, ast.BitOr) and isinstance(node.left, named) and isinstance(node.right, named)


class _Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives a module another source."""

    def __init__(self, change: Change) -> None:
        self.name = _dotted(change.module)
        self.path = str(PACKAGE / change.module)
        self.code = change.code

    def find_spec(
        self, name: str, _path: object, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


Lines = set[tuple[str, int]]


@dataclass
class Trace:
    """Which lines of some modules are run."""

    modules: frozenset[str]

    def __post_init__(self) -> None:
        self.lines: Lines = set()
        self.names = {str(PACKAGE / module): module for module in self.modules}

    def __call__(self, frame: FrameType, _event: str, _value: object) -> Callable[..., Any] | None:
        if (name := self.names.get(frame.f_code.co_filename)) is None:
            return None
        lines = self.lines

        def local(frame: FrameType, event: str, _value: object) -> Callable[..., Any]:
            if event == "line":
                lines.add((name, frame.f_lineno))
            return local

        return local


class Judge:
    """Takes the place of pytest's loop over tests."""

    def __init__(self, chosen: list[Change], report: Callable[[Change, str], None]) -> None:
        self.chosen = chosen
        self.report = report
        self.at_import = Trace(frozenset(change.module for change in chosen))
        self.seconds: dict[str, float] = {}
        """How much processor time each test takes."""
        self.failing = mmap.mmap(-1, 4)
        """The number of the test that failed, written in a fork."""

    def pytest_collection(self) -> None:
        sys.settrace(self.at_import)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for module in self.at_import.modules:
            importlib.import_module(_dotted(module))
        sys.settrace(None)
        for path in PACKAGE.rglob("*.py"):
            if path.name != "__main__.py":
                importlib.import_module(_dotted(path.relative_to(PACKAGE).as_posix()))
        self.session = session
        if session.testsfailed:
            raise pytest.UsageError("some tests cannot be imported")
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        for held in gc.get_objects():
            if isinstance(held, FunctionType) and held.__code__.co_filename in self.at_import.names:
                self.functions[_named(held.__code__)].append(held)
        for module, name in PREPARED.items():
            if module in sys.modules:
                value = self.computed(getattr(sys.modules[module], name))
                setattr(sys.modules[module], name, lambda value=value: value)
        gc.collect()
        gc.freeze()
        covered: dict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
        entered: dict[str, set[tuple[float, int]]] = defaultdict(set)
        for start in range(0, len(session.items), TOGETHER):
            for number, (seconds, lines) in enumerate(self.traced(session.items[start : start + TOGETHER]), start):
                self.seconds[session.items[number].nodeid] = seconds
                for module, line in lines:
                    covered[module, line].append((seconds, number))
                    entered[module].add((seconds, number))
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{len(session.items)} tests traced in {used.ru_utime + used.ru_stime:.0f} s", file=sys.stderr)
        noticing: dict[object, int] = {}
        for change in self.chosen:
            statement = [(change.module, line) for line in change.lines]
            imported = change.function is None or any(line in self.at_import.lines for line in statement)
            asked = entered[change.module] if imported else {test for line in statement for test in covered[line]}
            if imported and not asked:  # a module that does nothing but at import
                asked = {(self.seconds[item.nodeid], number) for number, item in enumerate(session.items)}
            # What noticed the change before it, in the same function, probably notices this one.
            function = change.module, change.function
            first = noticing.get(function)
            numbers = [number for _, number in sorted(asked, key=lambda test: (test[1] != first, test))]
            if not numbers:
                self.report(change, "no test runs it")
                continue
            status = self.in_a_fork(lambda: self.judge(change, imported, numbers))
            if os.WIFEXITED(status) and os.WEXITSTATUS(status) == UNMADE:
                raise RuntimeError(f"{change.module}:{change.line}: the change cannot be made: {change.key}")
            if status:
                noticing[function] = int.from_bytes(self.failing[:4])
            self.report(change, "noticed" if status else "unnoticed")
        return True

    def in_a_fork(self, run: Callable[[], None]) -> int:
        """How a process of its own ends: with zero, or because something failed or did not end."""
        if not (child := os.fork()):
            with contextlib.suppress(BaseException):
                quiet = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(quiet, stream)
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                signal.alarm(600)
                run()
                os._exit(0)
            os._exit(1)
        return os.waitpid(child, 0)[1]

    def computed(self, compute: Callable[[], Any]) -> Any:
        """What is computed in a fork; None where it fails."""
        with tempfile.TemporaryFile() as file:

            def run() -> None:
                pickle.dump(compute(), file)
                file.flush()

            if self.in_a_fork(run):
                return None
            file.seek(0)
            return pickle.load(file)

    def traced(self, items: list[pytest.Item]) -> list[tuple[float, Lines]]:
        """How long each of some tests takes, and the lines that it runs."""

        def run() -> list[tuple[float, Lines]]:
            found = []
            self.session.config.pluginmanager.register(Failing(self))
            for item in items:
                began, trace = time.process_time(), Trace(self.at_import.modules)
                sys.settrace(trace)
                self.session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
                sys.settrace(None)
                found.append((time.process_time() - began, trace.lines))
            return found

        if (found := self.computed(run)) is not None:
            return list(found)
        if len(items) > 1:
            return [traced for item in items for traced in self.traced([item])]
        print(f"{items[0].nodeid} fails without any change", file=sys.stderr)
        return [(0.0, set())]

    def judge(self, change: Change, imported: bool, numbers: list[int]) -> None:
        """Makes a change and runs tests, which end the process where one fails."""
        items = [self.session.items[number] for number in numbers]
        try:
            hook = _Hook(change) if imported or not self.replaced(change) else None
        except Exception:
            os._exit(UNMADE)
        if hook is not None:
            sys.meta_path.insert(0, hook)
            for name, module in list(sys.modules.items()):
                file = getattr(module, "__file__", None)
                if file is not None and Path(file).is_relative_to(ROOT) and "site-packages" not in file:
                    del sys.modules[name]
            pytest.main([*OPTIONS, *(item.nodeid for item in items)], plugins=[Hurried(self)])
        else:
            self.run(items)

    def replaced(self, change: Change) -> bool:
        """Gives the changed function, and those made in it, their new code, wherever they are held."""
        wanted = [code for code in _codes(change.code) if (code.co_qualname, code.co_firstlineno) == change.function]
        if len(wanted) != 1 or not self.functions.get(_named(wanted[0])):
            return False
        for code in _codes(wanted[0]):
            for function in self.functions.get(_named(code), ()):
                function.__code__ = code
        return True

    def run(self, items: list[pytest.Item]) -> None:
        self.session.config.pluginmanager.register(Hurried(self))
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


class Failing:
    """The first failure is enough."""

    def __init__(self, judge: Judge) -> None:
        self.numbers = {item.nodeid: number for number, item in enumerate(judge.session.items)}
        self.judge = judge

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[object]) -> None:
        if call.excinfo is not None and not isinstance(call.excinfo.value, pytest.skip.Exception):
            self.judge.failing[:4] = self.numbers[item.nodeid].to_bytes(4)
            os._exit(1)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            os._exit(1)


class Hurried(Failing):
    """And there is not much time."""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if time.process_time() > SECONDS:
            os._exit(0)
        if nodeid in self.judge.seconds:
            signal.setitimer(signal.ITIMER_PROF, 1 + 5 * self.judge.seconds[nodeid])


def _dotted(module: str) -> str:
    """What a module is imported as."""
    return "sealtrace." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _named(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


OPTIONS = ["-q", "-s", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]


def explained() -> dict[str, dict[str, str]]:
    """For each module, the changes that change nothing, and why."""
    given: dict[str, dict[str, list[str]]] = tomllib.loads((ROOT / "benchmarks" / "mutants.toml").read_text("utf-8"))
    return {
        module: {key: reason for reason, keys in reasons.items() for key in keys} for module, reasons in given.items()
    }


def main() -> int:
    """Prints each change that is neither noticed nor explained, and how many there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="how many changes are drawn (all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="run those that are explained, too")
    parser.add_argument("modules", nargs="*", help="only modules whose path begins so")
    given = parser.parse_args()
    os.chdir(ROOT)
    # Pytest would import a plugin's whole package by its own loader, and this package is one.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    for library in LATE:
        importlib.import_module(library)
    # That an example fails is enough. The profile of the tests builds on this one.
    settings.register_profile("first failure", phases=(Phase.explicit, Phase.generate))
    settings.load_profile("first failure")

    known = explained()
    tests: dict[str, list[str]] = {}
    for room, paths in ROOMS.items():
        for path in sorted((PACKAGE / room).glob("**/*.py")) if room.endswith("/") else [PACKAGE / room]:
            module = path.relative_to(PACKAGE).as_posix()
            if module.startswith(tuple(given.modules or [""])):
                tests[module] = paths.split()
    every = [change for module in tests for change in changes(module)]
    for module, keys in known.items():
        for key in keys.keys() - {change.key for change in every} if module in tests else ():
            print(f"{module}: there is no such change any more: {key}")
    chosen = random.Random(given.seed).sample(every, min(given.sample or len(every), len(every)))
    chosen.sort(key=lambda change: (list(tests).index(change.module), change.line))

    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left = 0

    def report(change: Change, verdict: str) -> None:
        nonlocal left
        if change.key in known.get(change.module, {}):
            if verdict == "noticed":
                print(f"{change.module}:{change.line}: noticed, though the list says why it is not: {change.key}")
            verdict = "explained"
        counts[change.module][verdict] += 1
        if verdict not in ("noticed", "explained"):
            left += 1
            print(f"{change.module}:{change.line}: {change.key}  [{verdict}]", flush=True)

    if not given.all:
        for change in chosen:
            if change.key in known.get(change.module, {}):
                report(change, "explained")
        chosen = [change for change in chosen if change.key not in known.get(change.module, {})]
    with tempfile.TemporaryDirectory() as place:
        tempfile.tempdir = place  # what forks leave behind goes with it
        asked = sorted({f"tests/{path}" for change in chosen for path in tests[change.module]})
        code = pytest.main([*OPTIONS, f"--basetemp={place}/tests", *asked], plugins=[Judge(chosen, report)])
    print("| module | changes | noticed | explained | left |\n|---|---|---|---|---|")
    for module, count in counts.items():
        good = count["noticed"], count["explained"]
        print(f"| `{module}` | {count.total()} | {good[0]} | {good[1]} | {count.total() - sum(good)} |")
    return int(code) or (left > 0)


if __name__ == "__main__":
    sys.exit(main())
