"""A pytest plugin: `pytest --sealtrace BUNDLE` runs a test for each check of a bundle, and for each of its tables.

Every pytest run in an environment with sealtrace imports this module, so it imports nothing of the verifier before
the option is given.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sealtrace.bundle.defects import real_path

if TYPE_CHECKING:
    from sealtrace.contract.result import CheckResult, Result

_Judged = tuple[str, list[str]]
"""A status, and what to say about it: nothing where the test passes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sealtrace", "verify sealed bundles of records")
    group.addoption(
        "--sealtrace",
        action="append",
        default=[],
        metavar="BUNDLE",
        help="Run a test for each check and each table of this bundle; repeatable.",
    )
    group.addoption(
        "--sealtrace-reported",
        action="append",
        default=[],
        metavar="FILE",
        help="A paper that must print what the bundles' tables say; repeatable.",
    )
    group.addoption("--sealtrace-strict", action="store_true", help="A warning fails its check and its table, too.")
    group.addoption(
        "--sealtrace-missing",
        choices=("fail", "skip"),
        default="fail",
        help="What becomes of a check or table whose evidence is absent (default: fail).",
    )
    group.addoption(
        "--sealtrace-allow-waived",
        action="store_true",
        help="Skip a check or table of which nothing but waived findings is in the way, instead of failing it.",
    )


def _bundles(config: pytest.Config) -> list[Path]:
    """Where the bundles are that were named."""
    named: list[str] = getattr(config.known_args_namespace, "sealtrace", None) or []
    return [real_path(config.invocation_params.dir / bundle) for bundle in named]


def _within(path: Path, bundles: list[Path]) -> bool:
    place = real_path(path)
    return any(place.is_relative_to(bundle) for bundle in bundles)


