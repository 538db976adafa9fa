"""`sealtrace mcp`: a real client over standard input and output gets the JSON reports."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from small_study import small_study
from support import FIXTURE, ROOT

EXAMPLE = ROOT / "examples" / "reading-rooms"


def asked(
    start: Path, *calls: tuple[str, dict[str, Any]], options: tuple[str, ...] = ()
) -> tuple[list[str], list[tuple[bool, str]]]:
    """The tools that the server offers, and whether each call failed, with its text."""
    # Not above: every worker reads every file, and one of them runs this.
    import anyio
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk() -> tuple[list[str], list[tuple[bool, str]]]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "sealtrace", "mcp", *options],
            env={**os.environ, "NO_COLOR": "1"},
            cwd=start,
        )
        async with Client(stdio_client(server)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            answers = [await client.call_tool(name, arguments) for name, arguments in calls]
        return tools, [(bool(one.is_error), one.content[0].text) for one in answers]  # type: ignore[union-attr]

    return anyio.run(talk)


def test_tools_answer_with_summaries(tmp_path: Path) -> None:
    """Each is what the command of its name says; an error is a sentence, and the server goes on."""
    study = small_study(tmp_path / "study")
    for number in range(30):
        (study / f"stray-{number:02}.txt").write_text("not listed")
    shutil.copytree(FIXTURE, tmp_path / "fixture")
    shutil.copytree(EXAMPLE, tmp_path / "example")
    tools, answers = asked(
        tmp_path,
        ("verify", {"bundle": "stuyd"}),
        ("verify", {"bundle": str(study)}),
        ("more", {"handle": "answer-1", "part": "findings", "first": 20}),
        ("explain", {"bundle": "fixture", "cell": "tab:main[0.08, Weak EV]"}),
        ("check", {"paper": "example/paper.md", "results": "example/results"}),
        ("audit", {"paper": "example/paper.md"}),
        ("verify", {"bundle": "fixture"}),
    )
    assert tools == ["outline", "decide", "coverage", "check", "verify", "explain", "audit", "more"]
    failed, said = answers[0]
    assert failed
    assert "there is no such file or directory; did you mean" in said
    assert [failed for failed, _ in answers[1:]] == [False] * 6
    report = json.loads(answers[1][1])
    assert (report["verdict"], report["findings"][0]["source"]) == ("findings", "stray-00.txt")
    assert (len(report["findings"]), report["more"]["parts"]["findings"]) == (20, 30)
    rest = json.loads(answers[2][1])
    assert (rest["of"], [one["source"] for one in rest["entries"]][-1]) == (30, "stray-29.txt")
    explained = json.loads(answers[3][1])
    assert (explained["printed"], explained["word"], explained["count"]) == ("4.2889", "follows", 24)
    checked = json.loads(answers[4][1])
    assert checked["verdict"] == "findings"
    assert "the results give 75.8" in next(one["says"] for one in checked["numbers"] if one["word"] == "differs")
    # Nothing that a wrong number could break was found in so small a paper.
    assert json.loads(answers[5][1])["verdict"] == "incomplete"
    assert len(answers[6][1]) < 40_000


def test_what_was_not_allowed_is_refused(tmp_path: Path) -> None:
    """A demand that is not heard, a file elsewhere, and an address would each be answered with "verified" or worse."""
    (tmp_path / "start").mkdir()
    small_study(tmp_path / "start" / "study")
    small_study(tmp_path / "elsewhere")
    (tmp_path / "start" / "link").symlink_to(tmp_path / "elsewhere")
    host = "http://127.0.0.1:9"
    _, answers = asked(
        tmp_path / "start",
        ("verify", {"bundle": "study", "expect-root": "0" * 64}),
        ("verify", {"bundle": "study", "require_signatures": ["key.pem"]}),
        ("verify", {"bundle": "study", "require_signature": ["key.pem"]}),
        ("verify", {"bundle": "../elsewhere"}),
        ("verify", {"bundle": "link"}),
        ("verify", {"bundle": f"file://{tmp_path}/elsewhere"}),
        ("check", {"paper": "/etc/hostname", "results": "study"}),
        ("verify", {"bundle": "http://127.0.0.1:10/a.zip"}),
        ("verify", {"bundle": f"{host}/allowed-not/a.zip"}),
        ("verify", {"bundle": f"{host}/allowed/%2e%2e/a.zip"}),
        ("verify", {"bundle": f"{host}/allowed/a.zip"}),
        options=("--allow-address", f"{host}/allowed"),
    )
    assert [failed for failed, _ in answers] == [True] * 11
    messages = [
        "did you mean 'expect_root'?",
        "did you mean 'require_signature'?",
        "key.pem",
        *["where the server was started"] * 4,
        *["no address is opened"] * 3,
        "cannot be fetched",
    ]
    for (_, said), message in zip(answers, messages, strict=True):
        assert message in said


def test_nothing_above_the_working_directory_is_put_into_a_paper(tmp_path: Path) -> None:
    """The repository may begin above it, and a directory that somebody else made may hold links and pipes."""
    start, secret = tmp_path / "repository" / "start", tmp_path / "repository" / "secret.tex"
    (start / "linked").mkdir(parents=True)
    (start / "folder").mkdir()
    (tmp_path / "repository" / ".git").mkdir()
    table = "\\begin{tabular}{lr}\nName & Value \\\\\n%s & 4711 \\\\\n\\end{tabular}\n"
    secret.write_text("\\documentclass{article}\\begin{document}\n" + table % "Secret" + "\\end{document}\n")
    (start / "paper.tex").write_text(table % "Own" + "\\input{../secret}\n")
    (start / "linked" / "table.a.json").symlink_to(secret)
    (start / "folder" / "inner").symlink_to(tmp_path / "repository")
    os.mkfifo(start / "pipe.tex")
    _, answers = asked(
        start,
        ("audit", {"paper": "paper.tex"}),
        ("check", {"paper": "paper.tex", "results": "linked"}),
        ("audit", {"paper": "linked"}),
        ("check", {"paper": "folder", "results": "folder"}),
        ("audit", {"paper": "pipe.tex"}),
        ("audit", {"paper": "x" * 5000}),
        ("verify", {"bundle": "a\0b"}),
        ("verify", {"bundle": "paper.tex", "require_signature": ["a\0b"]}),
    )
    assert [failed for failed, _ in answers] == [False, True, True, True, True, True, True, True]
    assert "x: File name too long" in answers[5][1]
    assert all(r"'a\x00b': no file has such a name" in said for _, said in answers[6:])
    assert not any("Secret" in said for _, said in answers)
    assert "a link that leads outside" in answers[2][1]


def test_claims_of_an_assistant_are_decided(tmp_path: Path) -> None:
    """The outline gives addresses; a claim over them is decided, one that is not tied to the paper is refused."""
    text = "Of the 200 rooms, 30 (10.0%) were closed.\n\nThe mean was 4.5 days.\n"
    (tmp_path / "paper.md").write_text(text)
    broken = 'claim share\n  at s1 "Of the 200 rooms, 30 (10.0%)"\n  reads #10.0% == 100 * #30 / #200\n'
    refused = 'claim other\n  at s1 "of the 300 rooms"\n  reads #300 == #30\n'
    _, answers = asked(
        tmp_path,
        ("outline", {"papers": ["paper.md"]}),
        ("decide", {"papers": ["paper.md"], "claims": broken + refused}),
        ("coverage", {"papers": ["paper.md"], "claims": broken}),
        ("outline", {"papers": ["../paper.md"]}),
        ("decide", {"papers": ["paper.md"], "claims": "claim x\n  reeds 1 == 1\n"}),
    )
    assert [failed for failed, _ in answers] == [False, False, False, True, True]
    assert "s1  Of the 200 rooms, 30 (10.0%) were closed." in answers[0][1]
    assert [one["grade"] for one in json.loads(answers[1][1])["claims"]] == ["contradiction", "refused"]
    assert [one["id"] for one in json.loads(answers[2][1])["sentences"]] == ["s2"]
    assert "where the server was started" in answers[3][1]
    assert "claims:2: reeds: no line of a claim; did you mean 'reads'" in answers[4][1]
