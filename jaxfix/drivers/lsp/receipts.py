"""What reruns have shown of fixes, for as long as the text stays that which was rerun."""

import hashlib
from collections.abc import Iterable

from jaxfix.drivers.lsp.buffers import Buffer
from jaxfix.drivers.lsp.running import Proof


class Receipts:
    """The proofs of this session, the last one of each fix; each holds for one text."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[bytes, Proof]] = {}

    def keep(self, buffer: Buffer, proofs: Iterable[Proof]) -> None:
        """Keeps what was shown of the text that `buffer` has."""
        text = _digest(buffer)
        self._kept |= {(buffer.uri, proof.key): (text, proof) for proof in proofs}

    def of(self, buffer: Buffer, key: str) -> Proof | None:
        """What a rerun has shown of the fix, of this very text."""
        text, proof = self._kept.get((buffer.uri, key), (None, None))
        return proof if text == _digest(buffer) else None

    def is_proven(self, buffer: Buffer, key: str) -> bool:
        proof = self.of(buffer, key)
        return proof is not None and proof.verdict == "proven"


def _digest(buffer: Buffer) -> bytes:
    return hashlib.sha256(buffer.source.original).digest()
