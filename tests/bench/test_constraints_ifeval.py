"""The bench beside IFEval: a perfect judge's list for each instruction, and a table of who met what, by half."""

import json

import pytest

GIVEN = {
    "keywords:existence": {"keywords": ["river", "sea"]}, "keywords:forbidden_words": {"forbidden_words": ["lake"]},
    "keywords:frequency": {"relation": "less than", "keyword": "river", "frequency": 3},
    "keywords:letter_frequency": {"let_relation": "at least", "letter": "r", "let_frequency": 2},
    "language:response_language": {"language": "en"},
    "length_constraints:number_sentences": {"relation": "at least", "num_sentences": 1},
    "length_constraints:number_paragraphs": {"num_paragraphs": 1},
    "length_constraints:number_words": {"relation": "less than", "num_words": 100},
    "length_constraints:nth_paragraph_first_word": {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "the"},
    "detectable_content:number_placeholders": {"num_placeholders": 1},
    "detectable_content:postscript": {"postscript_marker": "P.S."},
    "detectable_format:number_bullet_lists": {"num_bullets": 2},
    "detectable_format:number_highlighted_sections": {"num_highlights": 1},
    "detectable_format:multiple_sections": {"section_spliter": "Day", "num_sections": 1},
    "combination:repeat_prompt": {"prompt_to_repeat": "The"}, "startend:end_checker": {"end_phrase": "sea."},
    "change_case:capital_word_frequency": {"capital_relation": "at least", "capital_frequency": 1},
}  # fmt: skip
TEXT = (
    "The old *river* slowly rises in the HILLS and runs through the green valley of [name] until it reaches the sea. "
    "P.S. Day 1 ends at the sea."
)
# A checker with IFEval's interface that knows one instruction: no commas.
CHECKER = """
class NoComma:
    def __init__(self, name): pass
    def build_description(self, **given): pass
    def check_following(self, text): return "," not in text
INSTRUCTION_DICT = {"punctuation:no_comma": NoComma, "detectable_format:constrained_response": NoComma}
"""


@pytest.fixture(scope="module")
def constraints_ifeval(bench):
    return bench("constraints_ifeval")


def test_every_instruction_becomes_constraints_that_can_be_measured(constraints_ifeval):
    for instruction in constraints_ifeval.LISTED:
        constraints = constraints_ifeval.constraints_of(instruction, GIVEN.get(instruction, {}))
        met, _, says = constraints_ifeval.ours(constraints, TEXT)
        missing = ("bullet", "json", "title", "two_responses", "quotation", "english_")
        assert met is not any(name in instruction for name in missing), says
    assert constraints_ifeval.constraints_of("detectable_format:constrained_response", {}) == []


def test_the_table_counts_who_met_what_in_each_half(call, tmp_path):
    folder = tmp_path / "instruction_following_eval"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "instructions_registry.py").write_text(CHECKER)
    for name in ("nltk", "langdetect"):
        (tmp_path / f"{name}.py").write_text("class DetectorFactory: pass\ndef word_tokenize(text): return [text]\n")
    ids = ["punctuation:no_comma", "detectable_format:constrained_response"]
    prompts = [{"key": key, "prompt": f"p{key}", "instruction_id_list": ids, "kwargs": [{}, {}]} for key in (2, 4, 5)]
    answers = [{"prompt": f"p{key}", "response": text} for key, text in ((2, "a, b"), (4, "a"), (5, "a，b"))]
    for name, records in (("input_data", prompts), ("answers", answers)):
        (folder / "data" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))
    data = [folder / "data/input_data.jsonl", folder / "data/answers.jsonl"]
    command = ["constraints_ifeval", folder, "--data", *data]
    said = call(*command, "--differences")
    rows = [line.split() for line in said.splitlines() if line.startswith(("no_comma", "constrained", "all"))]
    assert rows == [
        ["constrained_response", "–", "0", "–", "0", "0", "0", "2"],
        ["no_comma", "must_not_contain", "2", "100", "%", "0", "0", "0", "0"],
        ["all", "2", "100", "%", "0", "0", "0", "2"],
        ["constrained_response", "–", "0", "–", "0", "0", "0", "1"],
        ["no_comma", "must_not_contain", "1", "100", "%", "0", "0", "0", "0"],
        ["all", "1", "100", "%", "0", "0", "0", "1"],
    ]
    assert "developed" not in call(*command, "--half", "held-out")


def test_what_is_missing_is_named(constraints_ifeval, tmp_path):
    with pytest.raises(SystemExit, match="nltk langdetect immutabledict absl-py"):
        constraints_ifeval._registry(tmp_path / "nothing_here")
