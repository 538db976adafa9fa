"""`certify`: certificates and maps from the records, what-ifs, and everything that can be missing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.runner import process, sealtrace
from studies.certified_study import ARMS, SCALES, Parts, certified_study
from support import FIXTURE, ROOT, read_rows

pytestmark = pytest.mark.usefixtures("kept_examinations")

RULES = ["anchor", "fixed", "empirical-zero", "mean-strong", "kl-budget", "risk-only", "dual", "robust"]
WHAT_IFS = [["--rho", "1"], ["--epsilon", "1/10"], ["--tau", "0.2"], ["--zeta", "0.5"], ["--range", "-3,3"]]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny study, which no test may change."""
    return certified_study(tmp_path_factory.mktemp("certified") / "bundle")


def answer(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    """What the command says to machines."""
    run = sealtrace("certify", *arguments, "--format", "json")
    assert run.code == code, run.errors
    document: dict[str, Any] = json.loads(run.output)
    return document


def narrow(text: str, width: int = 80) -> bool:
    """Whether every line but the root's digest fits."""
    return all(len(line) <= width for line in text.splitlines() if not line.startswith("root "))


def in_one_line(text: str) -> str:
    """Text without its wrapping."""
    return " ".join(text.split())


def bytes_of(bundle: Path) -> dict[str, bytes]:
    """Every file of a bundle."""
    return {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}


def test_the_tiny_study_verifies(study: Path) -> None:
    """Its parts are sound, so that a spoilt one is what tells."""
    assert sealtrace("verify", study, "--as-expected").code == 0


def test_text_shows_groups_maps_and_assumptions(study: Path) -> None:
    """Everything that a reader needs, within 80 columns."""
    run = sealtrace("certify", study)
    assert run.code == 0
    assert run.errors == ""
    assert narrow(run.output)
    assert "small: n = 20, 9 of 9 certified" in run.output
    assert "  bold@1     8/20  0.7069  0.6732  0.3030  no" in run.output
    assert "small -> bold@1, large -> bold@0" in run.output
    said = in_one_line(run.output)
    assert said.count("; as sealed") == len(RULES)
    assert "within 0.2 (l1) of the calibration mixture" in said
    assert "the global budget cannot bind" in said
    assert "Assumed, not verified: - calibration states are independent draws within each group" in said
    assert "EXPLORATORY" not in run.output
    assert "\x1b" not in run.output


def test_json_agrees_with_the_sealed_certificates(study: Path) -> None:
    """The same numbers by another way: sealed records are compared here, and not read there."""
    found = answer(study)
    assert [*found] == [
        "sealtrace", "bundle", "verdict", "exploratory", "changed", "setting", "partitions", "selectors",
        "assumptions", "missing",
    ]  # fmt: skip
    assert found["exploratory"] is False
    assert found["changed"] == {}
    assert found["missing"] == []
    assert len(found["assumptions"]) == 5
    assert found["setting"]["utility_range"] == ["-2", "2"]
    manifest = json.loads((study / "manifest.json").read_text())
    assert found["bundle"] == {"name": "tiny-certified", "root_sha256": manifest["root_sha256"]}
    cells = {
        (partition["name"], group["group"], one["candidate"]): {"states": group["states"], **one}
        for partition in found["partitions"]
        for group in partition["groups"]
        for one in group["candidates"]
    }
    sealed = read_rows(study / "calibrate" / "certificate.jsonl")
    assert len(cells) == len(sealed)
    for row in sealed:
        cell = cells[row["partition"], row["group"], f"{row['arm']}@{row['scale']}"]
        for name in ("states", "crossings", "certified"):
            assert cell[name] == row[name]
        for name in ("risk_upper", "utility_mean", "utility_lower"):
            assert cell[name] == pytest.approx(row[name], abs=1e-12)
    assert [one["rule"] for one in found["selectors"]] == RULES
    assert {one["sealed"] for one in found["selectors"]} == {"same"}
    robust = found["selectors"][-1]
    assert robust["map"][0] == {"group": "small", "candidate": "bold@1", "outcome": "selected"}
    assert robust["radius"] == "0.2"
    assert robust["global_budget"] == "idle"
    fixed = found["selectors"][1]
    assert fixed["risk_upper"] is None
    assert fixed["utility_lower"] is None


def test_only_what_is_asked_for(study: Path) -> None:
    """A selector brings the partition that it chooses in; a partition brings its selectors."""
    one = answer(study, "--selector", "dual")
    assert [each["selector"] for each in one["selectors"]] == ["dual"]
    assert [each["name"] for each in one["partitions"]] == ["by pot"]
    other = answer(study, "--partition", "global")
    assert [each["selector"] for each in other["selectors"]] == RULES[:5]
    assert [each["name"] for each in other["partitions"]] == ["global"]


def test_the_global_budget_can_bind(tmp_path: Path) -> None:
    """A budget between the bounds of one map and another is searched, and the answer says so."""

    def change(parts: Parts) -> None:
        parts["protocol"]["certification"] |= {"epsilon_global": "0.29"}

    bundle = certified_study(tmp_path / "bundle", change)
    robust = answer(bundle, "--selector", "robust", code=1)["selectors"][0]
    assert robust["global_budget"] == "can-bind"
    assert robust["risk_upper"] <= 0.29
    text = sealtrace("certify", bundle, "--selector", "robust").output
    assert "why: the global budget can bind, and " in in_one_line(text)


def test_a_map_that_differs_from_the_sealed_one(tmp_path: Path) -> None:
    """Exit 1, with the group, and with the bound."""

    def change(parts: Parts) -> None:
        parts["map"]["robust"]["assignments"][0] |= {"arm": "meek", "scale": "1"}
        parts["map"]["dual"]["utility_lower"] += 0.01
        del parts["map"]["risk-only"]

    bundle = certified_study(tmp_path / "bundle", change)
    found = {one["selector"]: one for one in answer(bundle, code=1)["selectors"]}
    assert found["robust"]["differences"] == ["small: sealed meek@1, recomputed bold@1"]
    assert found["dual"]["differences"][0].startswith("utility bound: sealed 0.27")
    assert found["risk-only"]["sealed"] == "none"
    assert found["anchor"]["sealed"] == "same"
    run = sealtrace("certify", bundle)
    assert run.code == 1
    assert "differs from the sealed record" in run.output
    # The anchor's own map is right, but the bundle as a whole is not.
    assert sealtrace("certify", bundle, "--selector", "anchor").code == 1


@pytest.mark.parametrize("options", WHAT_IFS, ids=" ".join)
def test_a_what_if_is_marked_and_changes_no_byte(options: list[str], study: Path) -> None:
    """At the top and at the bottom, and for machines; the bundle stays as it is."""
    before = bytes_of(study)
    run = sealtrace("certify", study, *options)
    assert run.code == 0
    assert narrow(run.output)
    assert run.output.count("EXPLORATORY: ") == 2
    assert "is not certified" in in_one_line(run.output.split("\n\n")[-1])
    assert "as sealed" not in run.output
    found = answer(study, *options)
    assert found["exploratory"] is True
    for name, change in found["changed"].items():
        setting = found["setting"][name]
        assert change["explored"] == (",".join(setting) if isinstance(setting, list) else setting)
    assert bytes_of(study) == before


def test_a_what_if_shows_what_the_declared_setting_chose(study: Path) -> None:
    """Beside each map that differs."""
    found = answer(study, "--rho", "1")
    choices = {one["selector"]: one for one in found["selectors"]}
    assert found["changed"] == {"rho": {"declared": "0.2", "explored": "1"}}
    assert [one["candidate"] for one in choices["robust"]["map"]] == ["meek@1", "bold@0"]
    assert [one["candidate"] for one in choices["robust"]["declared"]] == ["bold@1", "bold@0"]
    assert choices["dual"]["declared"] is None
    text = in_one_line(sealtrace("certify", study, "--rho", "1", "--selector", "robust").output)
    assert "the declared setting chooses small -> bold@1, large -> bold@0" in text


def test_a_small_budget_falls_back_to_the_anchor(study: Path) -> None:
    """NO-CERTIFIED-CANDIDATE, with the anchor's known bounds; both budgets are changed."""
    found = answer(study, "--epsilon", "0.05", "--selector", "robust")
    assert [*found["changed"]] == ["epsilon_group", "epsilon_global"]
    choice = found["selectors"][0]
    assert {one["outcome"] for one in choice["map"]} == {"no-certified-candidate"}
    assert str(choice["risk_upper"]) == "0.0"
    text = sealtrace("certify", study, "--epsilon", "0.05", "--selector", "robust").output
    assert "anchor (NO-CERTIFIED-CANDIDATE)" in in_one_line(text)


def test_a_range_that_utilities_leave_voids_their_bounds(study: Path) -> None:
    """Missing, with the reason; what rests on risk alone is still chosen."""
    found = answer(study, "--range", "-1,1", code=3)
    assert "void, because a utility of " in found["missing"][0]
    choices = {one["selector"]: one for one in found["selectors"]}
    assert choices["robust"]["map"] == choices["dual"]["map"] == []
    assert choices["robust"]["declared"]
    assert choices["risk-only"]["map"]
    competitor = found["partitions"][0]["groups"][0]["candidates"][0]
    assert competitor["utility_lower"] is None
    assert competitor["certified"] is True


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--rho", "2.5"),
        ("--rho", "-1/2"),
        ("--epsilon", "1.01"),
        ("--epsilon", "five"),
        ("--tau", "0"),
        ("--tau", "0.05\n"),
        ("--tau", "1" * 65),
        ("--tau", "1/0"),
        ("--tau", "NaN"),
        ("--zeta", "0"),
        ("--zeta", "1"),
        ("--range", "1"),
        ("--range", "1,1"),
        ("--range", "2,-2"),
        ("--range", "1,2,3"),
        ("--range", "-inf,inf"),
        ("--width", "12"),
    ],
)
def test_a_bad_constant_is_a_usage_error(option: str, value: str, study: Path) -> None:
    """The message names the option."""
    run = sealtrace("certify", study, option, value)
    assert run.code == 2
    assert option in run.errors
    assert run.output == ""


