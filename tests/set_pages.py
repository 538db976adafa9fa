"""Small PDFs with nothing but text and rules."""

from __future__ import annotations

from sealtrace.paper.model import Table


def pdf(*pages: str, read_as: dict[str, str] | None = None, notes: str = "") -> bytes:
    """A PDF whose pages have these content streams, with F1 an ordinary and F2 a bold font.

    `read_as` are characters of F1 that its map to characters gives out as others, `notes` annotations of each page.
    """
    fonts = "<< /F1 3 0 R /F2 4 0 R >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{5 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    for number, content in enumerate(pages):
        box = f"/MediaBox [0 0 612 792] /Annots [{notes}]"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {box} /Resources << /Font {fonts} >> /Contents {6 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    if read_as is not None:
        names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        listed = " ".join(f"{ord(sign)} /{names[int(sign)]}" for sign in read_as)
        mapped = "\n".join(f"<{ord(sign):02x}> <{ord(read):04x}>" for sign, read in read_as.items())
        mapping = f"1 begincodespacerange <00> <ff> endcodespacerange\n{len(read_as)} beginbfchar\n{mapped}\nendbfchar"
        objects[2] = objects[2][:-2] + f"/Encoding << /Differences [{listed}] >> /ToUnicode {len(objects) + 1} 0 R >>"
        objects.append(f"<< /Length {len(mapping)} >>\nstream\n{mapping}\nendstream")
    body = "%PDF-1.4\n"
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("ascii", "replace")


def text(left: float, up: float, string: str, font: str = "F1") -> str:
    """A string at a place."""
    return f"BT /{font} 10 Tf {left} {up} Td ({string}) Tj ET"


def rule(left: float, right: float, up: float) -> str:
    """A horizontal rule."""
    return f"0.5 w {left} {up} m {right} {up} l S"


def page_of(table: Table, number: int = 1) -> str:
    """A page that shows a table under its caption, with a rule above and below header and body."""
    height = 660 - 14 * len(table.rows)
    width = min(110, 480 // len(table.columns))
    right = 100 + width * len(table.columns)
    parts = [text(100, 700, _escaped(f"Table {number}: {table.caption}")), rule(100, right, 690), rule(100, right, 672)]
    rows = [table.headers, *(row.texts for row in table.rows)]
    for down, cells in enumerate(rows):
        parts += [text(105 + width * at, 678 - 16 * down, _escaped(cell)) for at, cell in enumerate(cells) if cell]
    return "\n".join([*parts, rule(100, right, min(height, 672 - 16 * len(table.rows)))])


def _escaped(string: str) -> str:
    return string.replace("(", "\\(").replace(")", "\\)")
