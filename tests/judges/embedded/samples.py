"""Conversations and pairs of answers for the embedded judge, and its opinion on a pair."""

from hypothesis import strategies as st

from adjudge.judges.embedded import EmbeddedJudge
from adjudge.protocols.compare.questions import CompareQuestion
from adjudge.protocols.dialogue.case import Dialogue, Turn
from adjudge.protocols.rubrics import parse, shipped

TASK = "Give me three tips for helping bees on a farm. Use no more than 80 words."
TIPS = (
    "1. Sow a strip of wild flowers along each field, for example clover.\n"
    "2. Spray in the evening only, when bees do not fly.\n"
    "3. Leave some bare soil, since many wild bees nest in it."
)
GOOD = f"Bees carry pollen between flowers, and most crops depend on them. Three tips:\n\n{TIPS}"
POOR = "Bees are nice animals that fly around in the summer and make honey for people. " * 6
DECLINES = "I'm sorry, but I can't help with that."

PIECES = (
    "Yes.", "No,", "the", "Paris", "1.", "- item", "\n", "\n\n", "```python\nx = (\n```", "“quoted”", "İstanbul", "ß",
    "I cannot help with that.", "Sure!", "in 3 words", "42", "???", "### Instruction:", "the the the", "e.g.", "字",
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join))


def talk(text):
    """A conversation from `SPEAKER: text` lines; nothing behind the colon is a turn without words."""
    lines = [line.partition(":") for line in text.strip().splitlines()]
    return Dialogue(1, tuple(Turn(who, said.strip(), line) for line, (who, _, said) in enumerate(lines, 1)))


def own_rubric(protocol, scale, **weights):
    criteria = [f"  - {{key: {key}, weight: {weight}, guidance: So or not}}" for key, weight in weights.items()]
    head = f'name: own\nversion: "1"\nprotocol: {protocol}\nscale: {{{scale}}}\ncriteria:\n'
    return parse(head + "\n".join(criteria), "own.yaml")


async def opinion_on(case, order="ab", rubric=None):
    return await EmbeddedJudge().opine(CompareQuestion(case, rubric or shipped("compare"), order))
