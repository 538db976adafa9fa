"""`python -m sealtrace`."""

from sealtrace.cli.main import main

if __name__ == "__main__":
    main()
