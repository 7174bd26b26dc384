"""Untrusted text between marker lines that it cannot contain.

What is judged is data: whatever it says, it stays between its two markers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..text.control_tokens import defuse


@dataclass(frozen=True)
class Fence:
    """Marks off untrusted texts with a code that none of them contains.

    The code is drawn from the texts themselves: it is the same for the same case, and a text cannot carry its own.
    """

    code: str

    @classmethod
    def around(cls, *texts: str) -> Fence:
        digest = hashlib.sha256()
        for text in texts:
            encoded = text.encode()
            digest.update(len(encoded).to_bytes(8, "big"))
            digest.update(encoded)
        code = digest.hexdigest()[:16]
        while any(code in text for text in texts):
            code = hashlib.sha256(code.encode()).hexdigest()[:16]
        return cls(code)

    def wrap(self, name: str, text: str) -> str:
        """The text between its two marker lines."""
        return f"<<<{name} {self.code}>>>\n{defuse(text)}\n<<<END {name} {self.code}>>>"
