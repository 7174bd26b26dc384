"""deepeval: G-Eval on both answers through its `evaluate`, with given steps, so that a judgment is one call.

Its own comparison, ArenaGEval, makes two calls for each judgment (the second one rewords the reason).
"""

from __future__ import annotations

import json
import os

from peer_cases import CRITERION, completion, wanted

REQUIREMENTS = ("deepeval==4.3.1", "openai==3.49.0")
REPLY = completion(json.dumps({"reason": "The first says the same in fewer words.", "score": 8}))
_OFF = ("DEEPEVAL_TELEMETRY_OPT_OUT", "DEEPEVAL_NO_INSPECT_PROMPT", "DEEPEVAL_DISABLE_DOTENV")


def main() -> None:
    os.environ |= dict.fromkeys(_OFF, "1")
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import GEval
    from deepeval.models import OpenAIModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    todo = wanted()
    metric = GEval(
        name="better",
        evaluation_steps=[CRITERION, "Score the actual output against the expected output."],
        evaluation_params=[
            SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT,
        ],
        model=OpenAIModel(model="gpt-4.1", api_key="none", base_url=todo.url),
    )  # fmt: skip
    cases = [LLMTestCase(input=case["task"], actual_output=case["a"], expected_output=case["b"]) for case in todo.cases]
    judged = evaluate(
        cases,
        [metric],
        async_config=AsyncConfig(max_concurrent=todo.concurrency),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False, use_cache=False),
    )
    assert len(judged.test_results) == len(cases)
    assert all(result.success for result in judged.test_results)


if __name__ == "__main__":
    main()
