"""Changes the verifier's own code, one small change at a time, and asks the tests of that code each time.

A change that no test notices is printed: a test is missing, or the change changes nothing. Modules are paired with
their tests below. Every change runs in a fork, with the changed source under an import hook, so that nothing is written
to the checkout. The parent imports what tests compare with once for all of them, and no library that starts threads,
which a fork would lose.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import math
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "verifier" / "sealtrace"
TESTS: dict[str, str] = {
    "mathematics/bounds.py": "mathematics/test_bounds.py",
    "mathematics/exact.py": "mathematics/test_exact.py policies/test_scores.py policies/test_thresholds.py",
    "mathematics/networks.py": "mathematics/test_networks.py",
    "mathematics/resampling.py": "mathematics/test_bootstrap.py mathematics/test_dealing.py",
    "studies/policies/mathematics/policies.py": "policies/test_policies.py",
    "studies/policies/mathematics/scores.py": "policies/test_scores.py",
    "studies/policies/mathematics/screening.py": "policies/test_streaming.py",
    "studies/policies/mathematics/thresholds.py": "policies/test_thresholds.py",
    "studies/policies/mathematics/maps/groupwise.py": "policies/test_maps.py policies/test_maps_steps.py",
    "studies/policies/mathematics/maps/proof.py": "policies/test_maps_proof.py",
    "studies/policies/mathematics/partitions/rules.py": "policies/test_partitions.py",
    "studies/results/mathematics/association.py": "results/test_association.py",
    "studies/results/mathematics/intervals.py": "results/test_intervals.py",
    "studies/results/mathematics/labels.py": "results/test_labels.py",
    "studies/results/mathematics/probabilities.py": "results/test_probabilities.py",
    "studies/results/mathematics/significance.py": "results/test_significance.py",
    "studies/results/mathematics/summaries.py": "results/test_summaries.py",
    "studies/results/joins.py": "results/test_joins.py results/test_datasets.py",
    "studies/games/mathematics/association.py": "games/test_association.py",
    "studies/games/mathematics/hands.py": "games/test_hands.py",
    "printed/cells.py": "printed/test_marks.py checks/test_unnamed_digits.py checks/test_weakening.py",
    "printed/judgement.py": "printed/test_judgement.py",
    "checks/outcome.py": "checks/test_outcome.py",
    "checks/stages.py": "checks/test_statuses.py",
}
"""Each module, and the tests that speak of it."""
SECONDS = 30
"""How much processor time the tests of one change may take; more is noticed, whatever else the machine does."""
COMPARED_WITH = ("pytest", "hypothesis", "numpy", "scipy.stats", "scipy.optimize", "sklearn.metrics")
"""Slow to import, and none of this project."""
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
    line: int
    what: str
    place: int
    """Which node of the syntax tree is changed; -1 for none."""

    @property
    def source(self) -> str:
        """The module's whole text after it."""
        tree = ast.parse((PACKAGE / self.module).read_text("utf-8"))
        if self.place >= 0:
            _changed(next(node for number, node in enumerate(ast.walk(tree)) if number == self.place))
        return ast.unparse(tree)


def changes(module: str) -> Iterator[Change]:
    """Every change of a module."""
    for place, node in enumerate(ast.walk(ast.parse((PACKAGE / module).read_text("utf-8")))):
        if (what := _changed(copy(node))) is not None:
            yield Change(module, getattr(node, "lineno", 0), what, place)


def _changed(node: ast.AST) -> str | None:
    """Changes a node in place and says how; None where there is no such way. Annotations and texts are let be."""
    match node:
        case ast.Compare(ops=[operator, *_]) if type(operator) in _COMPARISONS:
            node.ops = [_COMPARISONS[type(operator)](), *node.ops[1:]]
            return f"{type(operator).__name__} to {type(node.ops[0]).__name__}"
        case ast.BinOp(op=operation) if type(operation) in _OPERATIONS and not _of_types(node):
            node.op = _OPERATIONS[type(operation)]()
            return f"{type(operation).__name__} to {type(node.op).__name__}"
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return f"to {type(node.op).__name__}"
        case ast.Constant(value=bool() as value):
            node.value = not value
            return f"{value} to {node.value}"
        case ast.Constant(value=int() | float() as number):
            node.value = number + 1
            return f"{number} to {node.value}"
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return "condition negated"
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            node.value = ast.Constant(None)
            return "returns nothing"
        case ast.Name(id=name) if name in _NAMES:
            node.id = _NAMES[name]
            return f"{name} to {node.id}"
        case ast.Attribute(attr=name) if name in _NAMES:
            node.attr = _NAMES[name]
            return f"{name} to {node.attr}"
    return None


