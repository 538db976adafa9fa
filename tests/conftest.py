"""What holds for every test: none depends on how fast the machine is, and in CI none may be skipped."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

pytest_plugins = ["pytester"]

# Hypothesis would fail an example that takes longer than a fifth of a second; and CI tries the same ones every time.
settings.register_profile("any machine", deadline=None, derandomize=not os.environ.get("SEALTRACE_LONG"))
settings.load_profile("any machine")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failure: what CI cannot run, nobody has seen."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and exitstatus == 0 and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
