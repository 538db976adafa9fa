"""Partitions of policy-visible features: rules, their objective, and the exact search for the best one."""

from sealtrace.studies.policies.mathematics.partitions.exact import compare_objectives, objective
from sealtrace.studies.policies.mathematics.partitions.rules import (
    Condition,
    Declared,
    TooLargeError,
    assign,
    canonical,
    held,
    in_class,
    tree_depth,
)
from sealtrace.studies.policies.mathematics.partitions.search import Found, NoPartitionError, Proof, best_partition

__all__ = [
    "Condition",
    "Declared",
    "Found",
    "NoPartitionError",
    "Proof",
    "TooLargeError",
    "assign",
    "best_partition",
    "canonical",
    "compare_objectives",
    "held",
    "in_class",
    "objective",
    "tree_depth",
]
