"""What every test shares: where things are, and the rule that a skip is never silent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# On a busy machine Hypothesis's own clock fails tests that are right.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
MUST_RUN = (ROOT / "tests" / "must_run.txt").read_text().split()
LONGEST = (ROOT / "tests" / "longest_first.txt").read_text().split()


def inquest(*args: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does, without colours, 120 columns wide."""
    return subprocess.run(
        [sys.executable, "-m", "inquest", *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **(env or {})},
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first: two workers then end together, not one long after the other."""
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.location[0], len(rank)))


_skipped: list[tuple[str, str]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _skipped.append((report.nodeid, reason.removeprefix("Skipped: ")))


def _forbidden() -> list[str]:
    """Skipped tests that may not be skipped in CI."""
    if os.environ.get("CI") != "true":
        return []
    return [nodeid for nodeid, _ in _skipped if any(nodeid.startswith(prefix) for prefix in MUST_RUN)]


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _skipped:
        return
    terminalreporter.section(f"{len(_skipped)} skipped, and why")
    for nodeid, reason in sorted(_skipped):
        terminalreporter.write_line(f"{nodeid}: {reason}")
    for nodeid in _forbidden():
        terminalreporter.write_line(f"must run in CI (tests/must_run.txt): {nodeid}", red=True)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if not hasattr(session.config, "workerinput") and exitstatus == 0 and _forbidden():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def shared() -> Path:
    """The folder of reference material beside the checkout; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not beside this checkout")
    return SHARED


@pytest.fixture
def recorded() -> Path:
    """The shipped recordings of real jobs."""
    return ROOT / "samples" / "recorded"
