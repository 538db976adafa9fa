"""The GitHub action: its steps run as a runner would run them, in a workspace of their own."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from binding.random_studies import study, write_csv
from checks.mutations import MUTATIONS
from integrations.borrowed import borrowed, python_of
from small_study import small_study
from support import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["id"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


@dataclass(frozen=True)
class Ran:
    """What a step did."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


Runner = Callable[..., Ran]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The runner's directory after the step that installs, and the environment that it had."""
    runner = tmp_path_factory.mktemp("runner")
    environment = {**borrowed(runner), "RUNNER_TEMP": str(runner / "temp")}
    (runner / "temp").mkdir()
    done = run_step("install", runner, environment, {"python": str(python_of(runner))})
    assert done.code == 0, done.log
    assert (runner / "temp" / "sealtrace" / "bin" / "sealtrace").exists()
    return runner, environment


@pytest.fixture
def verify(installed: tuple[Path, dict[str, str]], tmp_path: Path) -> Runner:
    """Runs the step that verifies, with these inputs, in the test's own workspace."""

    def run(**inputs: str) -> Ran:
        return run_step(
            "verify", tmp_path, installed[1], {name.replace("_", "-"): text for name, text in inputs.items()}
        )

    return run


def run_step(name: str, workspace: Path, environment: dict[str, str], inputs: dict[str, str]) -> Ran:
    """As the runner does: expressions are put in their places, and bash runs the script."""
    if name in ("check", "verify") and (placed := run_step("place", workspace, environment, inputs)).code:
        return placed
    declared = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    values = {f"inputs.{name}": text for name, text in {**declared, **inputs}.items()}
    values["github.action_path"] = str(ROOT)
    step = STEPS[name]
    assert not EXPRESSION.search(step["run"])
    own = {key: EXPRESSION.sub(lambda found: values[found.group(1)], text) for key, text in step["env"].items()}
    files = {key: workspace / f".{key}" for key in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=workspace,
        env={
            **environment,
            **own,
            **{key: str(file) for key, file in files.items()},
            "GITHUB_WORKSPACE": str(workspace),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    pairs = [line.partition("=") for line in files["GITHUB_OUTPUT"].read_text().splitlines()]
    outputs = {key: value for key, _, value in pairs}
    return Ran(done.returncode, done.stdout, outputs, files["GITHUB_STEP_SUMMARY"].read_text())


def test_action_is_whole() -> None:
    """Composite, bash only, every input and output described, and every output that of a step."""
    assert ACTION["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" and "uses" not in step for step in STEPS.values())
    assert all(one["description"] for one in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))
    for name, one in ACTION["outputs"].items():
        assert one["value"] == f"${{{{ steps.verify.outputs.{name} }}}}"


def test_a_paper_is_checked_without_a_bundle(installed: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """The first step needs no set-up: a paper that follows passes, a changed digit fails at its line."""
    made = study(1)
    write_csv(tmp_path / "results/runs.csv", made.rows)
    paper = tmp_path / "paper/main.tex"
    paper.parent.mkdir()
    paper.write_text(made.paper)
    ran = run_step("check", tmp_path, installed[1], {"paper": "paper/main.tex", "results": "results"})
    assert ran.code == 0, ran.log
    assert {path.name for path in (tmp_path / "sealtrace-reports").iterdir()} == {"check.html", "check.json"}
    place = made.paper.index(".", made.paper.index("midrule")) + 2
    other = str((int(made.paper[place]) + 3) % 10)
    paper.write_text(made.paper[:place] + other + made.paper[place + 1 :])
    ran = run_step("check", tmp_path, installed[1], {"paper": "paper/main.tex", "results": "results"})
    assert ran.code == 1
    assert "::error file=paper/main.tex,line=" in ran.log


def test_a_verified_bundle(verify: Runner, tmp_path: Path) -> None:
    """Files, outputs and the summary, in a workspace whose names have spaces."""
    small_study(tmp_path / "my artifact")
    ran = verify(bundle="my artifact", output="my reports")
    assert ran.code == 0, ran.log
    assert "::notice title=sealtrace%3A Verified::" in ran.log
    files = {
        name: f"my reports/sealtrace.{end}"
        for name, end in {"sarif": "sarif", "junit": "xml", "markdown": "md"}.items()
    }
    assert {name: ran.outputs[name] for name in files} == files
    assert ran.outputs["verdict"] == "verified"
    assert re.fullmatch("[0-9a-f]{64}", ran.outputs["root"])
    assert {path.name for path in (tmp_path / "my reports").iterdir()} == {Path(one).name for one in files.values()}
    assert ran.summary == (tmp_path / files["markdown"]).read_text()
    assert ran.summary.startswith("## Verified: small")
    assert verify(bundle="my artifact", expect_root=ran.outputs["root"], formats="").outputs["verdict"] == "verified"
    other = verify(bundle="my artifact", expect_root="0" * 64, formats="json,\ntext html")
    assert (other.code, other.outputs["verdict"]) == (1, "findings")
    assert set(other.outputs) == {"verdict", "root", "json", "text", "html"}


def test_findings_fail_the_job_after_everything_is_written(verify: Runner, tmp_path: Path) -> None:
    """Annotations with file and line, outputs for later steps, and the exit code of `verify`."""
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    ran = verify(bundle=bundle.name)
    assert (ran.code, ran.outputs["verdict"]) == (1, "findings")
    assert "::error file=rsd-poker.tex,line=676,title=table.cells::" in ran.log
    assert (tmp_path / ran.outputs["sarif"]).exists()
    assert ran.summary.startswith("## Findings: rsd-fixture")


def test_what_cannot_be_done(verify: Runner, tmp_path: Path) -> None:
    """Exit code 2, no verdict, and no file of an earlier run that could be taken for a new one."""
    small_study(tmp_path / "artifact")
    assert verify(bundle="artifact").code == 0
    ran = verify(bundle="nowhere")
    assert (ran.code, ran.outputs, ran.summary) == (2, {}, "")
    assert list((tmp_path / "sealtrace-reports").iterdir()) == []
    ran = verify(bundle="artifact", formats="sarif pdf")
    assert (ran.code, ran.outputs) == (2, {})
    assert "no format pdf" in ran.log
    assert verify(bundle="$(touch gone)").code == 2
    assert not (tmp_path / "gone").exists()


def test_nothing_of_the_workspace_is_imported(installed: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """It holds what is judged. A module there that Python or sealtrace would import could forge the verdict."""
    names = ("venv", "pip", "json", "sys", "click", "encodings", "sitecustomize", "usercustomize", "site", "runpy")
    evil = f"import pathlib; pathlib.Path({str(tmp_path / 'executed')!r}).touch(); print('verdict=verified')\n"
    for name in names:
        (tmp_path / f"{name}.py").write_text(evil)
    for package in ("sealtrace", "ensurepip", "pyarrow"):
        (tmp_path / package).mkdir()
        for module in ("__init__", "__main__"):
            (tmp_path / package / f"{module}.py").write_text(evil)
    (tmp_path / "temp").mkdir()
    runner = {**installed[1], "RUNNER_TEMP": str(tmp_path / "temp")}
    assert run_step("install", tmp_path, runner, {"python": str(installed[0] / "python")}).code == 0
    bundle = MUTATIONS["table.cells"].broken(tmp_path)
    ran = run_step("verify", tmp_path, installed[1], {"bundle": bundle.name})
    assert (ran.code, ran.outputs["verdict"]) == (1, "findings"), ran.log
    made = study(1)
    write_csv(tmp_path / "results/runs.csv", made.rows)
    (tmp_path / "paper.tex").write_text(made.paper)
    assert run_step("check", tmp_path, installed[1], {"paper": "paper.tex", "results": "results"}).code == 0
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("output", ["sealtrace-reports", "linked/reports", "{workspace}/linked/a/b", "a/../linked/x"])
def test_reports_are_written_through_no_link(verify: Runner, tmp_path: Path, output: str) -> None:
    """What is judged may bring one where the reports are expected."""
    workspace, outside = tmp_path, tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    small_study(workspace / "artifact")
    (workspace / "sealtrace-reports").symlink_to(outside)
    (workspace / "linked").symlink_to(outside)
    ran = verify(bundle="artifact", output=output.format(workspace=workspace))
    assert (ran.code, list(outside.iterdir())) == (2, [])
    assert "::error title=sealtrace::output leads out of the workspace" in ran.log
    assert verify(bundle="artifact", output="own/reports").code == 0
    assert (workspace / "own" / "reports" / "sealtrace.sarif").is_file()


@pytest.mark.parametrize(("text", "code"), [("TRUE", 1), ("True", 1), ("yes", 1), ("false", 0), ("No", 0), ("ture", 2)])
def test_strict_as_people_write_it(verify: Runner, tmp_path: Path, text: str, code: int) -> None:
    """What is neither true nor false is refused, because it would let warnings pass."""
    small_study(tmp_path / "artifact")
    (tmp_path / "artifact" / "witnesses").mkdir()
    (tmp_path / "artifact" / "witnesses" / "root.sigstore.json").write_text("{}")
    assert verify(bundle="artifact", strict=text).code == code


@pytest.mark.parametrize("name", ["output", "strict"])
def test_a_line_break_in_an_input_adds_no_output(verify: Runner, tmp_path: Path, name: str) -> None:
    """A second line would be an output of its own, or a command of the runner."""
    small_study(tmp_path / "artifact")
    (tmp_path / "artifact" / "stray.txt").write_text("not listed")
    ran = verify(bundle="artifact", **{name: "x\nverdict=verified\n::notice::forged"})
    assert (ran.code, ran.outputs) == (2, {})
    assert "\n::notice::forged" not in ran.log


def test_installed_package_brings_its_templates(installed: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """They are no Python, and must be in the wheel all the same."""
    script = installed[0] / "temp" / "sealtrace" / "bin" / "sealtrace"
    for kind in ("results", "policies"):
        command: list[str | Path] = [script, "init", tmp_path / kind, "--kind", kind]
        subprocess.run(command, env=installed[1], check=True, capture_output=True)
        assert (tmp_path / kind / "bundle" / "declare" / "protocol.json").exists()


def test_documented_workflow_uses_what_there_is() -> None:
    """Inputs and outputs of the example are the action's."""
    page = (ROOT / "docs" / "in-your-project.md").read_text(encoding="utf-8")
    block = next(text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "jobs:" in text)
    steps = yaml.safe_load(block)["jobs"]["verify"]["steps"]
    (own,) = (step for step in steps if step.get("uses") == "./.sealtrace")
    assert set(own["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(rf"steps\.{own['id']}\.outputs\.(\w+)", block)) <= set(ACTION["outputs"])
