"""What of a bundle can be witnessed, and all witnesses of it: what each says, who vouches for it, what it covers."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sealtrace.bundle.budget import Asked
from sealtrace.bundle.defects import BundleError, Defect
from sealtrace.bundle.identity import MANIFEST
from sealtrace.bundle.members import LONGEST_WITNESS
from sealtrace.bundle.model import Bundle
from sealtrace.bundle.strict_json import StrictJSONError, parse
from sealtrace.contract.kinds import STAGES
from sealtrace.witnesses.signatures import (
    MissingPackageError,
    Seen,
    SignatureError,
    UnvouchedError,
    WitnessError,
    envelope_of,
    git_commit,
    open_timestamp,
    opened,
    read_authorities,
    read_bytes,
    read_public_key,
    token_digest,
    verified_bundle,
    verified_timestamp,
)

ROOT = "root"
SUBJECTS = (*STAGES, ROOT)
"""In the order in which they come to be: each commits to all before it."""
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:sealtrace:sealed:1"


@dataclass(frozen=True)
class Commitments:
    """The digests of one bundle."""

    digests: dict[str, str]
    """`root` and each sealed stage: the root digest, and the content digests of seals."""
    files: dict[str, str]
    """The same names: SHA-256 of manifest.json and of the seals as files, which other tools stamp."""

    def named(self, digest: str) -> str | None:
        """What a digest stands for here."""
        known = [*self.digests.items(), *self.files.items()]
        return next((name for name, here in known if here == digest), None)


def commitments_of(bundle: Bundle) -> Commitments:
    """The digests that were recomputed from the bytes that were read."""
    digests, files = {}, {}
    for seal in bundle.documents_of("seal"):
        digests[seal.value["stage"]] = bundle.contents[seal.path]
        files[seal.value["stage"]] = bundle.digests[seal.path]
    if bundle.root_sha256 is not None:
        digests[ROOT], files[ROOT] = bundle.root_sha256, bundle.digests[MANIFEST]
    return Commitments(digests, files)


def statement(commitments: Commitments, last: str, supersedes: Sequence[str] = ()) -> dict[str, object]:
    """What a signer says of a stage or of the root: these are its digests, and those of all before it."""
    names = [name for name in SUBJECTS[: SUBJECTS.index(last) + 1] if name in commitments.digests]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": commitments.digests[name]}} for name in names],
        "predicateType": PREDICATE_TYPE,
        "predicate": {"sealed": last, "supersedes": list(supersedes)},
    }


@dataclass(frozen=True)
class Stated:
    """A statement that was read."""

    last: str
    digests: dict[str, str]
    supersedes: tuple[str, ...]


def stated(payload: object) -> Stated | None:
    """A statement about a bundle; None for any other payload."""
    match payload:
        case {
            "_type": "https://in-toto.io/Statement/v1",
            "predicateType": "urn:sealtrace:sealed:1",
            "predicate": {"sealed": str(last), "supersedes": [*older]},
            "subject": [*subjects],
        } if last in SUBJECTS:
            digests = {}
            for subject in subjects:
                match subject:
                    case {"name": str(name), "digest": {"sha256": str(digest)}} if name in SUBJECTS:
                        digests[name] = digest
                    case _:
                        return None
            return Stated(last, digests, tuple(map(str, older))) if last in digests else None
    return None


def differences(said: Stated, commitments: Commitments) -> Iterator[tuple[str, str, str]]:
    """(name, as stated, as here) for every digest that is not the bundle's."""
    for name, digest in said.digests.items():
        here = commitments.digests.get(name)
        if here != digest:
            yield name, digest, here or "not sealed"


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
        return [witness for witness in self.witnesses if SUBJECTS.index(witness.subject) >= place]

    def since(self, stage: str) -> str | None:
        """The first moment at which somebody vouches that the stage was sealed."""
        times = (witness.time for witness in self.covering(stage) if witness.vouched)
        return min(filter(None, times), default=None)

    def count(self, sort: str) -> int:
        """How many of a sort somebody vouches for."""
        return sum(witness.sort == sort and witness.vouched for witness in self.witnesses)


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
            except UnvouchedError as error:
                self._defect(name, str(error), severity="warning")
            except (WitnessError, SignatureError) as error:
                self._defect(name, str(error))
            except MissingPackageError as error:
                if self.asked.sigstore_required:
                    raise
                self._defect(name, f"This was not looked at: {error}.", severity="warning")
            except BundleError:  # a file of the reader's own
                raise
            except Exception as error:  # libraries that read witnesses have exceptions of their own
                self._defect(name, f"It cannot be read as what its name says ({type(error).__name__}).")
        for path in self.keys:
            self.found.inspected += 1
            if path not in self.signed:
                self._defect(None, f"The root is not signed by the key that must have signed it ({path.name}).")
        if self.asked.sigstore_required:
            self.found.inspected += 1
            if not self.signed_by_identity:
                who = self.asked.sigstore_identity
                self._defect(None, f"The root is not signed by {who}, who must have signed it.")
        stamped = {
            witness.subject for witness in self.found.witnesses if witness.sort == "timestamp" and witness.vouched
        }
        for subject in self.asked.timestamps:
            self.found.inspected += 1
            if subject not in stamped:
                self._defect(None, f"No timestamp of a given authority is over {subject}.", subject)
        return self.found

    def _defect(
        self,
        source: str | None,
        message: str,
        stage: str | None = None,
        expected: str | None = None,
        found: str | None = None,
        severity: Literal["error", "warning"] = "error",
    ) -> None:
        key = None if stage is None else {"stage": stage}
        self.found.defects.append(Defect(message, source, key=key, expected=expected, found=found, severity=severity))

    def _read(self, name: str, data: bytes) -> None:
        if len(data) > LONGEST_WITNESS:
            raise WitnessError("too long to be a witness")
        if name.endswith(".sigstore.json"):
            self._sigstore(name, data)
        elif name.endswith(".dsse.json"):
            self._envelope(name, data)
        elif name.endswith(".tsr"):
            if self.authorities:
                try:
                    self._saw(name, "timestamp", [verified_timestamp(data, self.authorities)], vouched=True)
                except UnvouchedError:
                    self._stamped_by_a_stranger(name, data)
                    raise
            else:
                self._stamped_by_a_stranger(name, data)
        elif name.endswith(".commit"):
            self._saw(name, "git", git_commit(data), vouched=False)
        elif name.endswith(".ots"):
            self._saw(name, "opentimestamps", [open_timestamp(data)], vouched=False)
        else:
            raise WitnessError("no known sort of witness: .dsse.json, .sigstore.json, .tsr, .commit or .ots")

    def _stamped_by_a_stranger(self, name: str, data: bytes) -> None:
        seen = Seen(token_digest(data), "an authority that was not given (--tsa-root)", None)
        self._saw(name, "timestamp", [seen], vouched=False)

    def _saw(self, name: str, sort: str, sightings: list[Seen], *, vouched: bool) -> None:
        """Digests that somebody saw: witnesses where they are this bundle's, strangers where none is."""
        subjects = [self.commitments.named(seen.digest) for seen in sightings]
        for seen, subject in zip(sightings, subjects, strict=True):
            if subject is not None:
                self.found.witnesses.append(Witness(name, sort, subject, seen.by, seen.time, vouched))
        # What nobody vouches for only warns: else a stranger's file beside an honest bundle could fail it.
        if not any(subjects):
            known = f"a digest of {', '.join(self.commitments.digests)}"
            severity: Literal["error", "warning"] = "error" if vouched else "warning"
            self._defect(name, _STRANGE, expected=known, found=sightings[0].digest, severity=severity)

    def _envelope(self, name: str, data: bytes) -> None:
        try:
            envelope = envelope_of(data, name)
        except BundleError as error:
            raise WitnessError(str(error)) from None
        signers = {}
        # Every given key is tried: the key id in an envelope is whatever its writer put there.
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
        severity: Literal["error", "warning"] = "error" if vouched else "warning"
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
            self._defect(name, _STRANGE, subject, expected=expected, found=found, severity=severity)
        if wrong:
            return None
        self.found.witnesses.append(Witness(name, "signature", said.last, by, time, vouched))
        return said.last