class _Refusing(MetaPathFinder):
    """Finds every module but those of bundles: whichever setting leads to them, they are part of what is judged."""

    def __init__(self, bundles: list[Path]) -> None:
        self._bundles = bundles

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """What the others find."""
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, found), None)
        if spec is not None and spec.has_location and _within(Path(str(spec.origin)), self._bundles):
            raise ImportError(f"{spec.origin} is part of a bundle, and nothing of a bundle is run")
        return spec


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Nothing in a bundle is a setting, a plugin, a conftest.py or a test, however pytest was told to look there."""
    bundles = _bundles(early_config)
    if _within(early_config.rootpath, bundles):
        # pytest would keep its cache there, and each of its files would be one that no manifest lists.
        for name in ("cacheprovider", "stepwise", "lfplugin", "nfplugin", "stepwiseplugin"):
            early_config.pluginmanager.set_blocked(name)
            if (plugin := early_config.pluginmanager.get_plugin(name)) is not None:
                early_config.pluginmanager.unregister(plugin)
    if early_config.inipath is not None and _within(early_config.inipath, bundles):
        raise pytest.UsageError(
            f"pytest would take its settings from the bundle ({early_config.inipath}): "
            "start it elsewhere, and write --sealtrace=BUNDLE with an equals sign"
        )
    if bundles:
        sys.meta_path.insert(0, finder := _Refusing(bundles))
        early_config.add_cleanup(lambda: sys.meta_path.remove(finder))
    yield


def pytest_configure(config: pytest.Config) -> None:
    """Refuses files of a bundle that are named, or found by `testpaths`: pytest does not ask whether to ignore them."""
    for named in config.args:
        place = config.invocation_params.dir / named.partition("::")[0]
        if place.is_file() and _within(place, _bundles(config)):
            raise pytest.UsageError(f"{place} is part of a bundle, of which no file is collected")


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Nothing in a bundle is a test or a conftest.py of the project, whatever it is called."""
    return True if _within(collection_path, _bundles(config)) else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Adds the bundles to what the session collects, whichever tests were named."""
    report = yield
    if isinstance(collector, pytest.Session) and report.passed:
        taken: dict[str, int] = {}
        report.result = [
            *(report.result or []),
            *(
                BundleCollector.from_parent(
                    collector, name=bundle, nodeid=f"sealtrace::{bundle}", bundle=Path(bundle), taken=taken
                )
                for bundle in dict.fromkeys(collector.config.getoption("--sealtrace"))
            ),
        ]
    return report


class BundleCollector(pytest.Collector):
    """A bundle. It is verified once, when its tests are collected."""

    def __init__(self, *, bundle: Path, taken: dict[str, int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._bundle = bundle
        self._taken = taken

    def collect(self) -> Iterable[pytest.Item]:
        from sealtrace.api import verify
        from sealtrace.report.inert import harmless
        from sealtrace.report.numbers import by_table, judged_table
        from sealtrace.settings import read_settings

        here = self.config.invocation_params.dir
        place = here / self._bundle
        papers = [here / path for path in self.config.getoption("--sealtrace-reported")]
        report = verify(place, reported=papers, **read_settings(here).examining(place))
        name = harmless(report.subject.name) or "unnamed bundle"
        self._taken[name] = self._taken.get(name, 0) + 1
        if self._taken[name] > 1:
            # Two copies of one study may be compared.
            name = f"{name}#{self._taken[name]}"
        strict: bool = self.config.getoption("--sealtrace-strict")
        for check in report.checks:
            waived = any(finding.check == check.id and finding.waived for finding in report.findings)
            yield self._item(name, check.id, _judged_check(report, check, strict), waived)
        for label, numbers in by_table(report.numbers).items():
            yield self._item(name, harmless(label), judged_table(numbers, strict), any(one.waived for one in numbers))

    def _item(self, bundle: str, name: str, judged: _Judged, waived: bool) -> pytest.Item:
        status, lines = judged
        item: pytest.Item = VerdictItem.from_parent(
            self, name=name, nodeid=f"sealtrace::{bundle}::{name}", bundle=self._bundle, study=bundle, lines=lines
        )
        # So that `-k sealtrace` and `-k my-study` choose.
        item.extra_keyword_matches.update(("sealtrace", bundle))
        passed_over = self.config.getoption("--sealtrace-missing") == "skip"
        passed_over |= waived and self.config.getoption("--sealtrace-allow-waived")
        if status in ("skipped", "not-applicable") or (status == "missing" and passed_over):
            item.add_marker(pytest.mark.skip(reason=f"{status}: {lines[0]}"))
        return item

    def repr_failure(  # type: ignore[override]  # pytest's own collectors take no style either
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> Any:
        """An unreadable bundle in a sentence; a fault of the verifier with its traceback."""
        from sealtrace.bundle.defects import BundleError
        from sealtrace.report.inert import harmless

        if isinstance(excinfo.value, BundleError):
            return "\n".join(map(harmless, str(excinfo.value).splitlines()))
        return super().repr_failure(excinfo)


class VerdictError(Exception):
    """A check or a table that does not hold."""


class VerdictItem(pytest.Item):
    """What the verifier said of one check or one table."""

    def __init__(self, *, bundle: Path, study: str, lines: list[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._bundle = bundle
        self._study = study
        self._lines = lines

    def runtest(self) -> None:
        if self._lines:
            raise VerdictError("\n".join(self._lines))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings, without a traceback through this file."""
        if isinstance(excinfo.value, VerdictError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self._bundle, 0, f"{self._study} {self.name}"


def _judged_check(report: Result, check: CheckResult, strict: bool) -> _Judged:
    from sealtrace.report.findings import finding_lines
    from sealtrace.report.inert import harmless

    wanted = ("error", "warning") if strict else ("error",)
    lines = []
    for finding in report.findings:
        if finding.check == check.id and (finding.severity in wanted or finding.waived):
            place, *rest = finding_lines(finding)
            lines += [f"{finding.severity}: {place}", *(f"  {line}" for line in rest)]
    if check.status == "pass" and not lines:
        return "pass", []
    reason = f"{check.title}: {check.reason}" if check.reason else check.title
    return check.status, [harmless(line) for line in (reason, *lines)]
