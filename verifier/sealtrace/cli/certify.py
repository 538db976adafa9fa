"""`sealtrace certify`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sealtrace.cli.options import PATH, budget_options, form_option, range_of, several, what_if
from sealtrace.cli.output import examined, paint, quiet_option, text_width, write_output
from sealtrace.report.inert import harmless

if TYPE_CHECKING:
    from sealtrace.studies.policies.certifying import Explored


@click.command()
@click.argument("bundle", type=PATH)
@several("--selector", "selectors", metavar="NAME", help="Only this selector; repeatable.")
@several(
    "--partition",
    "partitions",
    metavar="NAME",
    help="Only the certificates of this partition, and selectors that choose in it; repeatable.",
)
@what_if("--rho", "R", lambda value: 0 <= value <= 2, "from 0 to 2", "mixtures of groups could move by R (l1)")
@what_if(
    "--epsilon", "E", lambda value: 0 <= value <= 1, "from 0 to 1", "the risk budget, of groups and of mixtures, were E"
)
@what_if("--tau", "T", lambda value: value > 0, "above 0", "only a loss of more than T counted as a crossing")
@what_if(
    "--zeta", "Z", lambda value: 0 < value < 1, "between 0 and 1, both excluded", "both failure probabilities were Z"
)
@click.option("--range", "span", metavar="LOW,HIGH", callback=range_of, help="What if utilities lay in this range?")
@form_option
@click.option("--width", type=click.IntRange(min=40), metavar="COLUMNS", help="Fit the text into so many columns.")
@quiet_option
@budget_options
def certify(
    bundle: Path,
    selectors: tuple[str, ...],
    partitions: tuple[str, ...],
    rho: Fraction | None,
    epsilon: Fraction | None,
    tau: Fraction | None,
    zeta: Fraction | None,
    span: tuple[Fraction, Fraction] | None,
    form: str,
    width: int | None,
) -> int:
    """Recompute the certificates and maps of BUNDLE from its traces and action values.

    For each group: n, and for each candidate k/n, its risk bound U, its normalized mean utility, its
    utility bound L, and whether U keeps the group's budget, decided exactly. Then what each selector
    chooses, with its bounds and the reason why nothing is better. Sealed certificates are not read;
    sealed maps are, but only to compare.

    The what-if options take exact constants, such as 0.05 or 1/20, change nothing in the bundle, and
    mark everything as exploratory: a choice made after looking at the calibration scores is not
    certified.

    \b
    Examples:
      sealtrace certify artifact/
      sealtrace certify artifact/ --selector robust-group
      sealtrace certify artifact/ --partition global --format json
      sealtrace certify artifact/ --selector robust-group --rho 0.3
      sealtrace certify artifact/ --epsilon 1/20 --range -12,12

    \b
    JSON: {"sealtrace", "bundle": {"name", "root_sha256"}, "verdict",
      "exploratory",
      "changed": {SETTING: {"declared", "explored"}},
      "setting": {"tau", "epsilon_group", "epsilon_global", "zeta_risk",
        "zeta_util", "rho", "utility_range", "utility", "risk", "split",
        "states"},
      "partitions": [{"name", "groups": [{"group", "states", "epsilon",
        "candidates": [{"candidate", "crossings", "risk_upper",
          "utility_mean", "utility_lower", "certified"}]}]}],
      "selectors": [{"selector", "rule", "partition",
        "map": [{"group", "candidate", "outcome"}],
        "risk_upper", "utility_lower", "radius", "reason",
        "global_budget": "idle|removes|can-bind", "largest_risk",
        "removed": [{"group", "candidate", "risk_upper", "share", "risk"}],
        "sealed": "same|differs|none",
        "differences", "declared": MAP, "counts":
        [{"candidate", "crossings", "states"}]}],
      "assumptions": [TEXT], "missing": [TEXT]}

    Exit codes: 0 everything was computed; 1 a sealed map is another one, or the bundle fails; 2 usage or
    unreadable input; 3 something is missing. With a what-if option, sealed maps are not compared.
    """
    from sealtrace.report.certify_text import render_text
    from sealtrace.studies.policies.certified import render_json
    from sealtrace.studies.policies.certifying import certify

    explored: Explored = {}
    for names, value in (
        (("tau",), tau),
        (("epsilon_group", "epsilon_global"), epsilon),
        (("zeta_risk", "zeta_util"), zeta),
        (("rho",), rho),
        (("utility_range",), span),
    ):
        explored |= {} if value is None else dict.fromkeys(names, value)
    examination = examined(bundle)
    try:
        found = certify(examination, selectors, partitions, explored)
    except LookupError as error:
        raise click.UsageError(harmless(str(error.args[0]))) from None
    columns = width or text_width()
    rendered = render_json(found) if form == "json" else render_text(found, width=columns, paint=paint)
    write_output(rendered, None, bundle)
    if found.verdict == "findings":
        click.echo("The bundle fails; `sealtrace verify` says why.", err=True)
    return found.exit_code
