"""`python -m rsd_stratified DIRECTORY` builds the bundle anew; `train` and `measure` make what the build reads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rsd_stratified import bank, drawing, partitions, timing, training
from rsd_stratified.build import Build
from rsd_stratified.platform import platform_bytes
from rsd_stratified.protocol import protocol
from rsd_stratified.states import State, Traced
from rsd_stratified.tracing import Tracer

HERE = Path(__file__).parent
MEASUREMENTS = HERE / "measurements.json"


def rebuild(directory: Path) -> None:
    """Builds the study with its own source and platform archived beside it.

    The source is archived as text: as modules, an installer would compile it inside the sealed bundle.
    """
    source = sorted([*HERE.glob("*.py"), *HERE.glob("**/*.json")])
    code = {f"rsd_stratified/{path.relative_to(HERE).as_posix()}.txt": path.read_bytes() for path in source}
    measurements = json.loads(MEASUREMENTS.read_text(encoding="utf-8"))
    Build(directory, measurements, code | {"environment.json": platform_bytes()}).run()


def train() -> None:
    """Trains the learned families anew."""
    training.write(training.train(protocol(), _states("training")), HERE / "weights")


def measure() -> None:
    """Measures anew how long the recipe searches for maps."""
    tracer = Tracer(protocol(), bank.checkpoints())

    def traced(split: str) -> list[Traced]:
        return [tracer.traced(state) for state in _states(split)]

    frozen = partitions.partition_records(protocol(), traced("structure"))
    rows = timing.measurement_rows(protocol(), frozen, traced("calibration"))
    MEASUREMENTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def _states(split: str) -> list[State]:
    return [state for state in drawing.states(protocol()) if state.split == split]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["train"]:
            train()
        case ["measure"]:
            measure()
        case [name] if not Path(name).exists():
            rebuild(Path(name))
        case _:
            sys.exit("usage: python -m rsd_stratified DIRECTORY | train | measure   (the directory must not exist)")
