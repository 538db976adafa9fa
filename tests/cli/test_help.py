"""Help teaches by example: every command has one, and it runs as it stands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from cli.runner import process, sealtrace
from sealtrace.cli.main import COMMANDS
from sealtrace.paper.papers import PAPERS
from small_study import small_study
from support import ROOT, copy_of_fixture, unseal

NAMES = [*(name for name in COMMANDS if name != "disclose"), "disclose tree", "disclose rows"]
PAPER = ROOT / "examples" / "reading-rooms" / "paper.md"


def examples(command: str) -> list[list[str]]:
    """What the help of a command shows under its examples, as a shell reads it; what stands far behind is a remark."""
    text = sealtrace(*command.split(), "--help").output.partition("Examples:\n")[2].partition("\n\n")[0]
    lines = re.sub(r"\\\n *", "", text).splitlines()
    assert lines, f"the help of {command} has no example"
    return [shlex.split(line.strip().partition("     ")[0]) for line in lines]


@pytest.mark.parametrize("command", NAMES)
def test_all_examples_are_of_commands_that_there_are(command: str) -> None:
    """Each begins as it would be typed, and each of its options is one that the help lists."""
    for line in examples(command):
        assert line[0] == "sealtrace"
        assert line[1] in COMMANDS
        help_ = sealtrace(*line[1 : 3 if line[1] == "disclose" else 2], "--help").output
        for option in (word for word in line[2:] if word.startswith("-") and word != "-12,12"):
            assert option in help_, f"{shlex.join(line)}: {option}"


def artifact() -> None:
    copy_of_fixture(Path.cwd())
    Path("bundle").rename("artifact")


def paper() -> None:
    """The paper of the fixture's tables, so that the same cell can be explained of both."""
    source = (ROOT / "tests/relations/papers/planted.tex").read_text()
    Path("paper.tex").write_text(source)


def study() -> None:
    copy_of_fixture(Path.cwd())
    Path("study").mkdir()
    Path("bundle").rename("study/bundle")


def unsealed() -> None:
    copy_of_fixture(Path.cwd())
    unseal(Path("bundle"))
    Path("bundle").rename("study")


def signed() -> None:
    small_study(Path("study"))
    key = ed25519.Ed25519PrivateKey.generate()
    Path("key.pem").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def answers() -> None:
    rows = [{"item": f"q{place}", "model": "ours", "predicted": "yes"} for place in range(300)]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    Path("study/report").mkdir(parents=True)


def withheld() -> None:
    answers()
    assert sealtrace(*examples("disclose tree")[0][1:]).code == 0


PLACES: dict[str, Callable[[], object]] = {
    "check": lambda: shutil.copytree(PAPER.parent, "artifact"),
    **dict.fromkeys(("audit", "outline", "extract"), paper),
    **dict.fromkeys(("diff", "explain", "report", "certify", "macros", "attest"), artifact),
    **dict.fromkeys(("seal", "convert", "digest"), unsealed),
    "import": lambda: Path("results.csv").write_text("item,answer,gold\n1,a,b\n2,b,b\n3,a,a\n"),
    "bind": study,
    "try": lambda: shutil.copytree(ROOT / "bundles/classification/bundle", "draft"),
    "sign": signed,
    "disclose tree": answers,
    "disclose rows": withheld,
}
"""What stands in the directory in which the first example of a command is typed."""
FOUND = {"check": 1, "audit": 1}
"""Those of them that find something in what they are given."""


@pytest.mark.parametrize("command", NAMES)
def test_the_first_example_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Typed where the files that it names are, it does what it says."""
    monkeypatch.chdir(tmp_path)
    PLACES.get(command, lambda: None)()
    typed = examples(command)[0][1:]
    if command == "mcp":  # it serves until its input ends, in a process of its own
        assert process(*typed).returncode == 0
        return
    run = sealtrace(*typed)
    assert run.code == FOUND.get(command, 0), run.output + run.errors


def test_every_command_for_papers_names_every_kind_of_paper() -> None:
    """What is read is said in one breath in several places: a reader that is added must be named in all of them."""
    others = {".ltx", ".markdown", ".htm", ".tsv", ".pdf"}  # further endings of a kind; and PDF, which some do not take
    kinds = [ending for ending in PAPERS if ending not in others]
    told = {name: sealtrace(*name.split(), "--help").output for name in NAMES}
    told["action.yml"] = (ROOT / "action.yml").read_text()
    short = {name: [kind for kind in kinds if kind not in text] for name, text in told.items() if ".docx" in text}
    assert set(short) == {"check", "audit", "extract", "verify", "diff", "action.yml"}
    assert not any(short.values()), short
