"""`sealtrace completion`."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> int:
    """Print a script that completes commands, options and their values in SHELL.

    Bash (4.4 or newer), in ~/.bashrc:

    \b
      eval "$(sealtrace completion bash)"

    Zsh, in ~/.zshrc, after compinit:

    \b
      eval "$(sealtrace completion zsh)"

    Fish, once:

    \b
      sealtrace completion fish > ~/.config/fish/completions/sealtrace.fish

    \b
    Examples:
      sealtrace completion bash
    """
    from click.shell_completion import get_completion_class

    from sealtrace.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    # Asking bash for its version, as `source` does first, would be about another bash than the reader's.
    completion = kind(cli, {}, "sealtrace", "_SEALTRACE_COMPLETE")
    click.echo(completion.source_template % completion.source_vars())
    return 0
