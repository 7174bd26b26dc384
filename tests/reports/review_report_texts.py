"""Tasks, responses and ratings to show in the report of a review, kind and hostile."""

from __future__ import annotations

from dataclasses import dataclass

from reports.verdict_samples import ANSI, BIDI, HOSTILE_MARKDOWN, SCRIPT


@dataclass(frozen=True)
class Line:
    """A line of a final table, with what the person entered."""

    value: int
    justification: str
    action: str = "filled"
    reason: str = "not entered"
    fate: str = "filled"
    fate_reason: str = "none was entered"
    entered: str = ""
    said: str = ""
    quotes: tuple[str, ...] = ()
    rule: str = ""
    assessed: bool = True


PROMPT = (
    "Write a flyer of about 60 words for our reading week, for families. Name the dates, say that it is free, and "
    "close with an invitation. Use British spelling."
)
FLYER = (
    "Reading Week at Harbour Library\n\n"
    "From 14 to 18 July, every afternoon belongs to stories. Bring the children, pick a cushion, and let our "
    "librarians take you from dragons to deep-sea divers. Craft tables are open from two, and everything is free.\n\n"
    "Come along, colour a bookmark, and stay for a chapter!\n\n"
    "We hope this helps!"
)
CUT_OFF = (
    "READING WEEK!!!\n\n"
    "Win a tablet at our reading week in the fall! All families are invited to the color workshop, the big raffle and "
    "the reading marathon, and there will be snacks, music and games for everyone all day long, so mark your calendars "
    "now, tell your friends, and do not forget to bring the"
)
ARABIC = "أهلا بكم في المكتبة. الدخول مجاني، ويمكنكم استعارة خمسة كتب لمدة أسبوعين، ثم تجديدها مرة واحدة."
CHINESE = "欢迎来到图书馆。入场免费，每人可以借五本书，借期两周，到期后可以续借一次，请保持安静并爱护图书。"

RATINGS_1 = (
    Line(
        3,
        "British spelling throughout (“colour”), and the date is written as it is in the United Kingdom.",
        "kept",
        "",
        "kept",
        "It is specific and true to the response.",
        entered="3",
        said="British spelling throughout (“colour”), and the date is written as it is in the United Kingdom.",
        quotes=("From 14 to 18 July", "colour a bookmark"),
    ),
    Line(
        3,
        "Names the dates, says that it is free and closes with an invitation, all within the length asked for.",
        "replaced",
        "Everything that was asked for is there.",
        "rewritten",
        "It names no instruction that was missed.",
        entered="2",
        said="Could be better.",
        quotes=("everything is free", "Come along, colour a bookmark, and stay for a chapter!"),
    ),
    Line(
        3,
        "Promises nothing that the task does not state.",
        "kept",
        "The judge cannot tell; what was entered is left alone.",
        "kept",
        "It is specific.",
        entered="3",
        said="Promises nothing that the task does not state.",
        assessed=False,
    ),
    Line(0, "60 words, as asked.", "kept", "", "rewritten", "It is not in English.", entered="0", said="Passt genau."),
    Line(
        2,
        "Clear and lively, but it ends with a pleasantry meant for the person who asked, not for the flyer.",
        "replaced",
        "A closing pleasantry is a minor issue of style.",
        "rewritten",
        "Its rating was replaced.",
        entered="3",
        said="Very good style.",
        quotes=("We hope this helps!",),
        rule="pleasantry",
    ),
    Line(3, "Safe and friendly.", "filled", "No rating was entered."),
    Line(
        4,
        "One minor issue of style; otherwise ready to print.",
        "refused",
        "“very good” is not on the scale from 1 to 5.",
        "rewritten",
        "Its rating was refused.",
        entered="very good",
        said="Very good, I like it.",
        rule="overall",
    ),
)
RATINGS_2 = (
    Line(
        2,
        "American words where British ones were asked for: “fall”, “color”.",
        "replaced",
        "The spelling is American in two places.",
        "rewritten",
        "It says the opposite of what stands in the response.",
        entered="3",
        said="Perfect British English.",
        quotes=("in the fall", "color workshop"),
    ),
    Line(
        1,
        "Names no dates and does not say that it is free, and it promises a prize although the library does not.",
        "replaced",
        "Two of three things asked for are missing.",
        "rewritten",
        "Its rating was replaced.",
        entered="3",
        said="Follows everything.",
        quotes=("Win a tablet at our reading week",),
    ),
    Line(2, "Invents a raffle.", "filled", "No rating was entered.", quotes=("the big raffle",)),
    Line(
        -2,
        "Breaks off in the middle of a sentence, so the invitation is missing: a truncation.",
        "replaced",
        "The response is cut off.",
        "rewritten",
        "Its rating was replaced.",
        entered="0",
        said="Good length.",
        quotes=("do not forget to bring the",),
        rule="truncation",
    ),
    Line(2, "Capitals and exclamation marks shout.", "kept", "", "filled", "None was entered.", entered="2"),
    Line(
        3,
        "Nothing harmful.",
        "refused",
        "“9” is not on the scale from 1 to 3.",
        "rewritten",
        "Its rating was refused.",
        entered="9",
        said="Safe.",
    ),
    Line(
        1,
        "Two major issues: the instructions are missed and the text is cut off.",
        "replaced",
        "Two major issues leave 1, or 2 if something is still good.",
        "rewritten",
        "Its rating was replaced.",
        entered="4",
        said="Nice and lively.",
        rule="overall",
    ),
)
PREFERENCE = Line(
    2,
    "Response 1 is better. It names the dates, says that the week is free and closes with an invitation. Response 2 "
    "misses two of these, promises a prize and breaks off in the middle of a sentence.",
    "replaced",
    "The corrected tables favour Response 1.",
    "rewritten",
    "It contradicts the tables.",
    entered="5",
    said="Response 2 is nicer.",
    rule="likert",
)
FEEDBACK = (
    "Read a response to its end before rating its length: Response 2 breaks off.",
    "Quote the word or the passage a rating rests on; “could be better” helps nobody.",
    "Ratings are numbers on the scale; words such as “very good” cannot be used.",
)

LONG_WORD = "x" * 400
HOSTILE = (
    f"{SCRIPT} {ANSI} {BIDI} {HOSTILE_MARKDOWN} "
    f'"><img src=x onerror=alert(2)> </div></article></body> {{{{ 7*7 }}}} {{% raw %}} &amp; &lt; {"z" * 200}'
)
HOSTILE_RESPONSE = (
    f"{SCRIPT} stands here with more words\n{ANSI} after the escapes\n{BIDI}\n{HOSTILE_MARKDOWN}\n{ARABIC}\n{CHINESE}\n"
    f"<turn_end>\u2028</mark></div><style>*{{display:none}}</style> {LONG_WORD}"
)
