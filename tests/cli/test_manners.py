"""Everyday manners: quiet and verbose, completion, names of columns, files that are cut off, the judge at hand."""

import asyncio
import io
import json
import os
import pty
import re
import select
import shutil
import subprocess

import pytest
from scripted.provider import fails, judges

from adjudge.cli.main import build_parser, main
from adjudge.judges import at_hand
from adjudge.llm.providers import PROVIDERS

PAIR = {"task": "Name a prime above 10.", "a": "11 is a prime above 10.", "b": "12 is a prime above 10."}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for provider in PROVIDERS.values():
        for name in provider.keys:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(at_hand, "LOCAL_SERVERS", ())


# -- the same names as a run -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "case", "names"),
    [
        ("compare", PAIR, {"task": "question", "a": "answer_a", "b": "answer_b"}),
        ("compare", PAIR, {"task": "Prompt", "a": "response_A", "b": "response_B"}),
        ("compare", PAIR, {"task": "instruction", "a": "chosen", "b": "rejected"}),
        (
            "review",
            {"prompt": "Name a prime.", "response1": "11 is one.", "response2": "12 is one."},
            {"prompt": "question", "response1": "output_1", "response2": "output_2"},
        ),
        (
            "dialogue",
            {"messages": [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]},
            {"messages": "conversation"},
        ),
    ],
)
def test_a_case_file_may_have_the_names_that_a_run_reads(adjudge, tmp_path, command, case, names):
    (tmp_path / "usual.json").write_text(json.dumps(case))
    (tmp_path / "other.json").write_text(json.dumps({names.get(name, name): value for name, value in case.items()}))
    usual, other = (adjudge(command, f"{name}.json", "--format", "text") for name in ("usual", "other"))
    assert usual.code == other.code == 0, other.err
    assert other.out == usual.out


def test_a_grading_may_have_them_too(adjudge, tmp_path):
    (tmp_path / "rubric.yaml").write_text(
        "name: r\nversion: '1'\nprotocol: grade\nitems:\n  - {key: eleven, points: 1, check: {contains: '11'}}\n"
    )
    for names in (("task", "answer"), ("question", "prediction"), ("user_prompt", "model_output")):
        (tmp_path / "g.json").write_text(json.dumps(dict(zip(names, ("Name a prime.", "11"), strict=True))))
        done = adjudge("grade", "g.json", "--rubric", "rubric.yaml", "--format", "json")
        assert done.code == 0, done.err
        assert json.loads(done.out)["passed"] is True


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        ("['One fact.', \"It's two.\"]", ["One fact.", "It's two."]),
        ('["One fact."]', ["One fact."]),
        ("[1, 'x']", ["[1, 'x']"]),
        ("[__import__('os').getcwd()]", ["[__import__('os').getcwd()]"]),
        ("['open", ["['open"]),
    ],
)
def test_a_list_of_texts_may_be_written_as_pandas_writes_it(adjudge, tmp_path, cell, texts):
    quoted = cell.replace('"', '""')
    (tmp_path / "rows.csv").write_text(f'question,answer,contexts\nWhat?,This.,"{quoted}"\n')
    assert adjudge("run", "grade", "rows.csv", "--run", "r", "--dry-run").code == 0
    (line,) = (tmp_path / "r" / "cases.jsonl").read_text().splitlines()
    assert [source["text"] for source in json.loads(line)["input"]["context"]] == texts


# -- quiet and verbose -------------------------------------------------------------------------------------------------


@pytest.fixture
async def asked(tmp_path, provider, monkeypatch):
    """What a comparison by a scripted judge writes to standard error with these options."""
    (tmp_path / "case.json").write_text(json.dumps(PAIR))

    async def compare(*args):
        shown = io.StringIO()
        monkeypatch.setattr("sys.stderr", shown)
        before, after = args[: args.index("compare")], args[args.index("compare") + 1 :]
        judge, journal = f"{provider.url}/v1#m", str(tmp_path / "journal.db")
        given = ["compare", str(tmp_path / "case.json"), "--judge", judge, "--journal", journal]
        code = await asyncio.to_thread(main, [*before, *given, "-o", str(tmp_path / "out.json"), *after])
        return code, shown.getvalue()

    return compare


@pytest.mark.parametrize("args", [("-v", "compare"), ("compare", "--verbose")])
async def test_verbose_logs_each_call_attempt_and_retry_with_its_time(asked, provider, args):
    provider.script = [fails(500, "try later"), judges(), judges()]
    code, shown = await asked(*args)
    assert code == 0, shown
    assert re.search(r"attempt 1: HTTP 500 after \d+\.\d\d s", shown)
    assert "attempt 1 failed: HTTP 500: try later; trying again" in shown
    assert re.search(r"attempt 2: HTTP 200 after \d+\.\d\d s", shown)
    assert re.search(r"#m: \w+, reply after \d+\.\d\d s, attempts: 2", shown)
    assert re.search(r"compare: verdict c\w+ after \d+\.\d\d s", shown)
    assert "reply found in the journal" in (await asked(*args))[1]


@pytest.mark.parametrize("args", [("-q", "compare"), ("compare", "--quiet")])
async def test_quiet_says_nothing_but_errors(asked, provider, args):
    provider.script = lambda request: judges()
    assert await asked(*args) == (0, "")
    code, shown = await asked("-q", "compare", "--temperature", "9")
    assert (code, shown) == (2, "adjudge: --temperature: 9.0; 0 to 2 is allowed\n")


async def test_neither_says_where_the_verdict_is_and_no_more(asked, provider):
    provider.script = lambda request: judges()
    code, shown = await asked("compare")
    assert code == 0
    assert re.fullmatch(r".*out\.json: .*, verdict c\w+\n", shown)


