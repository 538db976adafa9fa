"""Whether anything depends on a declared constant: one that nothing uses may say whatever a table prints."""

from __future__ import annotations

import re
from collections.abc import Callable

from sealtrace.evidence import once
from sealtrace.recipes.cells import cells_in, tables_in
from sealtrace.recipes.metrics import metric_of
from sealtrace.studies.policies.evidence.study import Study
from sealtrace.studies.policies.records.certification import Partition

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


def is_used(study: Study, path: list[str]) -> bool:
    """Whether a check, a policy of the bank or another cell depends on the protocol's constant at a path."""
    section, *rest = path
    rule = _USES.get(section)
    return rule is None or rule(study, rest[0] if rest else "")


@once
def _asked(study: Study) -> frozenset[tuple[str, str]]:
    """The metrics of results that the tables' cells ask for, each with its variant."""
    found = set()
    for cell in (cell for table in tables_in(study.evidence) for cell in cells_in(study.evidence, table.path or "")):
        recipe, known = cell.recipe or {}, {**cell.texts, **cell.arguments}
        metric = metric_of(recipe.get("metric"), recipe.get("arguments") or ())
        if metric is not None and not metric.given:
            variant = (recipe.get("arguments") or {}).get("variant") or ""
            found.add((metric.name, _PLACEHOLDER.sub(lambda match: known.get(match.group(1), ""), variant)))
    return frozenset(found)


def _some_metric(name: str) -> Callable[[Study, str], bool]:
    return lambda study, _: any(name in metric for metric, _ in _asked(study))


def _charged(study: Study, event: str) -> bool:
    ledgers = study.frame("trace").column("ledger").to_pylist()
    return any(charge["event"] == event for ledger in ledgers for charge in ledger or [])


def _feature(study: Study, name: str) -> bool:
    rules = [
        study.evidence.protocol.get(part)
        for part in ("prior", "query", "assignment", "resampling", "partition_classes")
    ]
    rules += [document.value["leaves"] for document in study.bundle.sealed(Partition)]
    rules += study.frame("candidate").column("direction").to_pylist()
    return any(_names(rule, name) for rule in rules)


def _names(node: object, name: str) -> bool:
    """Whether a name stands anywhere in a record."""
    if isinstance(node, dict):
        return name in node or any(_names(value, name) for value in node.values())
    return any(_names(item, name) for item in node) if isinstance(node, list | tuple) else node == name


def _policy(*kinds: str) -> Callable[[Study, str], bool]:
    return lambda study, _: any(candidate.policy in kinds for candidate in study.candidates)


_USES: dict[str, Callable[[Study, str], bool]] = {
    "teacher": lambda study, _: study.frame("teacher").size > 0,
    "anchor": _policy("anchor", "tilt"),
    "prior": _policy("query"),
    "query": _policy("query"),
    "gates": lambda study, arm: ("query", arm) in {(candidate.policy, candidate.arm) for candidate in study.candidates},
    "charges": _charged,
    "features": _feature,
    "bootstrap": _some_metric("interval"),
    "resampling": _some_metric("repeated_"),
    "certification": lambda study, _: bool(study.bundle.sealed(Partition)),
    "variants": lambda study, name: any(variant == name for _, variant in _asked(study)),
    "allocations": lambda study, name: any(
        name in (naming.allocation for naming in declared)
        for declared in (study.declared.selectors, study.declared.variants.values())
    ),
    "partition_classes": lambda study, name: any(
        document.record.learned_in == name for document in study.bundle.sealed(Partition)
    ),
}
"""By section of the protocol: what depends on it. Every check of a study of policies reads the other sections."""
