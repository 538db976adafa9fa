"""sealtrace: decides whether a paper's numbers follow from its sealed records."""

# Nothing is imported here: under `python -m sealtrace` the working directory still comes first (see __main__.py).
TYPE_CHECKING = False

__version__ = "0.2.0"
__all__ = [
    "Examination",
    "Paper",
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
    from sealtrace.paper.model import Paper


def __getattr__(name: str) -> object:
    """Import on first use: `import sealtrace` costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'sealtrace' has no attribute {name!r}")
    from importlib import import_module  # only here, so that the package itself imports nothing

    home = {"Paper": "sealtrace.paper.model", "Result": "sealtrace.contract.result"}.get(name, "sealtrace.api")
    return getattr(import_module(home), name)
