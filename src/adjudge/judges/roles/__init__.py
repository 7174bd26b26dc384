"""How an LLM is asked for each kind of opinion: one role a file, prompt and parsing side by side."""

from .base import Prompt, Reading, Role
from .comparer import COMPARER
from .researcher import RESEARCHER

__all__ = ["COMPARER", "RESEARCHER", "Prompt", "Reading", "Role"]
