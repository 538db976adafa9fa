"""In CI a skipped test is a failure: what CI cannot run, nobody has seen."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["pytester"]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Turns skips into a failing exit status under CI."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and exitstatus == 0 and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
