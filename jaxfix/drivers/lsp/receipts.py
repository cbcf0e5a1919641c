"""What reruns have shown of fixes, for as long as the text stays that which was rerun."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from jaxfix.drivers import files
from jaxfix.drivers.lsp.buffers import Buffer
from jaxfix.drivers.lsp.running import Proof


class Receipts:
    """The proofs of this session."""

    def __init__(self) -> None:
        self._kept: dict[Path, dict[str, Proof]] = {}

    def keep(self, path: Path, proofs: Iterable[Proof]) -> None:
        self._kept.setdefault(files.resolved(path), {}).update({proof.key: proof for proof in proofs})

    def of(self, buffer: Buffer, key: str) -> Proof | None:
        """What a rerun has shown of the fix, of this very text."""
        proof = self._kept.get(files.resolved(buffer.path), {}).get(key) if buffer.path is not None else None
        is_same = proof is not None and proof.sha256 == hashlib.sha256(buffer.source.raw).hexdigest()
        return proof if is_same else None

    def is_proven(self, buffer: Buffer, key: str) -> bool:
        proof = self.of(buffer, key)
        return proof is not None and proof.verdict == "proven"
