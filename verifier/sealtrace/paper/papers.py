"""A paper at a path, read: a LaTeX, Markdown or CSV file, a PDF, or the archive that a
preprint server hands out.

Nothing outside the root is read, nothing is written to disk, and an archive can claim to hold any amount without
being believed.
"""

from __future__ import annotations

import codecs
import gzip
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO

from sealtrace.bundle.archives import DAMAGED
from sealtrace.bundle.defects import BundleError, as_text, nearest_path, real_path
from sealtrace.bundle.tar import tar_members
from sealtrace.paper.extracted import Load, ProseLine
from sealtrace.paper.model import Paper, Table
from sealtrace.paper.reported import UnreadableTypeError, free_label, paper_of, read_reported

SOURCES = (".tex", ".ltx", ".md", ".markdown", ".html", ".htm", ".csv", ".tsv")
ARCHIVES = (".tar.gz", ".tgz", ".tar", ".gz", ".zip")
PAPERS = (*SOURCES, ".pdf", ".docx")
"""Endings of files that can only be papers; an archive may be a bundle as well."""
MAX_FILE = 8_000_000
"""Bytes of one source file. The longest papers have a tenth of that."""
MAX_TEXT = 64_000_000
"""Bytes of all source files of an archive."""
MAX_UNPACKED = 1_000_000_000
"""Bytes that an archive may unpack to, figures included."""
_TEXTUAL = (".tex", ".ltx", ".sty", ".cls", ".def", ".bbl", ".txt", ".csv", ".tsv", ".md", ".json", ".xxx")
_MAIN_NAMES = ("main.tex", "paper.tex", "ms.tex", "article.tex", "manuscript.tex", "arxiv.tex")
_MAIN_STEMS = {name.removesuffix(".tex") for name in _MAIN_NAMES}
SOUGHT, SOUGHT_BYTES = 2000, 2_000_000
"""Most files of a directory that are searched for a paper, and most bytes of each."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_RARE = 1000
"""One byte in this many of a text may be a zero that an editor left."""
_COMMENT = re.compile(r"(?<!\\)%.*")
_BEGINS = re.compile(r"\\document(?:class|style)\b")
_INPUTS = re.compile(r"\\(?:input|include|subfile)\s*(?:\{\s*)?([^{}\s\\]+)")
_TOP_LEVEL = re.compile(r'"filename"\s*:\s*"([^"]+)"[^{}]*"usage"\s*:\s*"toplevel"|^(\S+)\s+toplevelfile', re.MULTILINE)


def is_paper(path: Path) -> bool:
    """Whether a file is a paper by its ending, or an archive with LaTeX in it and no manifest."""
    name = path.name.lower()
    if name.endswith(PAPERS):
        return True
    if not path.is_file() or not name.endswith(ARCHIVES):
        return False
    try:
        names = [name for name, _text in _members(path)]
    except BundleError:
        return False
    return any(name.endswith((".tex", ".ltx")) for name in names) and "manifest.json" not in {
        posixpath.basename(name) for name in names
    }


def paper_and_results(paper: Path, results: Path | None) -> tuple[Path, Path]:
    """A paper and where its results lie: given as such, or both within the one directory that was given.

    `BundleError` where something is not there, or where a directory holds no paper.
    """
    if paper.is_dir() and results is not None and results.is_file():
        raise BundleError(f"{paper}: a directory where the paper should be; the order is PAPER, then RESULTS")
    if not paper.exists():
        raise BundleError(f"{paper}: there is no such file or directory{nearest_path(paper)}")
    if results is None and not paper.is_dir():
        if not is_paper(paper):
            raise BundleError(f"{paper}: not a paper ({', '.join(PAPERS)}); name one: sealtrace check PAPER {paper}")
        raise BundleError(f"{paper}: only a paper; name its results too: sealtrace check {paper} RESULTS")
    place = paper if results is None else results
    if not place.exists():
        raise BundleError(f"{place}: there is no such directory{nearest_path(place)}")
    return (_paper_in(paper) if paper.is_dir() else paper), place


def _paper_in(directory: Path) -> Path:
    """The paper in a directory: the likeliest LaTeX file that begins a document, else the one paper of another kind.

    Of several others, one that is called a paper, as its authors wrote it: a page or a PDF beside it is the same once
    more. Without one, the README that lies nearest to the top.
    """
    sources = _sources_in(directory)
    kinds = (".md", ".docx", ".html", ".pdf")
    others = sorted(_files_in(directory, kinds), key=lambda path: kinds.index(path.suffix.lower()))
    called = [path for path in others if path.stem.lower() in _MAIN_STEMS]
    written = any(path.suffix.lower() in kinds[:2] for path in called)
    if (mains := _main_files(sources)) and (not written or posixpath.basename(mains[0]).lower() in _MAIN_NAMES):
        return directory / mains[0]
    named = list({path.parent: path for path in reversed(called)}.values()) or others
    if len(named) == 1:
        return named[0]
    readmes = [path for path in named if path.suffix.lower() == ".md" and path.stem.lower() == "readme"]
    depth = min((len(path.parts) for path in readmes), default=0)
    nearest = [path for path in readmes if len(path.parts) == depth]
    if len(nearest) == 1:
        return nearest[0]
    listed = ", ".join(str(path) for path in (named or list(map(directory.joinpath, sources)))[:4])
    which = f"which of these is the paper: {listed}?" if listed else "no paper in it (.tex, .md, .html, .docx, .pdf)."
    raise BundleError(f"{directory}: {which} Name it: sealtrace check PAPER {directory}")


def other_papers(paper: Path, directory: Path) -> list[Path]:
    """LaTeX files beside a paper, or in a directory, that begin a document, too; the likeliest first."""
    places = [place for place in (paper.parent, directory) if place.is_dir()]
    found = [place / name for place in places for name in _main_files(_sources_in(place))]
    return list({real_path(path): path for path in found if real_path(path) != real_path(paper)}.values())


def _sources_in(directory: Path) -> dict[str, str]:
    """Every LaTeX file of a directory, as text."""
    found = _files_in(directory, (".tex", ".ltx"))
    return {path.relative_to(directory).as_posix(): _text(path.read_bytes()[:SOUGHT_BYTES]) for path in found}


def _files_in(directory: Path, endings: tuple[str, ...]) -> list[Path]:
    """Files of a directory with one of these endings; what links lead to elsewhere is passed over."""
    top = real_path(directory)
    return [
        path
        for pattern in ("*", "*/*", "*/*/*", "*/*/*/*")
        for path in sorted(directory.glob(pattern))[:SOUGHT]
        if path.suffix.lower() in endings and path.is_file() and real_path(path).is_relative_to(top)
    ]


def read_paper(path: Path, root: Path | None = None) -> Paper:
    """The tables and the running text of a paper; `BundleError` where it cannot be read at all.

    What a LaTeX file puts in may lie anywhere below `root`, which defaults to the top of the repository that the file
    is in, or to its own directory where it is in none.
    """
    name = path.name.lower()
    try:
        if not path.exists():
            raise BundleError(f"{path}: there is no such file{nearest_path(path)}")
        if not path.is_file():
            raise BundleError(
                f"{path}: {'a directory' if path.is_dir() else 'not a plain file'}, where a paper is needed"
            )
        if name.endswith(".pdf"):
            from sealtrace.paper.pdf import read_pdf  # start-up: most papers are text

            return read_pdf(path)
        if name.endswith(".docx"):
            from sealtrace.paper.docx import read_docx  # start-up: most papers are text

            return paper_of(read_docx(path))
        if name.endswith(ARCHIVES):
            return _read_archive(path)
        if path.stat().st_size > MAX_FILE:
            raise BundleError(f"{path}: more than {MAX_FILE} bytes")
        data = path.read_bytes()
        if not data.strip():
            raise BundleError(f"{path}: empty; there is no number in it to look at")
        if not data.startswith(_UTF_16):
            if data.count(b"\0") * _RARE > len(data):
                raise BundleError(f"{path}: a binary file, not text")
            data = data.replace(b"\0", b"")  # a stray one, which TeX passes over, too
        return read_reported(_text(data), as_text(path.name), _loader(path, root))
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    except UnreadableTypeError as error:
        raise BundleError(str(error)) from None


def _text(content: bytes) -> str:
    """As UTF-8, whose wrong bytes are replaced, so that lines keep their numbers; as the Latin alphabet of before where
    nothing but such bytes stands beside ASCII. A carriage return alone ends a line too."""
    text = content.decode("utf-16" if content.startswith(_UTF_16) else "utf-8", "replace").removeprefix("\ufeff")
    if "\ufffd" in text and text.replace("\ufffd", "").isascii():
        text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


# Files


def _loader(path: Path, root: Path | None) -> Load:
    home = real_path(path.parent)
    repositories = (place for place in (home, *home.parents) if is_repository(place))
    top = real_path(root if root is not None else next(repositories, home))
    if not home.is_relative_to(top):
        raise BundleError(f"{path}: not below the root {top}")
    # LaTeX looks from the directory in which it is started: the file's own, or one further up.
    starts = [place for place in (home, *home.parents) if place.is_relative_to(top)]

    def load(name: str) -> str | None:
        for start in starts:
            try:
                found = real_path(start / name)
                if found.is_relative_to(top) and found.is_file() and found.stat().st_size <= MAX_FILE:
                    return _text(found.read_bytes())
            except (OSError, ValueError, RuntimeError):
                continue  # a name too long, with a null character, or links in a circle
        return None

    return load


def is_repository(directory: Path) -> bool:
    """Whether version control calls a directory its own."""
    return any((directory / mark).exists() for mark in (".git", ".hg", ".svn", ".jj"))


# Archives


def _read_archive(path: Path) -> Paper:
    files: dict[str, str] = {}
    total = 0
    for name, content in _members(path):
        total += len(content)
        if total > MAX_TEXT:
            raise BundleError(f"{path}: more than {MAX_TEXT} bytes of sources")
        files[name] = _text(content)
    sources = [name for name in files if name.endswith((".tex", ".ltx"))]
    mains = _main_files(files) or (sources if len(sources) == 1 else [])
    if not mains:
        raise BundleError(f"{path}: no LaTeX file in it begins a document")
    main = mains[0]
    home = posixpath.dirname(main)

    def load(name: str) -> str | None:
        # What climbs out of the archive is in none of its places.
        for start in (home, ""):
            found = files.get(posixpath.normpath(posixpath.join(start, name)))
            if found is not None:
                return found
        return None

    return read_reported(files[main], posixpath.basename(main), load)


def _main_files(files: dict[str, str]) -> list[str]:
    """The file that the archive's own list names, or those that begin a document, the likeliest first."""
    for listing in ("00README.json", "00README.XXX", "00readme.json", "00readme.xxx"):
        for match in _TOP_LEVEL.finditer(files.get(listing, "")[:100_000]):
            named = next(group for group in match.groups() if group)
            if named in files:
                return [named]
    plain = {name: _COMMENT.sub("", text) for name, text in files.items() if name.endswith((".tex", ".ltx"))}
    asked = {name: [_asked(name, other) for other in _INPUTS.findall(text)] for name, text in plain.items()}
    put_in = {name for names in asked.values() for name in names}

    def unlikelihood(name: str) -> tuple[bool, int, bool, int, str]:
        weight = len(plain[name]) + sum(len(plain.get(other, "")) for other in set(asked[name]))
        return name in put_in, name.count("/"), posixpath.basename(name).lower() not in _MAIN_NAMES, -weight, name

    return sorted((name for name, text in plain.items() if _BEGINS.search(text)), key=unlikelihood)


