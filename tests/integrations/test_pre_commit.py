"""The pre-commit hook: a project with the documented configuration, run by pre-commit itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from integrations.borrowed import borrowed
from small_study import small_study
from support import ROOT

NEEDED = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "verifier", "schemas")
"""What a repository must hold for the package to be built from it, besides the embedded bundle."""


def test_hook_in_a_project(tmp_path: Path) -> None:
    """It is installed from a repository, passes for a verified bundle, and fails for another with the report."""
    environment = borrowed(tmp_path) | {
        "PRE_COMMIT_HOME": str(tmp_path / "cache"),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "test",
        "GIT_AUTHOR_EMAIL": "test@example.invalid",
        "GIT_COMMITTER_NAME": "test",
        "GIT_COMMITTER_EMAIL": "test@example.invalid",
    }

    def run(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)

    def committed(directory: Path) -> str:
        for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "everything"]):
            done = run(directory, "git", *command)
            assert done.returncode == 0, done.stderr
        return run(directory, "git", "rev-parse", "HEAD").stdout.strip()

    repository, project = tmp_path / "repository", tmp_path / "project"
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, repository / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            repository.mkdir(exist_ok=True)
            shutil.copy(source, repository / name)
    shutil.copytree(ROOT / "bundles/rsd-fixture/bundle", repository / "bundles/rsd-fixture/bundle")
    page = (ROOT / "docs" / "in-your-project.md").read_text(encoding="utf-8")
    block = next(text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "repos:" in text)
    configuration = yaml.safe_load(block)
    configuration["repos"][0] |= {"repo": str(repository), "rev": committed(repository)}
    configuration["repos"][0]["hooks"] = [
        {"id": hook["id"], "args": hook["args"]} for hook in configuration["repos"][0]["hooks"]
    ]
    for hook in configuration["repos"][0]["hooks"]:
        # The small study has no paper to keep in step.
        hook["args"] = [one for one in hook["args"] if one not in ("--reported", "paper/main.tex")]
    small_study(project / "artifact")
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    committed(project)

    command = (sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose")
    done = run(project, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sealtrace verify" in done.stdout
    assert "VERIFIED  small" in done.stdout

    with (project / "artifact" / "declare" / "label.test.jsonl").open("a") as file:
        file.write("\n")
    done = run(project, *command)
    assert done.returncode == 1
    assert "FINDINGS  small" in done.stdout


def test_hook_without_arguments_names_no_embedded_study() -> None:
    """`sealtrace verify` alone would verify the fixture, which is nobody's paper."""
    hooks = {one["id"]: one for one in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert hooks.keys() == {"sealtrace-check", "sealtrace-verify"}
    assert hooks["sealtrace-verify"]["entry"] == "sealtrace verify"
    assert hooks["sealtrace-verify"]["args"] == ["bundle"]
    for hook in hooks.values():
        assert (hook["language"], hook["pass_filenames"]) == ("python", False)