def commands(parser, above=()):
    for action in parser._actions:
        if hasattr(action, "_name_parser_map"):
            for name in action.choices:
                yield (*above, name)
                yield from commands(action.choices[name], (*above, name))


def test_every_command_takes_quiet_and_verbose():
    parser = build_parser()
    known = list(commands(parser))
    assert len(known) > 30
    for path in known:
        inner = parser
        for name in path:
            inner = next(each for each in inner._actions if hasattr(each, "_name_parser_map")).choices[name]
        shown = inner.format_help()
        assert "-q, --quiet" in shown and "-v, --verbose" in shown, path


def test_results_are_printed_all_the_same(adjudge, tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(PAIR) + "\n")
    adjudge("run", "compare", "p.jsonl", "--run", "r", "-q")
    loud, quiet = adjudge("show", "r"), adjudge("-q", "show", "r")
    assert loud.out == quiet.out != ""
    assert loud.err != ""
    assert quiet.err == ""
    assert adjudge("export", "r", "-o", "r.csv", "--quiet").err == ""
    assert adjudge("export", "r", "-o", "r.csv").err.startswith("r.csv: ")


# -- the judge at hand -------------------------------------------------------------------------------------------------


def test_auto_says_which_judge_it_takes_and_why_unless_quiet(adjudge):
    pieces = [part for name, text in PAIR.items() for part in (f"--{name}", text)]
    loud = adjudge("compare", *pieces, "--judge", "auto")
    assert loud.code == 0
    assert "adjudge: the judge is embedded: no provider's key is set, and no model server answers" in loud.err
    assert adjudge("compare", *pieces, "--judge", "auto", "-q").err == ""
    assert json.loads(loud.out) == json.loads(adjudge("compare", *pieces).out)


def test_a_run_keeps_the_judge_that_auto_found(adjudge, tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(PAIR) + "\n")
    assert adjudge("run", "compare", "p.jsonl", "--run", "r", "--judge", "auto").code == 0
    (row,) = json.loads(adjudge("show", "r", "--sql", "select judge from results", "--format", "json").out)
    assert row["judge"] == "embedded"
    assert adjudge("run", "--resume", "r", "--judge", "auto").code == 0


def test_a_verdict_of_the_embedded_judge_names_the_judge_that_is_at_hand(adjudge, tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(PAIR) + "\n")
    (tmp_path / "c.json").write_text(json.dumps(PAIR))
    without = adjudge("compare", "c.json")
    assert "gpt" not in without.err
    named = adjudge("compare", "c.json", OPENAI_API_KEY="x" * 20)
    assert named.err.count("--judge openai:gpt-5.1") == 1
    assert named.out == without.out, "the verdict is the same"
    assert "--judge openai:gpt-5.1" in adjudge("run", "compare", "p.jsonl", "--run", "r").err
    assert adjudge("compare", "c.json", "--quiet").err == ""


# -- completion --------------------------------------------------------------------------------------------------------


def bash_offers(script, words):
    line = " ".join(f'"{word}"' for word in ("adjudge", *words))
    asks = f'COMP_WORDS=({line}); COMP_CWORD={len(words)}; _shtab_adjudge; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", f"{script.read_text()}\n{asks}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def fish_offers(script, words):
    asks = f"source {script}; complete -C 'adjudge {' '.join(words)}'"
    done = subprocess.run(["fish", "--no-config", "-c", asks], capture_output=True, text=True, check=True)
    return {line.partition("\t")[0] for line in done.stdout.splitlines()}


# Prints what is offered instead of listing it. With -O, -A or -D nothing is offered, only filtered.
ZSH = r"""
fpath=(FOLDER $fpath); autoload -U compinit; compinit -u -D
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -l "offers:"$^hits
}
"""


def zsh_offers(script, words):
    """What zsh, which completes only at a terminal, offers when Tab is pressed there."""
    (script.parent / "begin.zsh").write_text(ZSH.replace("FOLDER", str(script.parent)))
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
        env={**os.environ, "TERM": "dumb", "PS1": "$ "},
    )  # fmt: skip
    os.close(inner)

    def typed(keys, awaited):
        os.write(terminal, keys.encode())
        shown = ""
        while awaited not in shown and select.select([terminal], [], [], 60)[0]:
            shown += os.read(terminal, 4096).decode()
        return shown

    try:
        typed(f"source {script.parent}/begin.zsh; print be''gun\n", "begun\r\n")
        shown = typed(f"adjudge {' '.join(words)}\t", "offers:")  # keys that wait already would stop the completion
        shown += typed("\x15print do''ne\n", "done\r\n")
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    return set(re.findall(r"offers:(\S+)\r", shown))


COMPLETED = [
    (["comp"], {"compare", "completion"}),
    (["compare", "--judg"], {"--judge"}),
    (["run", "--engine", ""], {"local", "ray"}),
    (["user", "pass"], {"password"}),
    (["--verb"], {"--verbose"}),
]


@pytest.mark.parametrize("offers", [bash_offers, zsh_offers, fish_offers], ids=["bash", "zsh", "fish"])
def test_a_shell_completes_commands_options_and_their_values(adjudge, tmp_path, offers):
    shell = offers.__name__.partition("_")[0]
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "_adjudge"
    script.write_text(adjudge("completion", shell).out)
    assert [(words, offers(script, words)) for words, _ in COMPLETED] == COMPLETED


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script_that_it_can_read(adjudge, tmp_path, shell):
    done = adjudge("completion", shell)
    assert done.code == 0
    for name in ("leaderboard", "json-progress", "evaluator"):
        assert name in done.out
    if shutil.which(shell):
        (tmp_path / "script").write_text(done.out)
        subprocess.run([shell, "-n", "script"], cwd=tmp_path, check=True)