@pytest.mark.parametrize("value", ["1e999", "1e-999", "123456789012345678901234567890.5"])
def test_extreme_constants_are_computed_with(value: str, study: Path) -> None:
    """No overflow, and a short line."""
    found = answer(study, "--tau", value, "--selector", "robust")
    assert found["setting"]["tau"] in (value, "246913578024691357802469135781/2")
    assert narrow(sealtrace("certify", study, "--tau", value, "--selector", "robust").output)


@pytest.mark.parametrize(("option", "known"), [("--selector", "robust"), ("--partition", "by pot")])
def test_unknown_names_are_usage_errors(option: str, known: str, study: Path) -> None:
    """With the names that there are."""
    run = sealtrace("certify", study, option, "nope")
    assert run.code == 2
    assert known in run.errors


def test_nothing_to_read(tmp_path: Path) -> None:
    """No bundle, no manifest, and a damaged one."""
    assert sealtrace("certify", tmp_path / "nope").code == 2
    assert sealtrace("certify", tmp_path).code == 2
    assert sealtrace("certify").code == 2
    (tmp_path / "manifest.json").write_text("{")
    run = sealtrace("certify", tmp_path)
    assert run.code == 1
    assert "manifest.json cannot be read" in in_one_line(run.output)


def _drop_a_trace(parts: Parts) -> None:
    del parts["trace"]["calibration"][3], parts["score"]["calibration"][3]