def _asked(source: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), name.removesuffix(".tex") + ".tex"))


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name and content of each text file of an archive; its other files are passed over."""
    left = MAX_UNPACKED

    def read(file: IO[bytes] | gzip.GzipFile, size: int) -> bytes:
        nonlocal left
        content = file.read(min(size, left + 1))
        left -= len(content)
        if left < 0:
            raise BundleError(f"{path}: unpacks to more than is read of a paper")
        return content

    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for info in archive.infolist():
                    if (name := _name(info.filename)) is not None and info.file_size <= MAX_FILE:
                        with archive.open(info) as member:
                            yield name, read(member, MAX_FILE)
            return
        with path.open("rb") if path.name.lower().endswith(".tar") else gzip.open(path, "rb") as file:
            head = file.read(512)
            file.seek(0)
            if head[257:262] != b"ustar" and isinstance(file, gzip.GzipFile):
                # A submission of one file is that file, compressed.
                yield from [("main.tex", file.read(MAX_FILE))] if head.strip(b"\0") else []
                return
            # As a stream: nothing is kept, and a length that is a lie ends at the bound.
            for one in tar_members(partial(read, file)):
                if (name := _name(one.name)) is not None and one.kind == "file" and one.size <= MAX_FILE:
                    yield name, b"".join(one.pieces)
    except gzip.BadGzipFile:
        raise BundleError(f"{path}: neither a .zip nor a .tar.gz, whatever its name says") from None
    except DAMAGED as error:
        raise BundleError(f"{path}: the archive is damaged ({error})") from None
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None


def _name(name: str) -> str | None:
    """The name of a text file that stays within the archive."""
    plain = posixpath.normpath(name)
    inside = not plain.startswith(("/", "..")) and "\\" not in plain
    return plain if inside and plain.lower().endswith(_TEXTUAL) else None


def merged(papers: Sequence[Paper]) -> Paper:
    if len(papers) == 1:
        return papers[0]
    tables: dict[str, Table] = {}
    prose, texts, paragraphs = list[ProseLine](), dict[str, str](), 0
    for paper in papers:
        for table in paper.tables:
            label = free_label(table.label, tables)
            tables[label] = replace(table, label=label)
        prose += [replace(line, paragraph=line.paragraph + paragraphs) for line in paper.prose]
        paragraphs = max((line.paragraph for line in prose), default=0) + 1
        texts |= {name: text for name, text in paper.texts.items() if name not in texts}
    problems = tuple(problem for paper in papers for problem in paper.problems)
    title = next((paper.title for paper in papers if paper.title), None)
    return Paper(tuple(tables.values()), tuple(prose), problems, texts, title)
