"""Writes docs/how-well-it-works.md from clones of the corpus: `make corpus DIR=…`, or

    python benchmarks/how_well.py CLONES [--held-out] [--only NAME] [--without PART …] [--work DIR] [--write]

Each release of `corpus/releases.toml` whose clone lies in CLONES (as `owner+name`) is checked at the listed commit,
and what `check` says is held against `corpus/judgements/`, which were written by reading before it had said anything.
Papers of `corpus/papers.toml` are audited, and public benchmarks are asked in the same way. Without `--held-out`, only
the development part is run.

Answers are kept in a work directory by the sources of the program that gave them, so a run that was ended goes on where
it was. `--stop-after MINUTES` asks nothing new after that and reports what there is. `--unjudged` lists what the tool
says and nobody has judged, in the form of the lists; `--answers FILE` keeps one line for each judged number of the
development part. Of the held-out part nothing but sums is kept once the page is written.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import arxiveri
import claims_of_papers
import drift
import known_papers
import sealtrace
import statcheck_gold
from corpus_answers import CORPUS, Answer, Clones, NoAnswerError, NotAskedError, is_held_out, listed, number_at
from corpus_page import ACCUSED, GRADES, PARTS, PROBABLY, WITH_TABLE, Measured, Row, is_right, scores, table, written

PAGE = Path(__file__).parents[1] / "docs" / "how-well-it-works.md"
PLOT = PAGE.with_name("how-well-it-works.svg")
SLACK = 4
"""Lines between where a sentence is reported and where its number stands, in sources with short lines."""
WHOLE = ("stale-table", "stale-column", "another-run")
"""Findings about a table, a column or a row as a whole."""
PUBLIC = {
    "drift": ("Numbers that maintainers corrected later", drift),
    "claims": ("Claims written about these papers", claims_of_papers),
    "arxiveri": ("arXiVeri: tables that quote tables", arxiveri),
    "statcheck": ("statcheck: tests coded by hand", statcheck_gold),
    "known": ("Ten known papers of paper-verify: false alarms", known_papers),
}


def judged(name: str) -> list[Row]:
    """The judgements of one repository."""
    path = CORPUS / "judgements" / f"{name.replace('/', '+')}.toml"
    return list(tomllib.loads(path.read_text(encoding="utf-8")).get("number", [])) if path.exists() else []


def compared(release: Row, answer: Answer) -> list[Row]:
    """Each judged number of a release, with the word that `check` has for it."""
    rows = []
    keys = [finding.get("key") or {} for finding in answer.document.get("findings", ())]
    stale = {key.get("table") for key in keys if key.get("accident") in WHOLE}
    for one in judged(release["repository"]):
        found = number_at(answer.document["numbers"], one, 0 if one["place"] == "table" else SLACK)
        behind = " ".join([found.get("formula") or "", *found.get("records", [])]) if found else ""
        rows.append({
            **one,
            "repository": release["repository"], "field": release["field"], "part": release["part"],
            "word": _word(found, stale) if found else "not read",
            "given": found.get("given") if found else None,
            "odds": found.get("odds") if found else None,
            "same file": Path(one.get("from", "")).name in behind if one.get("from") else None,
        })  # fmt: skip
    return rows


def _word(number: Row, stale: set[str | None]) -> str:
    """The word of a number; of an open one whether it is said to differ probably, by itself or with its table."""
    if number["status"] == "probably-off":
        return PROBABLY
    return WITH_TABLE if number["word"] == "open" and number.get("table") in stale else str(number["word"])


def accused(release: Row, answer: Answer) -> list[Row]:
    """Every number that `check` accuses, right or not by a judgement made before or after."""
    name = release["repository"]
    later = [
        {**one, "truth": "differs" if one["right"] else "follows", "place": "text"}
        for one in listed("accusations.toml", "accusation")
        if one["repository"] == name
    ]
    numbers = [one for one in answer.document["numbers"] if one["word"] in ACCUSED]
    verdicts: dict[str, bool] = {}
    for one in [*judged(name), *later]:
        found = number_at(numbers, one, 0 if one["place"] == "table" else SLACK)
        if found is not None:
            verdicts[found["id"]] = one["truth"] == "differs"
    return [{**one, "part": release["part"], "right": verdicts.get(one["id"]), "repository": name} for one in numbers]


def judgement(claim: Row, known: list[Row]) -> Row | None:
    """What was judged of a finding, by the lines and the numbers that it speaks of."""
    lines = {number.get("line") for number in claim["numbers"]}
    printed = {number["printed"] for number in claim["numbers"]}
    for one in known:
        if lines & set(one["lines"]) and len(printed & set(one["printed"])) >= min(2, len(one["printed"])):
            return one
    return None


def check_releases(clones: Clones, all_: Measured, only: str) -> None:
    """Checks every release that there is a clone of, those with the fewest bytes first."""
    for release in sorted(listed("releases.toml", "release"), key=lambda one: (one["bytes"], one["repository"])):
        name = release["repository"]
        if only not in name or release["part"] not in all_.parts:
            continue
        run = {"command": "check", **{key: release[key] for key in ("repository", "paper", "field", "part")}}
        try:
            answer = clones.ask("check", name, release["commit"], release["paper"], release["results"])
        except NotAskedError as error:
            all_.absent.append(("check", f"{name} ({error})"))
            continue
        except NoAnswerError as error:
            all_.runs.append({**run, "cause": error.cause, "message": str(error)})
            # Numbers of a release that gives no answer are missed, and counted so.
            answer = Answer({"numbers": []}, 0.0, 0.0)
        else:
            all_.runs.append({**run, **cost(answer)})
        found = compared(release, answer)
        all_.judged += found
        all_.accused += accused(release, answer)
        wrong = sum(is_right(row) is False for row in found)
        print(f"{name}: {answer.seconds:.0f} s, {len(found)} judged, {wrong} said wrongly", file=sys.stderr)


def audit_papers(clones: Clones, all_: Measured, only: str) -> None:
    """Audits every paper that there is a clone of."""
    known: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for one in listed("findings.toml", "finding"):
        known[one["repository"], one["paper"]].append(one)
    for paper in listed("papers.toml", "paper"):
        name = paper["repository"]
        if only not in name or paper["part"] not in all_.parts:
            continue
        run = {"command": "audit", **{key: paper[key] for key in ("repository", "paper", "field", "part")}}
        try:
            answer = clones.ask("audit", name, paper["commit"], paper["paper"])
        except NotAskedError as error:
            all_.absent.append(("audit", f"{name}, {paper['paper']} ({error})"))
            continue
        except NoAnswerError as error:
            all_.runs.append({**run, "cause": error.cause, "message": str(error)})
            continue
        all_.runs.append({**run, **cost(answer)})
        here = known[name, paper["paper"]]
        found = [claim for claim in answer.document["claims"] if claim["grade"] in GRADES]
        for claim in found:
            verdict = judgement(claim, here)
            right = None if verdict is None else bool(verdict["right"])
            all_.findings.append({**run, "grade": claim["grade"], "right": right, "claim": claim})
        seen = [judgement(claim, here) for claim in found]
        all_.known += [{**run, "found": one in seen} for one in here if one["right"]]


def cost(answer: Answer) -> Row:
    """What one run took, and whether it was cut short."""
    return {
        "seconds": answer.seconds, "mebibytes": answer.mebibytes, "cause": "cut" if answer.cut_short else None,
        "numbers": answer.document["coverage"]["numbers"],
    }  # fmt: skip


def unjudged(all_: Measured) -> Iterator[str]:
    """What nobody has judged, as entries of `accusations.toml` and `findings.toml` whose `right` is to be filled in."""
    for one in all_.accused:
        if one["right"] is None:
            source = Path(one.get("source") or "").name
            yield (
                f'[[accusation]]\nrepository = "{one["repository"]}"\nfile = "{source}"\nline = {one.get("line")}\n'
                f"printed = {json.dumps(one['printed'], ensure_ascii=False)}\nright =\n"
                f"# {one['word']}, {one.get('odds')}: {one.get('row')} | {one.get('column')} gives {one.get('given')} "
                f"by {one.get('formula')}\n"
            )
    for one in all_.findings:
        if one["right"] is None:
            claim = one["claim"]
            lines = sorted({number["line"] for number in claim["numbers"] if number.get("line")})
            printed = list(dict.fromkeys(number["printed"] for number in claim["numbers"]))
            yield (
                f'[[finding]]\nrepository = "{one["repository"]}"\npaper = "{one["paper"]}"\n'
                f'family = "{claim["family"]}"\nlines = {lines}\n'
                f"printed = {json.dumps(printed, ensure_ascii=False)}\nright =\n# {one['grade']}: {claim['says']}\n"
            )


def public(clones: Clones, all_: Measured, without: list[str]) -> None:
    """Runs the public benchmarks."""
    for key, (name, module) in PUBLIC.items():
        lines: list[str] = []
        if key not in without:
            try:
                counts = module.measure(clones)
                lines = module.lines(counts) if counts else []
            except NotAskedError as error:
                all_.absent.append(("public benchmark", f"{name} ({error})"))
        all_.public.append((name, lines))


def program(sources: str) -> str:
    """Which sealtrace is measured, in words."""
    package = Path(sealtrace.__file__).parent
    here = ["git", "-C", str(package), "log", "-1", "--format=%h", "--", "."]
    commit = subprocess.run(here, capture_output=True, check=False, text=True).stdout.strip()
    at = f"commit {commit}, " if commit else ""
    return f"sealtrace {sealtrace.__version__} ({at}sources {sources}) and Python {platform.python_version()}"


def main() -> int:
    """Runs the corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--held-out", action="store_true", help="run the held-out part, too")
    parser.add_argument("--only", default="", help="releases and papers whose name has this in it; writes no page")
    parser.add_argument("--answers", type=Path, help="write each judged number of the development part with its word")
    parser.add_argument("--without", nargs="*", default=[], choices=[*PUBLIC, "audits"], help="leave these out")
    parser.add_argument("--work", type=Path, default=Clones.work, help="where answers are kept")
    parser.add_argument("--stop-after", type=float, metavar="MINUTES", help="ask nothing new after that")
    parser.add_argument("--unjudged", action="store_true", help="list what nobody has judged instead")
    parser.add_argument("--write", action="store_true", help="write the page; otherwise it is printed")
    options = parser.parse_args()
    until = None if options.stop_after is None else time.monotonic() + 60 * options.stop_after
    clones = Clones(options.clones, options.work, options.held_out, until)
    parts = PARTS if options.held_out else PARTS[:1]
    all_ = Measured(program(clones.known.name), f"{datetime.now(UTC):%Y-%m-%d}", parts=parts)
    check_releases(clones, all_, options.only)
    if not all_.runs:
        print(f"{options.clones}: no clone of a listed release", file=sys.stderr)
        return 2
    if "audits" not in options.without:
        audit_papers(clones, all_, options.only)
    if options.answers:
        kept = [row for row in all_.judged if not is_held_out(row["repository"])]
        options.answers.write_text(
            "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in kept), encoding="utf-8"
        )
    if options.unjudged:
        print("\n".join(unjudged(all_)))
        return 0
    if options.only:
        print("\n".join(table("| | development | held out |", scores(all_.judged))))
        return 0
    public(clones, all_, options.without)
    text, plot = written(all_)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
        PLOT.write_text(plot, encoding="utf-8")
        clones.forget_held_out()
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
