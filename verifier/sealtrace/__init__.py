"""sealtrace: decides whether a paper's numbers follow from its sealed records."""

# Nothing is imported here: under `python -m sealtrace` the working directory still comes first (see __main__.py).
TYPE_CHECKING = False

__version__ = "0.1.0"
__all__ = [
    "Examination",
    "Result",
    "__version__",
    "audit",
    "certify",
    "check",
    "diff",
    "examine",
    "read_paper",
    "verify",
]

if TYPE_CHECKING:
    from sealtrace.api import Examination, audit, certify, check, diff, examine, read_paper, verify
    from sealtrace.contract.result import Result


def __getattr__(name: str) -> object:
    """Import on first use: `import sealtrace` costs nothing."""
    if name == "Result":
        from sealtrace.contract.result import Result

        return Result
    if name in __all__:
        from sealtrace import api

        return getattr(api, name)
    raise AttributeError(f"module 'sealtrace' has no attribute {name!r}")
