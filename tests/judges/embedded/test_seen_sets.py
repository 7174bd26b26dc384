"""The sets that the embedded judge was made with are recognised by their texts."""

import json
from importlib import resources

from adjudge.judges.embedded.model import KEPT, load_model, seen_sets, sketch, text_hash


def test_every_set_that_the_shipped_model_was_fitted_to_is_known():
    known = json.loads((resources.files("adjudge.judges.embedded") / "seen_sets.json").read_text())
    assert set(load_model().about["sets"]) <= set(known)
    assert {len(set(kept)) for kept in known.values()} == {KEPT}


def test_a_set_is_recognised_by_one_of_its_texts_and_white_space_counts_for_nothing():
    texts = ["Something of our own.", "Tell me\n a fun fact "]
    assert seen_sets(["embedded"], "any.jsonl", texts) == ("autoj",)
    assert seen_sets(["embedded"], "any.jsonl", texts[:1]) == ()


def test_other_judges_have_seen_nothing_that_is_known():
    assert seen_sets(["openai:gpt-5.1"], "any.jsonl", ["Tell me a fun fact"]) == ()
    assert seen_sets(["openai:gpt-5.1", "embedded"], "any.jsonl", ["Tell me a fun fact"]) == ("autoj",)


def test_a_model_of_the_user_took_part_with_the_file_it_was_fitted_to(tmp_path):
    model = json.loads((resources.files("adjudge.judges.embedded") / "model.json").read_text())
    path = tmp_path / "own.json"
    path.write_text(json.dumps(model | {"about": {"labels": "ours.jsonl"}}))
    assert seen_sets([f"embedded:{path}"], "ours.jsonl", ["A task."]) == ("ours.jsonl",)
    assert seen_sets([f"embedded:{path}"], "others.jsonl", ["A task."]) == ()


def test_a_sketch_keeps_the_smallest_hashes_whatever_the_order_and_number_of_texts():
    texts = [f"task {n}" for n in range(200)]
    assert sketch(texts) == sketch([*reversed(texts), *texts]) == sorted(map(text_hash, texts))[:KEPT]
