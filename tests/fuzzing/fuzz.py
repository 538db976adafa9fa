"""Coverage-guided fuzzing of one reader: `python tests/fuzzing/fuzz.py json -max_total_time=60`.

What follows the reader's name is handed to libFuzzer. An input that breaks the reader is written to crashes/, where a
test reads it from then on.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

TESTS = Path(__file__).parent.parent
CRASHES = Path(__file__).parent / "crashes"


def main() -> None:
    """Fuzzes the reader that the command line names."""
    sys.path[:0] = [str(TESTS)]
    name, *options = sys.argv[1:]
    with atheris.instrument_imports(
        include=["sealtrace.bundle", "sealtrace.paper", "sealtrace.recipes", "sealtrace.relations"]
    ):
        from fuzzing.targets import TARGETS

        target = TARGETS[name]
        seeds = target.seeds()
        target.read(seeds[0])  # what it imports when it is asked is instrumented, too
    with tempfile.TemporaryDirectory(prefix="sealtrace-fuzz-") as directory:
        corpus, dictionary = Path(directory) / "corpus", Path(directory) / "words"
        corpus.mkdir()
        for number, seed in enumerate(seeds):
            (corpus / str(number)).write_bytes(seed)
        escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words)
        dictionary.write_text("".join(f'"{word}"\n' for word in escaped))
        settings = [f"-dict={dictionary}", f"-artifact_prefix={CRASHES}/{name}-", "-timeout=20", "-rss_limit_mb=4096"]
        atheris.Setup([sys.argv[0], *settings, *options, str(corpus)], target.read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
