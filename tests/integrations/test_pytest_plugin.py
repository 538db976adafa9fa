"""`pytest --sealtrace BUNDLE` in projects of users: within this process, and as they would type it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sealtrace.examination  # noqa: F401 - before pytester runs anything: libraries in C cannot be imported twice
from checks.mutations import MUTATIONS
from results.small_results import sealed_study
from sealtrace.bundle.sealing import seal
from sealtrace.checks.catalogue import CATALOGUE
from small_study import small_study
from support import FIXTURE, ROOT, copy_of_fixture, edit_document, unseal

OF_OTHER_STUDIES = (
    *("dataset.", "result.", "attempt.", "service."),
    *("behaviour.", "contest.", "game.", "match.", "profile.", "student."),
)
"""Families of checks that speak of records which the fixture does not have."""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a test of its own; another plugin of this environment takes seconds to start, and stays out."""
    pytester.makepyfile(test_own="def test_own(): pass")
    pytester.makeini("[pytest]\naddopts = -p no:hypothesispytest")
    return pytester


def test_a_user_types_it_in_a_project(tmp_path: Path) -> None:
    """One test per check and per table, beside those of the project; a check that does not apply is skipped."""
    (tmp_path / "test_own.py").write_text("def test_own(): pass")
    copy_of_fixture(tmp_path)
    options = ["-v", "-rs", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "--sealtrace", "bundle"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "test_own.py::test_own PASSED" in done.stdout
    for check in (one for one in CATALOGUE if not one.id.startswith(OF_OTHER_STUDIES)):
        assert f"sealtrace::rsd-fixture::{check.id} " in done.stdout
    assert "sealtrace::rsd-fixture::replay.tilt PASSED" in done.stdout
    assert "sealtrace::rsd-fixture::tab:main PASSED" in done.stdout
    assert "not-applicable: " in done.stdout
    assert "the study freezes no partition" in done.stdout


def test_failures_list_findings_and_tables_their_cells(project: pytest.Pytester, tmp_path: Path) -> None:
    """Without a traceback; what holds passes, and other bundles do, even two of one name."""
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    first, second = small_study(tmp_path / "a"), small_study(tmp_path / "b")
    result = project.runpytest("-v", *(f"--sealtrace={one}" for one in (bundle, first, second, first)))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["failed"] == 2
    result.stdout.fnmatch_lines(
        [
            "sealtrace::rsd-fixture::identity.root PASSED*",
            "sealtrace::small::identity.root PASSED*",
            "sealtrace::small#2::identity.root PASSED*",
            "*_ rsd-fixture table.cells _*",
            "error: report/table.*",
            "*_ rsd-fixture tab:main _*",
            "1 of 30 numbers differs",
            "differs (mismatch): *: printed *, given *",
            "FAILED sealtrace::rsd-fixture::table.cells*",
            "FAILED sealtrace::rsd-fixture::tab:main*",
        ]
    )
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
    result.stdout.no_fnmatch_line("sealtrace::small#3::*")


def test_warnings_fail_under_strict_and_absent_evidence_may_be_skipped(
    project: pytest.Pytester, tmp_path: Path
) -> None:
    """The fixture's paper rounds two cells twice; a check that lacks evidence is skipped with the reason."""
    study = small_study(tmp_path / "small")
    (study / "declare" / "label.test.jsonl").unlink()
    result = project.runpytest(
        f"--sealtrace={FIXTURE}",
        f"--sealtrace={study}",
        "-k",
        "sealtrace and (rsd-fixture or identity)",
        "--sealtrace-strict",
        "--sealtrace-missing=skip",
        "-ra",
    )
    result.stdout.fnmatch_lines(
        [
            "SKIPPED * missing: *",
            "FAILED sealtrace::rsd-fixture::table.cells*",
            "FAILED sealtrace::rsd-fixture::tab:rows-ev*",
            "FAILED sealtrace::rsd-fixture::text*",
            "FAILED sealtrace::small::identity.listing*",
        ]
    )
    result.stdout.no_fnmatch_line("FAILED sealtrace::small::identity.content*")


def test_a_waived_table_is_never_green(project: pytest.Pytester, tmp_path: Path) -> None:
    """The project's waivers hold here as for `verify`: it fails with the reason, or is skipped with it when asked."""
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    (project.path / "sealtrace.toml").write_text(
        '[[waivers]]\ncheck = "table.cells"\nplace = "table=tab:main"\n'
        'reason = "To be corrected."\nuntil = 2999-01-01\n'
    )
    chosen = ("-k", "tab:main or table.cells", f"--sealtrace={bundle}", "-rs")
    result = project.runpytest(*chosen)
    result.assert_outcomes(failed=2, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["1 of 30 numbers open or waived", "*Waived, not settled: To be*"])
    result = project.runpytest(*chosen, "--sealtrace-allow-waived")
    result.assert_outcomes(skipped=2, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(["SKIPPED * missing: *its findings are waived, not settled*"])


def test_missing_evidence_fails(project: pytest.Pytester, tmp_path: Path) -> None:
    """Absent evidence is not a pass."""
    study = small_study(tmp_path / "small")
    (study / "declare" / "label.test.jsonl").unlink()
    result = project.runpytest(f"--sealtrace={study}", "-k", "identity")
    result.stdout.fnmatch_lines(["FAILED sealtrace::small::identity.content*"])


def test_what_cannot_be_read_and_what_is_hostile(project: pytest.Pytester, tmp_path: Path) -> None:
    """An unreadable bundle is an error in a sentence; a label from a bundle cannot act on a terminal."""
    bundle = copy_of_fixture(tmp_path)

    def rename(record: dict[str, object]) -> None:
        record["label"] = "tab:\u202emain"

    edit_document(bundle / "report" / "table.main.json", rename)
    unseal(bundle)
    seal(bundle, empty={"structure": "No partition is learned."})
    result = project.runpytest(
        "--sealtrace=nowhere", f"--sealtrace={bundle}", "-v", "-k", "tab:", "--continue-on-collection-errors"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*::tab:\\u202emain PASSED*", "*nowhere: there is no such file or directory", "ERROR sealtrace::nowhere*"]
    )
    assert "\u202e" not in result.stdout.str()


def test_nothing_heavy_without_the_option(project: pytest.Pytester) -> None:
    """Every pytest run beside sealtrace loads the plugin, and must not pay for the verifier."""
    project.makepyfile(
        test_own="""
        import sys

        def test_own():
            assert "sealtrace.pytest_plugin" in sys.modules
            heavy = {"pydantic", "pyarrow", "numpy", "sealtrace.examination", "sealtrace.contract"}
            assert not heavy & set(sys.modules)
        """
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=1)


def test_documentation_names_the_options() -> None:
    """As the plugin has them."""
    page = (ROOT / "docs" / "in-your-project.md").read_text(encoding="utf-8")
    for option in ("pytest --sealtrace=", "--sealtrace-strict", "--sealtrace-missing=skip"):
        assert option in page


def test_a_paper_that_is_out_of_step(project: pytest.Pytester, tmp_path: Path) -> None:
    """`--sealtrace-reported` fails the check of the paper where a number was changed there alone."""
    study = sealed_study(tmp_path / "study")
    for paper, code in (("paper.tex", pytest.ExitCode.OK), ("changed_paper.tex", pytest.ExitCode.TESTS_FAILED)):
        place = ROOT / "tests" / "results" / paper
        options = (f"--sealtrace={study}", f"--sealtrace-reported={place}")
        assert project.runpytest("-q", "-k", "table.reported", *options).ret == code
