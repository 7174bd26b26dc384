import pytest

from adjudge.facts.truncation import find_truncation

PROSE = "Bees matter to farms. They carry pollen between flowers. Without them many crops would fail. "

CERTAIN = [
    PROSE + "The same holds for orchards, vineyards and many vegetable fields, because the",
    PROSE + "Farmers therefore rent hives, plant hedges, sow flower strips along their fields,",
    PROSE + "Some countries have banned certain chemicals in the open field (",
    "Here is the code:\n```python\ndef add(a, b):\n    return a +",
    "Text.\n````\n```\ninner\n```\nstill inside the outer fence",
    "1. Wash the rice.\n2. Boil the water.\n3.",
    "蜜蜂对农业很重要。它们在花间传播花粉。没有它们许多作物会歉收。因此农民租用蜂箱，种植树篱，在田边播种花带，",
    "蜜蜂对农业很重要。它们在花间传播花粉。没有它们许多作物会歉收。因此农民每年春天都从很远的地方租用蜂箱以及",
    "蜂は大切です。花粉を運びます。多くの作物が頼っています。そのため農家は毎年春に遠くの養蜂家から巣箱を",
    "벌은 중요합니다. 꽃가루를 옮깁니다. 작물이 의존합니다. 그래서 농부들은 해마다 봄에 벌통을 빌립니다 그리고",
    "मधुमक्खियाँ ज़रूरी हैं। वे पराग ले जाती हैं। फसलें निर्भर हैं। इसलिए किसान हर वसंत में छत्ते किराए पर लेते हैं और",
    "النحل مهم. ينقل حبوب اللقاح. تعتمد عليه المحاصيل. لذلك يستأجر كثير من المزارعين خلايا بعيدة في كل ربيع لأن",
]
HINTS = [
    PROSE + "In many regions the number of wild bees has fallen over the last thirty ye",
    PROSE + "In many regions the number of wild bees is falling because of",
    "- Wash the rice\n- Boil the water\n-",
    "蜜蜂对农业很重要。它们在花间传播花粉。没有它们许多作物会歉收。因此农民租用蜂箱种植树篱在田边播种",
]
COMPLETE = [
    "Paris",
    "42.",
    "Yes, because of the",
    "The Old Man and the Sea",
    PROSE,
    PROSE + "As the saying goes: “no bees, no honey.”",
    PROSE + "Read more at https://example.org/bees",
    PROSE + "The number of integers in the solution of this is therefore 19",
    PROSE.strip() + "<turn_end>",
    PROSE.strip() + " </s>",
    "Dear Anna,\n\n" + PROSE + "\n\nBest regards,\nTom",
    PROSE + "\n\nKind regards,",
    "Shall I compare thee to a summer's day,\nThou art more lovely and more temperate by far,\n"
    "Rough winds do shake the darling buds of May and\nSummer's lease hath all too short a date",
    "Shopping list:\n- apples and pears from the market on the corner\n- two loaves of bread without any seeds",
    "```python\nprint('done')\n```",
    "Use it like this:\n```python\nprint('done')```",
    "````markdown\n```python\nx = 1\n```\n````",
    "```markdown\n# Title\n```bash\nls\n```\n```",
    "x = compute(a,\n            b,",
    "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะกับเพื่อนหลายคนและกินข้าวกลางวันด้วยกัน",
    "これは文です。とても短い文です。最後の文もきちんと終わります。",
    "🎉🎉🎉",
    PROSE + "Have a great day and enjoy the spring with all its flowers 🌸",
]


@pytest.mark.parametrize("text", CERTAIN)
def test_a_clear_break_is_certain(text: str) -> None:
    spot = find_truncation(text)
    assert spot is not None and spot.certain


@pytest.mark.parametrize("text", HINTS)
def test_an_open_sentence_in_punctuated_prose_is_a_hint(text: str) -> None:
    spot = find_truncation(text)
    assert spot is not None and not spot.certain


@pytest.mark.parametrize("text", COMPLETE)
def test_a_complete_text_is_left_alone(text: str) -> None:
    assert find_truncation(text) is None


def test_the_place_is_the_end_of_the_text() -> None:
    text = CERTAIN[0] + "  \n"
    spot = find_truncation(text)
    assert spot is not None
    assert text[spot.start : spot.end].endswith("because the")
    assert 30 <= spot.end - spot.start <= 60
    assert text[spot.start - 1] == " "


@pytest.mark.parametrize(
    "text",
    [
        "Gravity is a force that pulls things to the",
        "It was described by Newton, who said that the force is proportional to the",
        "Photosynthesis is the process by which a plant turns light into a",
        "La gravedad es una fuerza que atrae todas las cosas hacia el centro de la",
        "La gravité est une force qui attire tous les objets vers le centre de la",
        "Die Schwerkraft ist eine Kraft, die alle Dinge in Richtung der Mitte der",
        "A gravidade é uma força que puxa todas as coisas para o centro da",
        "La gravità è una forza che attira tutte le cose verso il centro della",
    ],
)
def test_an_end_on_an_article_is_certain_even_in_one_sentence(text: str) -> None:
    spot = find_truncation(text, "What is gravity?")
    assert spot is not None and spot.certain


@pytest.mark.parametrize(
    "text",
    [
        "I think that we should all be allowed to choose how we die",
        "Ich fange morgen früh gleich nach dem Frühstück mit der Arbeit an",
        "The Lord of the Rings and the Return of the",
        "roses are red in the morning and the\nviolets are blue in the evening of the\nsugar is sweet and so are the",
        "The distance from b to c is the same as from b to a",
        "今天的天气在整个上午和下午都让人觉得非常温和",
    ],
)
def test_words_that_can_end_a_line_are_left_alone(text: str) -> None:
    assert find_truncation(text) is None


@pytest.mark.parametrize(
    "asked",
    [
        "Continue the sentence: Gravity is", "Complete this.", "Write a poem about gravity.", "Termina la frase.",
        "Vervollständige den Satz.", "Translate: La gravedad atrae las cosas hacia el",
    ],
)  # fmt: skip
def test_a_fragment_that_was_asked_for_is_a_hint(asked: str) -> None:
    spot = find_truncation("Gravity is a force that pulls things to the", asked)
    assert spot is not None and not spot.certain
