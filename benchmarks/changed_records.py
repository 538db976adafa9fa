"""Changes the records of a bundle one field at a time, and asks the verifier each time whether it notices.

    python benchmarks/changed_records.py bundles/rsd-fixture/bundle --sample 2000 --seed 7

Every field of every record may be changed in every way that its type allows; the changed bundle counts as sealed anew,
so that no digest gives it away. Nothing is written. What may be changed without notice is either on the reviewed list
of what records do not determine, which is printed, or a hole, which is printed too. Records that are only written
otherwise must raise no complaint. Exit codes: 0 every change was noticed or is known not to matter; 1 one was not;
2 unreadable input.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from campaign.running import Campaign
from sealtrace.bundle.defects import BundleError
from sealtrace.bundle.reading import read_bundle
from sealtrace.report.inert import harmless

SHOWN = 20
"""How many unnoticed changes are printed."""


def main(arguments: list[str] | None = None) -> int:
    """Judges a sample of the changes, and prints what went unnoticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="judge so many changes, drawn at random")
    parser.add_argument("--seconds", type=float, default=120, metavar="S", help="stop after so long")
    parser.add_argument("--all", dest="every", action="store_true", help="judge every change; may take hours")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="draws another sample")
    options = parser.parse_args(arguments)
    try:
        read = read_bundle(options.bundle)
    except BundleError as error:
        print(error, file=sys.stderr)
        return 2
    sample, seconds = (None, None) if options.every else (options.sample, options.seconds)
    survey = Campaign(read).run(sample, options.seed, seconds)
    noticed = sum(change.found_by is not None for change in survey.judged)
    print(f"{len(survey.judged)} of {survey.possible} changes were judged: {noticed} noticed")
    if survey.undetermined:
        print("\nwhat this bundle does not determine:")
        for field, (count, reason) in survey.undetermined.items():
            print(harmless(f"  {field} ({count}): {reason}"))
    for title, names in (
        ("changed without notice:", [mutant.name for mutant in survey.survivors]),
        ("complained of, though only written otherwise:", [change.mutant.name for change in survey.false_alarms]),
    ):
        if names:
            print(f"\n{title}")
            for name in names[:SHOWN]:
                print(harmless(f"  {name}"))
            if len(names) > SHOWN:
                print(f"  ... and {len(names) - SHOWN} more")
    return int(bool(survey.survivors or survey.false_alarms))


if __name__ == "__main__":
    sys.exit(main())
