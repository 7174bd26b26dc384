"""What is public is a decision; a change of this list belongs in the changelog."""

import inspect
import subprocess
import sys

import adjudge


def test_the_public_names():
    public = """
        AdjudgeError CompareSettings Comparison ComparisonVerdict Dialogue DialogueSettings DialogueVerdict
        Failure GradeSettings GradeVerdict Grading InputError Original Review ReviewDraft ReviewSettings
        ReviewVerdict Turn __version__ agree compare compare_sync dialogue dialogue_sync grade grade_sync
        open_engine render replay review review_sync to_pandas to_polars
    """
    assert sorted(adjudge.__all__) == public.split()
    for name in adjudge.__all__:
        assert getattr(adjudge, name) is not None


def test_compare_is_async_and_takes_the_contracts_inputs():
    assert inspect.iscoroutinefunction(adjudge.compare)
    assert list(inspect.signature(adjudge.compare).parameters)[:5] == ["task", "a", "b", "context", "weights"]


def loaded_after(code, *modules):
    """Which of these modules a fresh process has loaded after it did this."""
    told = f"{code}; import sys; print([m for m in {modules!r} if m in sys.modules])"
    return subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_adjudge_imports_nothing_heavy():
    assert loaded_after("import adjudge", "pydantic", "aiohttp", "yaml", "fastapi") == "[]"


def test_compare_sync_works_with_and_without_a_running_loop(tmp_path):
    import asyncio

    def judged():
        verdict = adjudge.compare_sync(
            "Say hello.", "Hello there, my good friend!", "No.", journal=tmp_path / "journal.db"
        )
        assert isinstance(verdict, adjudge.ComparisonVerdict)
        return verdict.verdict_id

    async def inside_a_loop():
        return judged()

    assert judged() == asyncio.run(inside_a_loop())
