"""`sealtrace mcp`: a real client over standard input and output gets the JSON reports."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from sealtrace.contract.report import Report
from small_study import small_study
from support import FIXTURE, ROOT

EXAMPLE = ROOT / "examples" / "reading-rooms"


def asked(*calls: tuple[str, dict[str, Any]]) -> tuple[list[str], list[tuple[bool, str]]]:
    """The tools that the server offers, and whether each call failed, with its text."""
    # Not above: every worker reads every file, and one of them runs this.
    import anyio
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk() -> tuple[list[str], list[tuple[bool, str]]]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "sealtrace", "mcp"], env={**os.environ, "NO_COLOR": "1"}
        )
        async with Client(stdio_client(server)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            answers = [await client.call_tool(name, arguments) for name, arguments in calls]
        return tools, [(bool(one.is_error), one.content[0].text) for one in answers]  # type: ignore[union-attr]

    return anyio.run(talk)


def test_tools_answer_with_reports(tmp_path: Path) -> None:
    """Each is what the command of its name says; an error is a sentence, and the server goes on."""
    study = small_study(tmp_path / "study")
    (study / "stray.txt").write_text("not listed")
    tools, answers = asked(
        ("verify", {"bundle": str(tmp_path / "stuyd")}),
        ("verify", {"bundle": str(study)}),
        ("explain", {"bundle": str(FIXTURE), "cell": "tab:main[0.08, Weak EV]"}),
        ("check", {"paper": str(EXAMPLE / "paper.md"), "results": str(EXAMPLE / "results")}),
        ("audit", {"paper": str(EXAMPLE / "paper.md")}),
    )
    assert tools == ["check", "verify", "explain", "audit"]
    failed, said = answers[0]
    assert failed
    assert "there is no such file or directory; did you mean" in said
    assert [failed for failed, _ in answers[1:]] == [False] * 4
    report = Report.model_validate_json(answers[1][1])
    assert (report.verdict, report.findings[0].source) == ("findings", "stray.txt")
    explained = json.loads(answers[2][1])
    assert (explained["reported"], explained["status"], explained["records"]) == ("4.2889", "exact", 24)
    checked = json.loads(answers[3][1])
    assert checked["verdict"] == "off"
    assert "the results give 75.8" in next(one["message"] for one in checked["cells"] if one["status"] == "off")
    # Nothing that a wrong number could break was found in so small a paper.
    assert json.loads(answers[4][1])["verdict"] == "incomplete"
