"""All witnesses of a bundle: what each says, whether anybody vouches for it, and what it covers."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealtrace.bundle.budget import Asked
from sealtrace.bundle.defects import BundleError, Defect
from sealtrace.bundle.member_bytes import LONGEST_WITNESS
from sealtrace.bundle.model import Bundle
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.witnesses.commitments import ROOT, SUBJECTS, Commitments, commitments_of, differences, stated
from sealtrace.witnesses.envelope import SignatureError, envelope_of, opened, read_bytes, read_public_key
from sealtrace.witnesses.timestamps import (
    Seen,
    WitnessError,
    git_commit,
    open_timestamp,
    read_authorities,
    token_digest,
    verified_bundle,
    verified_timestamp,
)

ROWS = ".rows.json"
"""Files of disclosed rows lie with the witnesses, too."""
_STRANGE = "This witness is about something else: the bundle was rolled back, mixed from several, or changed since."


@dataclass(frozen=True)
class Witness:
    """One witness that is about this bundle."""

    source: str
    sort: str
    """`signature`, `timestamp`, `git` or `opentimestamps`."""
    subject: str
    """`root` or a stage; it commits to everything before it."""
    by: str
    time: str | None
    vouched: bool
    """Whether a key or an authority that the reader named vouches for it."""

    @property
    def sentence(self) -> str:
        """For the report."""
        when = f" at {self.time}" if self.time else ""
        standing = "" if self.vouched else " (not verified)" if self.sort in ("signature", "timestamp") else " (weak)"
        return f"{self.sort} by {self.by}{when}{standing}"


@dataclass
class Witnessed:
    """What the witnesses of a bundle say together."""

    witnesses: list[Witness] = field(default_factory=list)
    defects: list[Defect] = field(default_factory=list)
    inspected: int = 0

    def covering(self, stage: str) -> list[Witness]:
        """The witnesses of a stage: those of its own seal, and of everything that commits to it."""
        place = SUBJECTS.index(stage)
        return [one for one in self.witnesses if SUBJECTS.index(one.subject) >= place]

    def since(self, stage: str) -> str | None:
        """The first moment at which somebody vouches that the stage was sealed."""
        return min((one.time for one in self.covering(stage) if one.vouched and one.time), default=None)

    def count(self, sort: str) -> int:
        """How many of a sort somebody vouches for."""
        return sum(one.sort == sort and one.vouched for one in self.witnesses)


def witnessed(bundle: Bundle, asked: Asked) -> Witnessed:
    """Every witness in the bundle and beside it, and what was asked for and is not there."""
    return _Examiner(commitments_of(bundle), asked).examine(_files(bundle, asked))


def _files(bundle: Bundle, asked: Asked) -> Iterator[tuple[str, bytes]]:
    yield from ((name, data) for name, data in bundle.witnesses.items() if not name.endswith(ROWS))
    for path in asked.files:
        yield path.name, read_bytes(path, LONGEST_WITNESS)


class _Examiner:
    def __init__(self, commitments: Commitments, asked: Asked) -> None:
        self.commitments = commitments
        self.asked = asked
        self.keys = {path: read_public_key(path) for path in asked.signatures}
        self.authorities = read_authorities(asked.authorities)
        self.found = Witnessed()
        self.signed: set[Path] = set()
        """Keys that signed the root."""
        self.signed_by_identity = False
        """Whether the sigstore identity signed the root."""

    def examine(self, files: Iterator[tuple[str, bytes]]) -> Witnessed:
        for name, data in files:
            self.found.inspected += 1
            try:
                self._read(name, data)
            except (WitnessError, SignatureError) as error:
                self._defect(name, str(error), severity="error")
        for path in self.keys:
            self.found.inspected += 1
            if path not in self.signed:
                self._defect(None, f"The root is not signed by the key that must have signed it ({path.name}).")
        if self.asked.sigstore_required:
            self.found.inspected += 1
            if not self.signed_by_identity:
                who = self.asked.sigstore_identity
                self._defect(None, f"The root is not signed by {who}, who must have signed it.")
        stamped = {one.subject for one in self.found.witnesses if one.sort == "timestamp" and one.vouched}
        for subject in self.asked.timestamps:
            self.found.inspected += 1
            if subject not in stamped:
                self._defect(None, f"No timestamp of a given authority is over {subject}.", key=subject)
        return self.found

    def _defect(
        self,
        source: str | None,
        message: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        key: str | None = None,
        severity: Any = "error",
    ) -> None:
        named = None if key is None else {"stage": key}
        self.found.defects.append(Defect(message, source, key=named, expected=expected, found=found, severity=severity))

    def _read(self, name: str, data: bytes) -> None:
        if len(data) > LONGEST_WITNESS:
            raise WitnessError("too long to be a witness")
        if name.endswith(".sigstore.json"):
            self._sigstore(name, data)
        elif name.endswith(".dsse.json"):
            self._envelope(name, data)
        elif name.endswith(".tsr"):
            self._timestamp(name, data)
        elif name.endswith(".commit"):
            seen = git_commit(data)
            if not any(self.commitments.named(one.digest) for one in seen):
                self._strange(name, seen[0].digest, vouched=False)
            for one in seen:
                self._saw(name, "git", one, vouched=False)
        elif name.endswith(".ots"):
            proof = open_timestamp(data)
            if not self._saw(name, "opentimestamps", proof, vouched=False):
                self._strange(name, proof.digest, vouched=False)
        else:
            raise WitnessError("no known sort of witness: .dsse.json, .sigstore.json, .tsr, .commit or .ots")

    def _saw(self, name: str, sort: str, seen: Seen, *, vouched: bool) -> bool:
        subject = self.commitments.named(seen.digest)
        if subject is not None:
            self.found.witnesses.append(Witness(name, sort, subject, seen.by, seen.time, vouched))
        return subject is not None

    def _strange(self, name: str, digest: str, *, vouched: bool) -> None:
        known = ", ".join(self.commitments.digests)
        self._defect(name, _STRANGE, expected=f"a digest of {known}", found=digest,
                     severity="error" if vouched else "warning")  # fmt: skip

    def _timestamp(self, name: str, data: bytes) -> None:
        if not self.authorities:
            digest = token_digest(data)
            seen, vouched = Seen(digest, "an authority that was not given (--tsa-root)", None), False
        else:
            seen, vouched = verified_timestamp(data, self.authorities), True
        if not self._saw(name, "timestamp", seen, vouched=vouched):
            self._strange(name, seen.digest, vouched=vouched)

    def _envelope(self, name: str, data: bytes) -> None:
        try:
            envelope = envelope_of(data, name)
        except BundleError as error:
            raise WitnessError(str(error)) from None
        signers = {}
        for path, key in self.keys.items():
            with suppress(SignatureError):
                payload = opened(envelope, key)
                signers[path] = f"the key {key.keyid[:16]}"
        if signers:
            if self._statement(name, payload, " and ".join(signers.values()), None, vouched=True) == ROOT:
                self.signed.update(signers)
            return
        try:
            payload = base64.b64decode(envelope["payload"])
        except ValueError:
            raise WitnessError("it holds text that is not base64") from None
        self._statement(name, payload, "a key that was not given (--require-signature)", None, vouched=False)

    def _sigstore(self, name: str, data: bytes) -> None:
        root, identity = self.asked.sigstore_root, self.asked.sigstore_identity
        if root is None or identity is None:
            message = "This was not looked at: --sigstore-root and --sigstore-identity say whom to trust."
            self._defect(name, message, severity="warning")
            return
        payload, time = verified_bundle(data, root, identity, self.asked.sigstore_issuer)
        self.signed_by_identity |= self._statement(name, payload, identity, time, vouched=True) == ROOT

    def _statement(self, name: str, payload: bytes, by: str, time: str | None, *, vouched: bool) -> str | None:
        """What a signed statement says; its subject where all of it is true of this bundle."""
        severity = "error" if vouched else "warning"
        try:
            said = stated(parse(payload))
        except StrictJSONError:
            said = None
        if said is None:
            self._defect(name, "Signed, but not a statement about a sealed bundle.", severity=severity)
            return None
        if self.commitments.digests.get(ROOT) in said.supersedes:
            self._defect(name, "Its signer replaced this bundle by a later one: this is a rollback.",
                         expected=said.digests.get(ROOT), found=self.commitments.digests[ROOT],
                         severity=severity)  # fmt: skip
            return None
        wrong = list(differences(said, self.commitments))
        for subject, expected, found in wrong:
            self._defect(name, _STRANGE, expected=expected, found=found, key=subject, severity=severity)
        if wrong:
            return None
        self.found.witnesses.append(Witness(name, "signature", said.last, by, time, vouched))
        return said.last