def _drop_values(parts: Parts) -> None:
    parts["values"]["calibration"] = []


def _double_an_observation(parts: Parts) -> None:
    parts["observation"]["calibration"].append(parts["observation"]["calibration"][0])


def _drop_an_observation(parts: Parts) -> None:
    del parts["observation"]["calibration"][0]


def _drop_certification(parts: Parts) -> None:
    del parts["protocol"]["certification"]


def _drop_an_allocation(parts: Parts) -> None:
    del parts["partition"]["by pot"]["allocations"][0]


def _drop_allocations(parts: Parts) -> None:
    for partition in parts["partition"].values():
        del partition["allocations"]


def _enlarge_shares(parts: Parts) -> None:
    parts["partition"]["by pot"]["allocations"][0]["risk"] = "1"


def _drop_a_partition(parts: Parts) -> None:
    del parts["partition"]["by pot"]


def _leave_a_gap(parts: Parts) -> None:
    parts["partition"]["by pot"]["leaves"][1]["conditions"][0]["threshold"] = "0.8"


def _forget_the_calibration_role(parts: Parts) -> None:
    parts["protocol"]["splits"][0]["role"] = "held-out"


def _drop_the_bank(parts: Parts) -> None:
    parts["candidate"] = parts["candidate"][:1]


def _drop_the_anchor(parts: Parts) -> None:
    del parts["candidate"][0]


