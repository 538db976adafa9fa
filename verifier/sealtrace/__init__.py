"""sealtrace: decides whether a paper's numbers follow from its sealed records."""

# Nothing is imported here: under `python -m sealtrace` the working directory still comes first (see __main__.py).
TYPE_CHECKING = False

__version__ = "0.1.0"
__all__ = ["Report", "__version__", "verify"]

if TYPE_CHECKING:
    from sealtrace.contract.report import Report
    from sealtrace.verification import verify


def __getattr__(name: str) -> object:
    """Import on first use: `import sealtrace` costs nothing."""
    if name == "verify":
        from sealtrace.verification import verify

        return verify
    if name == "Report":
        from sealtrace.contract.report import Report

        return Report
    raise AttributeError(f"module 'sealtrace' has no attribute {name!r}")
