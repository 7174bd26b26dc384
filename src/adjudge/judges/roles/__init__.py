"""How an LLM is asked for each kind of opinion: prompt and parsing side by side."""

from .base import Reading, Role
from .comparer import COMPARER
from .dialogue import CRITIC, EVALUATOR
from .explainer import EXPLAINER
from .rater import RATER
from .researcher import RESEARCHER

__all__ = ["COMPARER", "CRITIC", "EVALUATOR", "EXPLAINER", "RATER", "RESEARCHER", "Reading", "Role"]