def _drop_teachers(parts: Parts) -> None:
    parts["teacher"] = {"calibration": [], "held-out": []}


def _drop_the_range(parts: Parts) -> None:
    del parts["protocol"]["certification"]["utility_range"]


def _narrow_the_range(parts: Parts) -> None:
    parts["protocol"]["certification"]["utility_range"] = ["-1", "1"]


def _drop_rho(parts: Parts) -> None:
    del parts["protocol"]["certification"]["rho"]


def _declare_a_wrong_zeta(parts: Parts) -> None:
    parts["protocol"]["certification"]["zeta_risk"] = "1.5"


def _drop_the_limit(parts: Parts) -> None:
    del parts["protocol"]["selectors"][3]["limit"]


def _drop_the_protocol(parts: Parts) -> None:
    parts["protocol"] = {"study": "tiny-certified"}


def _select_nothing(parts: Parts) -> None:
    parts["protocol"]["selectors"] = []
    parts["partition"] = {}


SPOILT: dict[Callable[[Parts], None], str] = {
    _drop_a_trace: "cannot be scored at 1 calibration states",
    _drop_values: "cannot be scored at 40 calibration states",
    _double_an_observation: "needs join.unique-key, which failed",
    _drop_an_observation: "needs split.inventory, which failed",
    _drop_certification: "the protocol declares no failure probability for risk bounds",
    _drop_an_allocation: "needs partition.allocations, which failed",
    _drop_allocations: "global is certified in, and allocates nothing",
    _enlarge_shares: "needs partition.allocations, which failed",
    _drop_a_partition: "the bundle has no partition 'by pot'",
    _leave_a_gap: "needs partition.rule, which failed",
    _forget_the_calibration_role: "the protocol declares 0 calibration splits",
    _drop_the_bank: "needs partition.allocations, which failed",
    _drop_the_anchor: "cannot be scored at 40 calibration states",
    _drop_teachers: "choice of kl-budget: bold@0 has no finite teacher KL",
    _drop_the_range: "the protocol declares no utility range",
    _narrow_the_range: "lies outside the utility range",
    _drop_rho: "the protocol declares no radius of the mixture set",
    _declare_a_wrong_zeta: "needs protocol.domain, which failed",
    _drop_the_limit: "needs protocol.domain, which failed",
    _drop_the_protocol: "declare/protocol.json does not fit its schema",
    _select_nothing: "the study certifies nothing",
}


@pytest.mark.parametrize(("change", "reason"), SPOILT.items(), ids=[one.__name__ for one in SPOILT])
def test_missing_evidence_is_said(change: Callable[[Parts], None], reason: str, tmp_path: Path) -> None:
    """The reason, in both forms, with and without a what-if, and the exit code of `verify`: never a guess."""
    bundle = certified_study(tmp_path / "bundle", change)
    code = sealtrace("verify", bundle).code or 3
    run = sealtrace("certify", bundle)
    assert run.code == code, run.errors
    assert ("The bundle fails" in run.errors) == (code == 1)
    assert narrow(run.output)
    assert reason in in_one_line(run.output)
    assert any(reason in one for one in answer(bundle, code=code)["missing"])
    assert answer(bundle, "--tau", "0.1", code=code)["exploratory"] is True
    assert sealtrace("certify", bundle, "--tau", "0.1").output.count("EXPLORATORY: tau 0.1") == 2


def test_changed_bytes_are_not_computed_with(tmp_path: Path) -> None:
    """A root's digest never stands above figures of other records."""
    bundle = certified_study(tmp_path / "bundle")
    path = bundle / "calibrate" / "values.calibration.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"move": 1', b'"move": 0', 1))
    found = answer(bundle, code=1)
    assert found["partitions"] == []
    assert "identity.bytes" in found["missing"][0]


