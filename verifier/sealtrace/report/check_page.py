"""The check as a page of its own: verdict, what is off, every table as printed with each cell's formula and records.

The page has no script; everything from a paper or from results is made harmless and escaped.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from sealtrace.contract.checked import Check, CheckCell
from sealtrace.report.check_text import counted
from sealtrace.report.inert import harmless

WORDS = {"explained": "explained", "off": "explained but off", "unexplained": "unexplained"}


def render(check: Check) -> str:
    """The whole page."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )
    own = files(__package__)
    style = own.joinpath("check.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.from_string(own.joinpath("check.html.j2").read_text(encoding="utf-8")).render(
        check=check,
        words=WORDS,
        counted=counted(check),
        tables=_tables(check),
        rules={one.id: one for one in check.bindings},
        style=Markup(style),
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        contradictions=[one for one in check.audit.decisions if one.status == "contradiction"] if check.audit else [],
    )


def _tables(check: Check) -> list[dict[str, Any]]:
    """Cells by table, row and column, in the order in which they are printed."""
    tables: dict[str, dict[str, dict[str, CheckCell]]] = {}
    for cell in check.cells:
        tables.setdefault(cell.table, {}).setdefault(cell.row, {})[cell.column] = cell
    return [
        {
            "name": name,
            "columns": list(dict.fromkeys(column for row in rows.values() for column in row)),
            "rows": rows,
            "bindings": [one for one in check.bindings if one.table == name],
        }
        for name, rows in tables.items()
    ]
