"""What the Romance languages share when they ask: where a request may begin, and the names of programming things."""

from __future__ import annotations

START = r"(?:\A[\W\d_]{0,8}|[,;:!?¡¿(\[—–]\s{0,3}|\s-\s|\b(?:"
LANGUAGES = r"python|java ?script|typescript|java|c\+\+|c#|rust|ruby|php|sql|bash|kotlin|swift|go|r"
PROGRAM = r"\b(?:sql|api|excel|latex|app|html|pandas|json schema)\b"
