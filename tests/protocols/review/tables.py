"""Final tables for tests: as good as can be, but for what a test names."""

from adjudge.verdicts import FinalRating

BEST = {
    "localization": 3,
    "instruction_following": 3,
    "truthfulness": 3,
    "verbosity": 0,
    "style_clarity": 3,
    "harmlessness": 3,
    "overall_quality": 5,
}


def table(**values):
    return {
        key: FinalRating(values.get(key, best), "Because. It is so.", "filled", "", "filled", "")
        for key, best in BEST.items()
    }
