"""What samples of all protocols share: their texts (`samples.yaml`), hostile strings, a case with its verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from adjudge.models.common import Call, Usage

TEXTS: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "samples.yaml").read_text("utf-8"))
JUDGE = "openai:gpt-5.1"

SCRIPT = "<script>alert(1)</script>"
ANSI = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J"
BIDI = "\u202eevil\u202c \u2066in\u2069"
HOSTILE_MARKDOWN = "| a | b |\n|---|---|\n`code` [click](javascript:alert(1)) ![x](http://evil.example/x.png) ]]> ***"
BREAKOUT = '"><img src=x onerror=alert(2)> </div></li></ol></body> {{ 7*7 }} {% raw %} &amp; &lt;'
CHINESE = "这个客服一直没有回答我的问题，我已经问了三次，还是不知道什么时候可以退款。"
ARABIC = "شكرا جزيلا على المساعدة، لقد حصلت على كل ما أحتاج إليه اليوم."
LONG_WORD = "x" * 400
HOSTILE = f"{SCRIPT} {ANSI} {BIDI} {HOSTILE_MARKDOWN} {BREAKOUT} {'z' * 200}"


@dataclass(frozen=True)
class Sample:
    case: Any
    verdict: Any
    rubric: Any

    def having(self, **updates: Any) -> Sample:
        return replace(self, verdict=self.verdict.updated(**updates))


def call(key: str, cost: str | None = "0.0042315", purpose: str = "opinion") -> Call:
    usage = Usage(input_tokens=1705, output_tokens=412, reasoning_tokens=128)
    paid = None if cost is None else Decimal(cost)
    return Call(key=key, purpose=purpose, model="gpt-5.1", usage=usage, cost=paid)  # type: ignore[arg-type]
