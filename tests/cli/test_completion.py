"""`sealtrace completion`: scripts that real shells take, where they are installed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.runner import sealtrace
from sealtrace.cli.main import COMMANDS

ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def completed(*words: str) -> list[str]:
    """What bash offers for the last word, after it has read the script as its user would."""
    program = (
        'eval "$(sealtrace completion bash)"\n'
        'COMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n'
        'read -ra found <<< "$(complete -p sealtrace)"\n'
        "for ((at = 0; at < ${#found[@]}; at++)); do\n"
        "  if [[ ${found[at]} == -F ]]; then function=${found[at + 1]}; fi\n"
        "done\n"
        '"$function" sealtrace "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", program, "bash", *words], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_completes_commands_options_and_values() -> None:
    """`sealtrace ver<TAB>`, an option of it, and a value of that."""
    assert completed("sealtrace", "ver") == ["verify"]
    assert completed("sealtrace", "") == list(COMMANDS)
    assert completed("sealtrace", "import", "--dis") == ["--distinct"]
    assert completed("sealtrace", "verify", "--format", "ju") == ["junit"]
    assert completed("sealtrace", "completion", "") == ["bash", "zsh", "fish"]


def _shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed; .ci/run installs it")
    return found


def test_fish_completes_commands_options_and_values() -> None:
    """As fish itself says what it would offer."""
    script = "sealtrace completion fish | source\n"
    asked = ("sealtrace veri", "sealtrace import --dis", "sealtrace verify --format ju", "sealtrace completion z")
    script += "".join(f"complete --do-complete '{one}'\n" for one in asked)
    done = subprocess.run(
        [_shell("fish"), "--no-config", "-c", script], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["verify", "--distinct", "junit", "zsh"]


def test_zsh_completes_commands_options_and_values(tmp_path: Path) -> None:
    """Typed on a terminal: the word that Tab completes is echoed by the shell itself."""
    shell, result = _shell("zsh"), tmp_path / "typed"
    controller, terminal = pty.openpty()
    environment = {**ENVIRONMENT, "ZDOTDIR": str(tmp_path), "TERM": "dumb", "PS1": "ready> ", "HOME": str(tmp_path)}
    zsh = subprocess.Popen(
        [shell, "-f", "-i"], stdin=terminal, stdout=terminal, stderr=terminal, env=environment, close_fds=True,
        start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    # The cursor goes to the beginning of the line, and what was completed becomes the words of an echo.
    lines = [
        'autoload -U compinit; compinit -u -D; eval "$(sealtrace completion zsh)"\r',
        *(
            f"sealtrace {typed}\t\x01print -r -- >> {result} \r"
            for typed in ("veri", "import --disti", "verify --format jun", "completion zs")
        ),
        "exit\r",
    ]
    try:
        os.write(controller, "".join(lines).encode())
        # Read to the end: the shell would wait for room otherwise, and closes the terminal when it ends.
        while select.select([controller], [], [], 120)[0]:
            try:
                if not os.read(controller, 65536):
                    break
            except OSError:
                break
        assert zsh.wait(120) == 0
    finally:
        if zsh.poll() is None:
            zsh.kill()
        os.close(controller)
    assert [line.split()[-1] for line in result.read_text().splitlines()] == ["verify", "--distinct", "junit", "zsh"]


@pytest.mark.parametrize(
    ("shell", "registers"),
    [
        ("bash", "complete -o nosort -F _sealtrace_completion sealtrace"),
        ("zsh", "compdef _sealtrace_completion sealtrace"),
        ("fish", "complete --no-files --command sealtrace"),
    ],
)
def test_scripts_register_the_command(shell: str, registers: str) -> None:
    """Each asks `sealtrace` itself through its variable, and a shell that is there can read it."""
    run = sealtrace("completion", shell)
    assert (run.code, run.errors) == (0, "")
    assert f"_SEALTRACE_COMPLETE={shell}_complete" in run.output
    assert registers in run.output
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=run.output, text=True, check=True)


def test_another_shell_is_a_usage_error() -> None:
    """With the list of those that there are."""
    run = sealtrace("completion", "csh")
    assert run.code == 2
    assert "'bash', 'zsh', 'fish'" in run.errors


def test_help_says_where_the_script_goes() -> None:
    """Within the width of a terminal."""
    run = sealtrace("completion", "--help")
    assert "~/.bashrc" in run.output
    assert "~/.config/fish/completions/sealtrace.fish" in run.output
    assert all(len(line) <= 80 for line in run.output.splitlines())
