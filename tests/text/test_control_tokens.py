import json
import threading
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from quick import within

from adjudge.text import control_tokens
from adjudge.text.control_tokens import defuse, find_system_markers, pattern_of, real_end, without_end_markers
from adjudge.text.evidence import Haystack
from adjudge.text.findings import facts_of
from adjudge.text.injection import find_control_tokens

LIST = json.loads(Path(control_tokens.__file__).with_suffix(".json").read_text("utf-8"))
# What each family's own templates use, written down apart from the list.
FAMILIES = {
    "BERT": "[CLS] [SEP]", "Llama 2": "<s> </s> [INST] [/INST] <<SYS>> <</SYS>>",
    "Llama 3": "<|begin_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <|python_tag|>",
    "Llama 4": "<|header_start|> <|header_end|> <|eot|> <|image_start|> <|vision_reserved_special_token_1|>",
    "Qwen": "<|im_start|> <|im_end|> <|endoftext|> <think> </think> <tool_call> </tool_call> <tool_response>",
    "Gemma 3": "<start_of_turn> <end_of_turn> <start_of_image> <bos> <eos> <unused99> <start_function_call>",
    "Gemma 4": '<|turn> <turn|> <|channel> <channel|> <|tool_call> <tool_call|> <|think|> <|"|>',
    "Mistral": "[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CALLS] [TOOL_RESULTS] [AVAILABLE_TOOLS] [THINK] [/THINK]",
    "Phi": "<|system|> <|user|> <|assistant|> <|end|> <|im_sep|>",
    "DeepSeek": "<｜begin▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> <｜fim▁hole｜> ｜DSML｜",
    "EXAONE": "[|system|] [|user|] [|assistant|] [|endofturn|] [BOS]",
    "MiniMax": "]~!b[ ]~b] [e~[ ]<]image[>[ <minimax:tool_call> </minimax:tool_call>",
    "GLM": "[gMASK] <sop> <|observation|> <arg_key> </arg_value> <|user|>",
    "Command R": "<BOS_TOKEN> <|START_OF_TURN_TOKEN|> <|CHATBOT_TOKEN|> <EOP_TOKEN>",
    "Granite": "<|start_of_role|> <|end_of_role|> <|end_of_text|>",
    "SmolLM, StarCoder": "<file_sep> <gh_stars> <fim_prefix> <fim_middle> <fim_suffix> <jupyter_start> <issue_closed>",
    "gpt-oss": "<|start|> <|channel|> <|message|> <|constrain|> <|return|> <|call|>",
    "Kimi": "<|im_user|> <|im_middle|> <|tool_calls_section_begin|>",
    "Seed-OSS": "<seed:bos> <seed:eos> <seed:think>", "Nemotron, T5": "<SPECIAL_12> <extra_id_7>",
}  # fmt: skip
ORDINARY = [
    '<div class="a"><b>x</b><br/><table><tr><td></td></tr></table></div><video><audio><image><title><s-x>',
    '<?xml version="1.0"?><note:to xml:lang="en"><order_id>7</order_id><user_name/></note:to><!-- <a> -->',
    "Map<String, List<T>> m = new HashMap<>(); std::vector<int> v; Vec<Option<u8>>; a << b >> c; x <= y",
    "cp <my_var> <your_api_key> <file_name> <access_token>; let x = [|1; 2|] in [|x|]; a <|> b; f <| x |> g",
    "[1] [x](y) [ ] [[wiki]] {% if a[i] %} ${array[@]} [INFO] [TODO] | a | b | <user@example.org> <https://a.b/c_d>",
]

MARKERS = [
    "<turn_end>", "<end_of_turn>", "<|im_end|>", "</s>", "<eos>", "[/INST]", "<|eot_id|>", "<EOT>",
    "<｜end▁of▁sentence｜>",
]  # fmt: skip


def test_a_marker_at_the_end_is_certain_and_no_fault_several_come_in_order_and_other_ends_stay():
    for marker in MARKERS:
        text = f"All done. {marker}\n"
        (spot,) = find_system_markers(text)
        assert text[spot.start : spot.end] == marker
        assert spot.certain and facts_of("system_marker", "A", [spot])[0].severity is None
        assert without_end_markers(text) == "All done." == text[: real_end(text)]
    text = "Done.</s> <|im_end|>"
    assert [text[spot.start : spot.end] for spot in find_system_markers(text)] == ["</s>", "<|im_end|>"]
    for text in ("Done.", "See [1]", "<b>x</b>", "</s> starts it", "a > b", "", "  \n"):
        assert (find_system_markers(text), without_end_markers(text)) == ([], text)


def test_the_control_tokens_of_every_family_are_broken_reported_and_quotable():
    for token in " ".join(FAMILIES.values()).split():
        sent = defuse(f"Fine. {token} More.")
        assert token not in sent and sent.replace("\u2060", "") == f"Fine. {token} More."
        assert [spot.found for spot in find_control_tokens(f"Fine. {token}")] == [f"contains the chat marker {token}"]
        # The model quotes what it was shown; the text itself has no joiner.
        assert Haystack(f"Fine. {token} More.").find(sent) == (0, len(token) + 12)


def test_every_listed_token_is_broken_and_those_that_are_ordinary_words_too_are_not_reported():
    for family in LIST.values():
        assert family["source"]
        for token in family["tokens"]:
            assert token not in defuse(token) and find_control_tokens(token), token
        for token in family.get("ordinary", []):
            assert token not in defuse(token) and not find_control_tokens(token), token


def test_markup_code_and_placeholders_are_left_alone():
    for text in ORDINARY:
        assert (defuse(text), find_control_tokens(text)) == (text, [])


def test_tokens_that_share_a_bracket_are_all_broken():
    text = "[INST]~b]~b]~b][e~[INST]<|turn><turn|>"
    sent = defuse(text)
    assert defuse(sent) == sent
    assert not any(token in sent for token in ("[INST]", "]~b]", "[e~[", "<|turn>", "<turn|>"))


def test_a_models_own_tokens_are_broken_beside_the_listed_ones():
    own = pattern_of(["«turn»", "<odd>", "x"])
    assert defuse("«turn»x<odd><|a|>", own) == "«\u2060turn»x<\u2060odd><\u2060|a|>"
    assert defuse("«turn»x<odd>") == "«turn»x<odd>"


def test_a_megabyte_made_to_be_slow_is_quick():
    for piece in ("<", "[", "]", "<|", "<a_b_", "<|a", "]~b]", "<|im_end|>", "<x>", "｜"):
        with within(3):
            defuse(piece * (1_000_000 // len(piece)))


def test_while_a_megabyte_is_defused_other_threads_run():
    text, longest, done = "<x>" * 333_333, 0.0, threading.Event()

    def work():
        defuse(text)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        used = time.thread_time(), time.process_time()
        time.sleep(0.001)
        # What this process did while we wanted to go on: it does not grow with other work on the machine.
        longest = max(longest, time.process_time() - used[1] - (time.thread_time() - used[0]))
    thread.join()
    assert longest < 0.1


@given(st.text(max_size=100), st.lists(st.sampled_from([*MARKERS, " ", "\n"]), max_size=14))
def test_what_is_left_is_the_beginning_of_the_text(text, tail):
    whole = text + "".join(tail)
    assert whole.startswith(without_end_markers(whole))
    assert whole[: real_end(whole)] == whole[: real_end(whole)].rstrip()
    for spot in find_system_markers(whole):
        assert 0 <= spot.start < spot.end <= len(whole)
