"""`python -m sealtrace`, which imports nothing from the directory that it is run in."""

import sys

# Python puts that directory first, and a bundle may lie there, with a `click.py` of its own. Not even `__future__` is
# imported before it is gone; `sealtrace` itself has been found by now, and knows where its own modules are.
if not sys.flags.safe_path:
    del sys.path[0]

from sealtrace.cli.main import program

if __name__ == "__main__":
    program()
