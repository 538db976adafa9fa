"""How much of a check was tried and how much may be: work, which every machine counts alike, and one clock for all."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field


@dataclass
class Tally:
    """One check's account; its steps follow each other on one clock, and each stops at its own share of it."""

    end: float = math.inf
    """When everything is over."""
    hypotheses: int = 0
    work: int = 0
    """Numbers that were computed and compared; what bounds the search on any machine alike."""
    seconds: float = 0.0
    """How long it took."""
    untried: list[str] = field(default_factory=list)
    too_much: list[str] = field(default_factory=list)
    """What was left out because it needs more work than its share, and not because the time was over."""
    partial: list[str] = field(default_factory=list)
    """Groups of files that nothing is compared with, because some of them were not read."""
    started: float = field(init=False)
    deadline: float = field(init=False)
    """When the present step is over."""

    def __post_init__(self) -> None:
        self.started, self.deadline = time.process_time(), self.end

    def begin(self, share: float) -> None:
        """Begins a step that is over when this share of the whole time is."""
        self.deadline = self.started + share * (self.end - self.started)

    def over(self, limit: float) -> bool:
        """Whether the work or the time is used up."""
        return self.work > limit or self.late()

    def late(self, what: str | None = None) -> bool:
        """Whether the time of the step is used up; `what` is then left out, and said."""
        late = time.process_time() > self.deadline
        if late and what is not None and what not in self.untried:
            self.untried.append(what)
        return late