def _of_types(node: ast.BinOp) -> bool:
    """Whether an operation is a union of types."""
    return isinstance(node.op, ast.BitOr) and all(isinstance(one, ast.Name | ast.Subscript | ast.Constant | ast.BinOp)
                                                  for one in (node.left, node.right))  # fmt: skip


class _Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives a module another source."""

    def __init__(self, change: Change) -> None:
        self.name = "sealtrace." + change.module.removesuffix(".py").replace("/", ".")
        self.path = str(PACKAGE / change.module)
        self.source = change.source

    def find_spec(
        self, name: str, _path: object, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.path, "exec"), module.__dict__)


def started(change: Change) -> int:
    """The process that runs the tests of the module with the change; it ends with 0 where none of them fails."""
    if child := os.fork():
        return child
    with contextlib.suppress(BaseException):
        import pytest
        from hypothesis import Phase, settings

        # That an example fails is enough. The profile of the tests builds on this one.
        settings.register_profile("first failure", phases=(Phase.explicit, Phase.generate))
        settings.load_profile("first failure")
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        sys.meta_path.insert(0, _Hook(change))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        paths = [str(ROOT / "tests" / one) for one in TESTS[change.module].split()]
        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *paths])))
    os._exit(99)


def judged(chosen: list[Change], jobs: int, until: float = math.inf) -> Iterator[tuple[Change, bool]]:
    """Each change as its tests end, and whether one of them failed; none is begun after a time."""
    waiting, running = iter(chosen), dict[int, Change]()
    while True:
        while len(running) < jobs and time.monotonic() < until and (change := next(waiting, None)) is not None:
            running[started(change)] = change
        if not running:
            return
        child, status = os.wait()
        yield running.pop(child), status != 0


def main() -> int:
    """Prints each change that no test noticed, and how many there were."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--module", action="append", help="only modules whose path holds this")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once")
    parser.add_argument("--seconds", type=float, default=math.inf, help="no change is begun later than this")
    given = parser.parse_args()
    until = time.monotonic() + given.seconds
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "verifier"), str(ROOT / "tests")]
    os.environ["PYTHONPATH"] = str(ROOT / "verifier")
    # Pytest would import a plugin's whole package by its own loader, and this package is one.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    for library in COMPARED_WITH:
        importlib.import_module(library)

    modules = [one for one in TESTS if not given.module or any(part in one for part in given.module)]
    every = [change for module in modules for change in changes(module)]
    chosen = random.Random(given.seed).sample(every, min(given.sample, len(every)))
    unchanged = [Change(module, 0, "nothing", -1) for module in sorted({change.module for change in chosen})]
    for change, failed in judged(unchanged, given.jobs):
        if failed:
            print(f"{change.module}: its tests fail without any change")
            return 1
    ran: Counter[str] = Counter()
    survived: Counter[str] = Counter()
    for change, failed in judged(chosen, given.jobs, until):
        ran[change.module] += 1
        if not failed:
            survived[change.module] += 1
            print(f"{change.module}:{change.line}: {change.what}", flush=True)
        print(f"{ran.total()} of {len(chosen)}", end="\r", file=sys.stderr)
    for module, number in sorted(ran.items()):
        print(f"{module}: {number - survived[module]} of {number} noticed")
    if ran:
        share = 100 * (1 - survived.total() / ran.total())
        print(f"{ran.total()} of {len(every)} changes in {len(ran)} modules: {share:.1f} % noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
