"""What the rubric of a comparison may say."""

from ...rubric import RubricRules

RULES = RubricRules(calibrated="preference_for_a", ties=True)
