"""What the site has besides docs/: the README as its first page, the studies, the decisions, and live pages.

MkDocs calls these functions while it builds. Links are written for a checkout; here they are led to the site's pages.
"""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = "adr/index.md"
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def places() -> dict[str, str]:
    """A file of the repository to its page; files of docs/ keep their names."""
    found = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
    found |= {"reports": "demos.md", "docs/adr": DECISIONS, "LICENSE": "LICENSE.txt"}
    found |= {f"bundles/{one}/README.md": f"studies/{one}.md" for one in _studies()}
    for path in sorted((ROOT / "reports").glob("*/*.html")):
        found[path.relative_to(ROOT).as_posix()] = f"demos/{path.parent.name}-{path.stem}.html"
    # The audit as Markdown is for reviews; on the site its page says the same.
    found |= {f"reports/{one}/audit.md": "demos.md" for one in _studies()}
    for path in (ROOT / "docs").rglob("*"):
        found.setdefault(path.relative_to(ROOT).as_posix(), path.relative_to(ROOT / "docs").as_posix())
    return found


def _studies() -> list[str]:
    return sorted(path.parent.name for path in ROOT.glob("bundles/*/README.md"))


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Lists the studies, the decisions and pages that nobody sorted in: they need no line in mkdocs.yml."""
    assert config.nav is not None
    sorted_in = json.dumps(config.nav)
    others = [path.name for path in sorted((ROOT / "docs").glob("*.md")) if f'"{path.name}"' not in sorted_in]
    if others:
        config.nav.append({"More": others})
    decisions = sorted((ROOT / "docs" / "adr").glob("*.md"))
    listed = [f"adr/{path.name}" for path in decisions]
    config.nav.append({"Studies": [{name: f"studies/{name}.md"} for name in _studies()]})
    config.nav.append(
        {"Decisions": [DECISIONS, *({_title(path): page} for path, page in zip(decisions, listed, strict=True))]}
    )
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds what does not lie in docs/."""
    for source, target in places().items():
        path = ROOT / source
        if path.is_file() and not source.startswith("docs/") and target != "demos.md":
            files.append(File.generated(config, target, abs_src_path=str(path)))
    decisions = sorted((ROOT / "docs" / "adr").glob("*.md"))
    text = "# Decisions\n\nWhat a newcomer would question, and why it is so.\n\n"
    text += "".join(f"- [{_title(path)}]({path.name})\n" for path in decisions)
    files.append(File.generated(config, DECISIONS, content=text))
    files.append(File.generated(config, "demos.md", content=_demos()))
    return files


def _demos() -> str:
    """The pages of the shipped studies, as `make reports` wrote them."""
    lines = [
        "# Live pages",
        "",
        "What `sealtrace report` writes of each shipped study. Every page is one file that opens from disk and asks no "
        "server for anything; the links below lead to the very files of `reports/`.",
        "",
        "| Study | Verdict | Numbers | Checks that hold | Pages |",
        "|---|---|---:|---:|---|",
    ]
    for name in sorted(path.parent.name for path in (ROOT / "reports").glob("*/report.json")):
        report = json.loads((ROOT / "reports" / name / "report.json").read_text(encoding="utf-8"))
        holding = sum(check["status"] == "pass" for check in report["checks"])
        pages = [
            f"[{path.stem}](demos/{name}-{path.stem}.html) ({path.stat().st_size // 1000} kB)"
            for path in sorted((ROOT / "reports" / name).glob("*.html"))
        ]
        cells = report["coverage"]["numbers"]
        lines.append(
            f"| [{name}](studies/{name}.md) | {report['verdict']} | {cells} | {holding} | {', '.join(pages)} |"
        )
    return "\n".join(lines) + "\n"


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Leads links to where their files are on the site; what is not on it is named without a link."""
    sources = {target: source for source, target in places().items() if not source.startswith("reports/")}
    source = sources.get(page.file.src_uri)
    if source is None or page.file.src_uri in (DECISIONS, "demos.md"):
        return markdown
    known = places()

    def led(match: re.Match[str]) -> str:
        image, text, target = match.groups()
        path, mark, anchor = target.partition("#")
        if not path or ":" in path:
            return match.group()
        there = known.get(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))
        if there is None:
            return text
        return f"{image}[{text}]({posixpath.relpath(there, posixpath.dirname(page.file.src_uri) or '.')}{mark}{anchor})"

    return _LINK.sub(led, markdown)
