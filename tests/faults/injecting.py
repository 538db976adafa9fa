"""Runs commands in which one step of writing fails, or the process dies, or the disk is gone from there on.

A process of its own, so that it can fork before any thread is started. It reads a line of JSON for each run
(`{"argv", "at", "how", "watched"}`) and answers with a line (`{"code", "steps"}`): how the command ended, and every
step below the watched directory that it came to. A step is an open for writing, a write, an fsync, a rename, a link,
an unlink, and a directory made or removed.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_EVENTS = {"os.rename": "rename", "os.link": "link", "os.remove": "unlink", "os.mkdir": "mkdir", "os.rmdir": "rmdir"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Faults:
    """Counts the steps, and lets one of them go wrong."""

    def __init__(self, watched: str, at: int, how: str) -> None:
        self.watched, self.at, self.how = watched, at, how
        self.steps: list[str] = []

    def step(self, what: str, path: object) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)) or not self._is_watched(os.fsdecode(path)):
            return
        self.steps.append(what)
        if len(self.steps) == self.at and self.how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if len(self.steps) == self.at and self.how == "interrupt":
            raise KeyboardInterrupt
        if len(self.steps) == self.at or (len(self.steps) > self.at > 0 and self.how == "gone"):
            raise OSError(errno.ENOSPC, "No space left on device", os.fsdecode(path))

    def _is_watched(self, path: str) -> bool:
        return os.path.abspath(path).startswith(self.watched)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING:
            self.step("open", arguments[0])
        elif event in _EVENTS:
            self.step(_EVENTS[event], arguments[0])

    def of_descriptor(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def faulty(descriptor: int, *rest: Any) -> Any:
            try:
                path = os.readlink(f"/proc/self/fd/{descriptor}")
            except OSError:
                path = ""
            self.step(what, path)
            return function(descriptor, *rest)

        return faulty


def run(argv: list[str], faults: Faults, answer: int) -> None:
    """In the child: the command, and what it came to."""
    from sealtrace.cli.main import main

    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    sys.argv = ["sealtrace", *argv]
    os.write, os.fsync = faults.of_descriptor("write", os.write), faults.of_descriptor("fsync", os.fsync)
    sys.addaudithook(faults.hook)
    code = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    faults.at = 0
    os.write(answer, json.dumps({"code": code, "steps": faults.steps}).encode())
    os._exit(0)


def serve() -> None:
    """Answers each line with what a run of it came to; a run that died gives no steps."""
    import sealtrace.bundle.sealing
    import sealtrace.bundle.writing
    import sealtrace.cli.main
    import sealtrace.examination  # noqa: F401

    for line in sys.stdin:
        asked = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            run(asked["argv"], Faults(asked["watched"], asked["at"], asked["how"]), writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as answers:
            text = answers.read()
        _, status = os.waitpid(child, 0)
        ended = {"code": -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), "steps": []}
        print(json.dumps(json.loads(text) if text else ended), flush=True)


if __name__ == "__main__":
    serve()
