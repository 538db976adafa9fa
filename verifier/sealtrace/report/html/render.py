"""How a page is put together from its own files.

Everything from a bundle or a paper is made harmless and escaped, and a content security policy lets only the page's
own script and styles act.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from sealtrace.contract.result import WORDS, CheckResult, Result
from sealtrace.report.html.data import island, layouts, table_heads
from sealtrace.report.html.of_result import Page
from sealtrace.report.html.page import CHECK_SIGNS, CHECK_WORDS, SEVERITY_SIGNS, look
from sealtrace.report.inert import harmless
from sealtrace.report.text import fit_in_words


def render(result: Result) -> str:
    page = Page(result)
    style, script = own_file("style.css"), own_file("page.js")
    tables = layouts(page)
    severities: Counter[str] = Counter(item.severity for item in page.items)
    return (
        environment()
        .from_string(own_file("template.html.j2"))
        .render(
            page=page,
            policy=f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; img-src data:; "
            "base-uri 'none'; form-action 'none'",
            # The page's own files: nothing of a bundle is in them.
            style=Markup(style),
            script=Markup(script),
            island=Markup(island(page, tables)),
            sign=CHECK_SIGNS[{"verified": "pass", "findings": "fail", "incomplete": "missing"}[page.verdict]],
            tables=table_heads(page, tables),
            coverage=coverage_parts(page),
            severities={name: severities[name] for name in SEVERITY_SIGNS if severities[name]},
            severity_signs=SEVERITY_SIGNS,
            families=check_families(result.checks),
            found={item.check for item in page.items},
            check_signs=CHECK_SIGNS,
            check_words=CHECK_WORDS,
            fit=fit_in_words,
        )
    )


def render_index(reports: Mapping[str, Result]) -> str:
    """Several studies on one page: directory to the report whose page lies in it."""
    style = own_file("style.css")
    verdicts = [report.verdict for report in reports.values()]
    verdict = next((verdict for verdict in ("findings", "incomplete") if verdict in verdicts), "verified")
    return (
        environment()
        .from_string(own_file("index.html.j2"))
        .render(
            reports=reports,
            settled=verdicts.count("verified"),
            verdict=verdict,
            policy=f"default-src 'none'; style-src {hash_of(style)}; base-uri 'none'; form-action 'none'",
            style=Markup(style),
            signs={"verified": "✓", "findings": "✗", "incomplete": "?"},
            looks={"verified": "agree", "findings": "differ", "incomplete": "absent"},
        )
    )


def check_families(checks: list[CheckResult]) -> list[dict[str, Any]]:
    """The checks in order, by the first part of their ids; a family looks as the worst of them does."""
    families: dict[str, list[CheckResult]] = {}
    for check in checks:
        families.setdefault(check.id.partition(".")[0], []).append(check)
    several = {"holds": "hold", "fails": "fail"}
    found = []
    for name, members in families.items():
        counts: Counter[str] = Counter(check.status for check in members)
        told = [(counts[status], word) for status, word in CHECK_WORDS.items() if counts[status]]
        summary = ", ".join(f"{count} {several.get(word, word) if count != 1 else word}" for count, word in told)
        worst = next(status for status in ("fail", "missing", "skipped", "pass", "not-applicable") if counts[status])
        found.append({"name": name, "checks": members, "summary": summary, "worst": worst})
    return found


def coverage_parts(page: Page) -> list[dict[str, object]]:
    """How the numbers are accounted for, as pieces of a bar that is a thousand wide."""
    statuses = Counter(one.status for one in page.numbers)
    parts, start = [], 0.0
    order = ("differ", "warn", "absent", "unproven", "agree")
    for status, count in sorted(statuses.items(), key=lambda item: order.index(look(item[0])[0])):
        width = 1000 * count / len(page.numbers)
        family, sign = look(status)
        place = {"start": round(start, 2), "width": round(width, 2)}
        said = {"status": status, "word": WORDS.get(status, "open"), "count": count}
        parts.append({**said, "family": family, "sign": sign, **place})
        start += width
    return parts


def environment() -> Environment:
    """Templates that print nothing of a bundle or a paper but harmless text."""
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Whatever a template prints of a bundle is harmless, without asking for it.
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )


def own_file(name: str) -> str:
    """One of the files that the pages are made of."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def hash_of(text: str) -> str:
    """How a content security policy names an inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