def test_held_out_records_are_not_needed(tmp_path: Path) -> None:
    """A study that is still under way can be certified."""

    def change(parts: Parts) -> None:
        for kind in ("trace", "values", "score"):
            parts[kind]["held-out"] = []

    assert sealtrace("certify", certified_study(tmp_path / "bundle", change)).code == 0


def test_sealed_certificates_are_not_read(tmp_path: Path) -> None:
    """Whatever they say, the answer is the same."""

    def change(parts: Parts) -> None:
        for row in parts["certificate"]:
            row |= {"crossings": 0, "risk_upper": 0.0, "certified": True}

    sound, spoilt = certified_study(tmp_path / "sound"), certified_study(tmp_path / "spoilt", change)
    one, other = answer(sound), answer(spoilt, code=1)
    for document in (one, other):
        del document["bundle"], document["verdict"]
    assert one == other


def test_a_study_without_groups() -> None:
    """The embedded fixture counts crossings over the grid, and certifies nothing."""
    run = sealtrace("certify", FIXTURE)
    assert run.code == 0
    assert "The study certifies nothing in groups." in run.output
    assert "residual@0.12 2/12" in run.output
    assert "chosen: residual@0.08" in run.output
    assert "counted, not certified" in run.output
    assert "Assumed" not in run.output
    choice = answer(FIXTURE, "--tau", "0.01")["selectors"][0]
    assert choice["map"] == [{"group": None, "candidate": "residual@0", "outcome": "selected"}]
    assert choice["declared"][0]["candidate"] == "residual@0.08"
    assert len(choice["counts"]) == 5


def test_a_study_without_policies() -> None:
    """Nothing to certify is missing, not certified."""
    run = sealtrace("certify", ROOT / "bundles" / "classification" / "bundle")
    assert run.code == 3
    assert "there is nothing to certify" in in_one_line(run.output)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_text_fits_its_width(width: int, study: Path) -> None:
    """Narrow ones lose the means and then put names on lines of their own."""
    output = sealtrace("certify", study, "--width", str(width)).output
    assert narrow(output, width)
    assert bool(re.search(r"\bmean +L\b", output)) == (width > 40)


def test_long_and_hostile_names(tmp_path: Path) -> None:
    """Names of 200 characters are broken, and what does not print is written as an escape."""
    name = "a\u202eb" + "x" * 190

    def change(parts: Parts) -> None:
        parts["protocol"]["selectors"][-1]["name"] = name
        parts["map"]["robust"]["selector"] = name
        for partition in parts["partition"].values():
            for entry in partition["allocations"]:
                entry["arm"] = name if entry["arm"] == "bold" else entry["arm"]
        rows = [*parts["candidate"], *(row for kind in ("trace", "score") for row in parts[kind]["calibration"])]
        for row in rows:
            row["arm"] = name if row["arm"] == "bold" else row["arm"]

    bundle = certified_study(tmp_path / "bundle", change)
    for run in (sealtrace("certify", bundle), sealtrace("certify", bundle, "--selector", "nope")):
        assert "\u202e" not in run.output + run.errors
        assert "\\u202e" in run.output + run.errors
        assert narrow(run.output)
    assert "\u202e" not in sealtrace("certify", bundle, "--format", "json").output


def test_no_colour_in_a_pipe_or_under_no_color(study: Path) -> None:
    """Whatever the environment says, a pipe has none."""
    for environment in ({"NO_COLOR": "1"}, {"TERM": "xterm-256color", "COLUMNS": "200"}):
        done = process("certify", study, "--selector", "robust", **environment)
        assert done.returncode == 0
        assert done.stderr == ""
        assert "\x1b" not in done.stdout
        assert narrow(done.stdout)


def test_help_teaches_with_examples() -> None:
    """And documents the JSON."""
    run = sealtrace("certify", "--help")
    assert run.code == 0
    assert "Examples:" in run.output
    assert narrow(run.output)
    for field in ("risk_upper", "exploratory", "assumptions", "missing", "outcome"):
        assert f'"{field}"' in run.output


def test_every_scale_competes(study: Path) -> None:
    """Three families and three scales, the smaller scale first."""
    group = answer(study, "--partition", "global")["partitions"][0]["groups"][0]
    expected = [f"{arm}@{scale}" for scale in SCALES for arm in ARMS]
    assert [one["candidate"] for one in group["candidates"]] == expected
