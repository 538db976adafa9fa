"""`python -m sealtrace`."""

from sealtrace.cli.main import script

if __name__ == "__main__":
    script()
