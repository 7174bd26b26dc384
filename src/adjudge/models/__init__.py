"""The shapes that flow through adjudge, each defined once: JSON out and in, OpenAPI and stored rows come from them.

Cases are what is to be judged. An opinion is one judge's parsed reply before any rule was applied; a verdict is what
rules made of opinions; a failure is a judgment that did not come about, and never a number.
"""

from .cases import Comparison, Dialogue, Original, Review, Speaker, Turn, check_weight, check_weights
from .common import (
    LABELS,
    Call,
    ErrorReport,
    Fact,
    Failure,
    FailureDetails,
    Finding,
    Label,
    Lookup,
    MemberScores,
    Provenance,
    Purpose,
    Reason,
    Recheck,
    Severity,
    Stage,
    Tokens,
    Usage,
    Warning,
    Where,
    each_once,
    spent,
    total_cost,
    total_usage,
)
from .comparison import (
    ComparisonOpinion,
    ComparisonVerdict,
    CriterionVerdict,
    Evidence,
    Impact,
    Judgment,
    Order,
    OrderReport,
    Overall,
    Research,
    Score,
    Winner,
)
from .dialogue import (
    Audit,
    CriticEntry,
    CriticView,
    Critique,
    DialogueOutput,
    DialogueVerdict,
    Evaluation,
    Mark,
    Objection,
    RefereeRule,
    Ruling,
    Scored,
    Utterance,
    cited,
)
from .review import (
    Explanation,
    FinalLikert,
    FinalRating,
    JudgedWords,
    JustificationAction,
    Passage,
    RatedResponse,
    Rating,
    RatingAction,
    ReviewOpinion,
    ReviewVerdict,
    TaskType,
)
