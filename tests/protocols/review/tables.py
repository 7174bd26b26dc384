"""Final tables for tests: as good as can be, but for what a test names."""

from adjudge.protocols.review.verdict import FinalRating

BEST = {
    "localization": 3, "instruction_following": 3, "truthfulness": 3, "verbosity": 0, "style_clarity": 3,
    "harmlessness": 3, "overall_quality": 5,
}  # fmt: skip


def table(**values):
    told = {"action": "filled", "reason": "", "justification_action": "filled", "justification_reason": ""}
    return {
        key: FinalRating(value=values.get(key, best), justification="Because. It is so.", **told)
        for key, best in BEST.items()
    }
