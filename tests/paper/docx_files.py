"""Word files as small as they can be, made for tests."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
STYLES = f"""<w:styles {W}>
<w:style w:styleId="Title1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Cap"><w:name w:val="caption"/></w:style>
<w:style w:styleId="Fat"><w:name w:val="Fat"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:styleId="Fatter"><w:name w:val="Fatter"/><w:basedOn w:val="Fat"/></w:style>
</w:styles>"""


def run(text: str, properties: str = "") -> str:
    about = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{about}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*runs: str, style: str = "") -> str:
    about = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{about}{''.join(one if one.startswith('<') else run(one) for one in runs)}</w:p>"


def cell(content: str, properties: str = "") -> str:
    about = f"<w:tcPr>{properties}</w:tcPr>" if properties else ""
    return f"<w:tc>{about}{content if content.startswith('<w:p>') else paragraph(content)}</w:tc>"


def table(rows: Sequence[Sequence[str]], *, header: bool = True) -> str:
    head = "<w:trPr><w:tblHeader/></w:trPr>"
    written = (
        f"<w:tr>{head if header and not number else ''}"
        f"{''.join(one if one.startswith('<w:tc>') else cell(one) for one in row)}</w:tr>"
        for number, row in enumerate(rows)
    )
    return f"<w:tbl>{''.join(written)}</w:tbl>"


def docx(path: Path, *blocks: str, body: str | None = None, **parts: str) -> Path:
    """Writes a file; `body` is used in place of the whole document part."""
    document = body if body is not None else f"<w:document {W} {M}><w:body>{''.join(blocks)}</w:body></w:document>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document)
        for name, text in {"styles": STYLES, **parts}.items():
            archive.writestr(f"word/{name}.xml", text)
    return path
