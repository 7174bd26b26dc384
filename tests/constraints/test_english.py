from hypothesis import given, settings
from hypothesis import strategies as st
from quick import within

from adjudge.constraints.english import binds, load_readings, read_constraints
from adjudge.constraints.measuring import KINDS

# The wording, and what is demanded: kind, bound, amount, and whichever of most, text and strict matter.
COUNTED = [
    ("Explain photosynthesis in at most 100 words.", ("words", "at_most", 100)),
    ("Summarize the plot of Hamlet in no more than 50 words.", ("words", "at_most", 50, "strict")),
    ("Your answer must not exceed 120 words.", ("words", "at_most", 120, "strict")),
    ("Your answer should be no longer than 80 words.", ("words", "at_most", 80, "strict")),
    ("The essay should not be more than 300 words.", ("words", "at_most", 300, "strict")),
    ("Write a 200-word essay about friendship.", ("words", "at_most", 200)),
    ("Write a 200 word essay about friendship.", ("words", "at_most", 200)),
    ("Write a short 150-word story about a fox.", ("words", "at_most", 150)),
    ("Please write me a 1,000-word article on bees.", ("words", "at_most", 1000)),
    ("Describe Rome in about 150 words.", ("words", "about", 150)),
    ("Describe Rome in approximately 150 words", ("words", "about", 150)),
    ("Describe Rome in around two hundred words.", ("words", "about", 200)),
    ("Describe Rome in roughly 150 words.", ("words", "about", 150)),
    ("Describe Rome in 150 words or so.", ("words", "about", 150)),
    ("Write a story of between 100 and 150 words.", ("words", "between", 100, 150)),
    ("Write a story in 100-150 words.", ("words", "between", 100, 150)),
    ("Write a story in 100 to 150 words.", ("words", "between", 100, 150)),
    ("Write an essay of at least 300 words on the sea.", ("words", "at_least", 300)),
    ("Write a minimum of 500 words on the French Revolution.", ("words", "at_least", 500)),
    ("Write no fewer than 500 words on the French Revolution.", ("words", "at_least", 500, "strict")),
    ("Tell me a story with more than 1000 words.", ("words", "at_least", 1000)),
    ("Write a blog post about tea. Use 400 words or more.", ("words", "at_least", 400)),
    ("Write exactly 50 words about winter.", ("words", "exactly", 50)),
    ("In 100 words, explain gravity.", ("words", "at_most", 100)),
    ("In fewer than 60 words, explain gravity.", ("words", "at_most", 60)),
    ("Explain gravity within 90 words.", ("words", "at_most", 90)),
    ("Explain gravity. Keep it under 75 words.", ("words", "at_most", 75)),
    ("Explain gravity. Limit your response to 75 words.", ("words", "at_most", 75)),
    ("Explain gravity in one hundred and fifty words.", ("words", "at_most", 150)),
    ("Explain gravity in a hundred words.", ("words", "at_most", 100)),
    ("Explain gravity in twenty-five words or less.", ("words", "at_most", 25)),
    ("Explain gravity in up to 40 words.", ("words", "at_most", 40)),
    ("Explain gravity (max 40 words).", ("words", "at_most", 40)),
    ("Write a post about running.\nLength: 500 words", ("words", "at_most", 500)),
    ("Write a post about running.\nLength: around 500 words", ("words", "about", 500)),
    ("Is water wet? Answer in one word.", ("words", "at_most", 1)),
    ("What is a monad? Please answer in fewer than 200 words.", ("words", "at_most", 200)),
    ("Write a tweet about autumn in under 280 characters.", ("characters", "at_most", 280)),
    ("Write a meta description of at most 160 characters.", ("characters", "at_most", 160)),
    ("Can you summarize the Bible in one sentence?", ("sentences", "exactly", 1)),
    ("Describe the moon in 3 sentences.", ("sentences", "exactly", 3)),
    ("Describe the moon in just two short sentences.", ("sentences", "exactly", 2)),
    ("Describe the moon in 2-3 sentences.", ("sentences", "between", 2, 3)),
    ("Describe the moon in at most four sentences.", ("sentences", "at_most", 4)),
    ("Write a three-sentence summary of the plot of Dune.", ("sentences", "exactly", 3)),
    ("Write five sentences about spring.", ("sentences", "exactly", 5)),
    ("Always answer in no more than three sentences.", ("sentences", "at_most", 3, "strict")),
    ("Generate a three paragraph essay on waking up early.", ("paragraphs", "exactly", 3)),
    ("Explain inflation in two paragraphs.", ("paragraphs", "exactly", 2)),
    ("Could you explain inflation in about four paragraphs?", ("paragraphs", "about", 4)),
    ("Write a 3 to 5 paragraph essay.", ("paragraphs", "between", 3, 5)),
    ("Write at least two paragraphs about dogs.", ("paragraphs", "at_least", 2)),
    ("Give three examples of mammals.", ("items", "exactly", 3)),
    ("List 5 tips for better sleep.", ("items", "exactly", 5)),
    ("Summarize the French Revolution in exactly four bullet points.", ("items", "exactly", 4)),
    ("Summarize the French Revolution in 3 bullet points.", ("items", "exactly", 3)),
    ("Use 3-5 bullet points.", ("items", "between", 3, 5)), ("Name seven wonders.", ("items", "exactly", 7)),
    ("Please suggest 5 creative titles for my talk.", ("items", "exactly", 5)),
    ("Can you come up with ten ideas for a party?", ("items", "exactly", 10)),
    ("Give me a list of the top 10 tourist destinations in Georgia.", ("items", "exactly", 10)),
    ("What are the top five countries for skiing?", ("items", "exactly", 5)),
    ("List at least 4 benefits of tea.", ("items", "at_least", 4)),
    ("I want you to provide up to six reasons.", ("items", "at_most", 6)),
    ("Human: give me two reasons to stay", ("items", "exactly", 2)),
]  # fmt: skip
OTHERS = [
    ("Compare cats and dogs as a table.", ("table", "")),
    ("Present the results in a table with two columns.", ("table", "")),
    ("List the planets in tabular form.", ("table", "")),
    ("Create a table of the planets and their moons.", ("table", "")),
    ("Return the result in JSON format.", ("json", "")), ("Give me three users as a JSON array.", ("json", "")),
    ("Describe the book as valid JSON.", ("json", "")), ("Put the command in a code block.", ("code_block", "")),
    ("Answer in Spanish.", ("language", "es")), ("Please respond only in German.", ("language", "de")),
    ("Write it in French.", ("language", "fr")), ("Write a poem in Italian about the sea.", ("language", "it")),
    ("Explain in Spanish what a river is.", ("language", "es")),
    ("Your answer should be in Japanese.", ("language", "ja")),
    ("Please write in English language.", ("language", "en")),
    ("Translate this into Korean: how are you?", ("language", "ko")),
    ("Write a poem. Include the word 'river'.", ("must_contain", "river")),
    ("Write a sentence using the word “serendipity”.", ("must_contain", "serendipity")),
    ('Your reply must contain the phrase "I agree".', ("must_contain", "I agree")),
    ('Do not use the word "very".', ("must_not_contain", "very")),
    ("Avoid the words 'delve' in your answer.", ("must_not_contain", "delve")),
    ("Describe the sea without using the word 'blue'.", ("must_not_contain", "blue")),
    ('Start with "Dear Sir".', ("begins_with", "Dear Sir")),
    ("Begin your answer with the word “Well,”", ("begins_with", "Well")),
    ("Please end with the phrase 'and so it goes'.", ("ends_with", "and so it goes")),
    ('Finish your response with "Over and out."', ("ends_with", "Over and out")),
    ("Write in all caps.", ("casing", "upper")), ("Answer in all lowercase.", ("casing", "lower")),
    ("Your entire response should be in capital letters.", ("casing", "upper")),
    ("Use only lowercase letters.", ("casing", "lower")),
]  # fmt: skip
NOTHING = [
    # about something else than the reply
    "Summarise this 500-word article.", "I wrote 3 paragraphs about my dog.",
    "I have a 2000 word essay due tomorrow. How do I begin?", "How many words are in a 5 page essay?",
    "How long are 300 words when read aloud?", "Is 500 words enough for a cover letter?",
    "What is the 4 letter word for a ship?", "Give these two paragraphs a title.",
    "Combine the two sentences given here.", "Rewrite the last three sentences.",
    "Paraphrase the sentence with one word changed.", "Write a function that returns the first 5 words of a text.",
    "Write a program that prints at most 100 characters.", "Generate a password that is 8 characters long.",
    "Write an SQL query to find all words that start with the letter 'd'.", "Sort a list of 10 numbers.",
    "Given a list of 10 numbers, find the largest one.", "Give me five words that rhyme with cat.",
    "Use at least three words from the list.", "Find the definition of the three words.",
    "Write a letter to my boss about the 200 words he cut.",
    "You are given three words and you need to generate a joke from them.",
    "Explain the two main stages of photosynthesis.", "Write about the three characters of the novel.",
    "Create a lesson plan for grade 3 science.", "Give me a 3 day curriculum for learning Python.",
    "Write me a convincing 5 minutes speech.", "Write a song with 3 verses.", "explain like im 5",
    "Tell me about the 7 Years' War.", "Write about my 2 cats.",
    # distributed, conditional, negated, alternative, contradictory
    "Write an essay. Each paragraph should have 4 sentences.", "Write three paragraphs with 100 words per paragraph.",
    "Write three paragraphs of 100 words.", "If the text is long, use a table.", "Use a table when it helps.",
    "Do not use a table.", "Explain it without a code block.", "Do not write 3 paragraphs.",
    "Don't answer in Spanish.", "Write in 100 words or in 3 paragraphs.", "Answer in French or German.",
    "List 5 tips or 3 examples.", "Write at most 100 words. Write at least 200 words.",
    "Explain gravity in 50 words. The answer should have 100 words.",
    "Explain gravity in fewer than three sentences.", "Explain gravity in between 5 and words.",
    "Explain gravity in 100 to 50 words.", "Summarize it in maximum 10 words, then tell me whether it is positive.",
    "Suggest 5 titles for this workshop as well as a 2 paragraph pitch.",
    "Write a 100-word story and list three questions about it.", "Write a poem. List three questions about it.",
    "Generate 5 random 8 letter words.", "Write 3 stories about a fox.", "List 3 recipes for dinner.",
    # material, quotations, code, settings
    'What does "write in 100 words" mean?', "What does 'answer in Spanish' mean?",
    "Summarize the text.\nText: Write 3 paragraphs about dogs.",
    "Summarize the following passage:\nWrite at most 100 words about dogs.",
    "Summarize.\n###\nList 5 tips for sleep.", "Fix this prompt:\n```\nAnswer in 100 words.\n```",
    "Fix `Answer in 100 words.`", "Human: hi\n\nAssistant: List 5 tips.\n\nHuman: yes",
    "I want you to act as a poet. Write 3 sentences.", "Let's play a game. Answer in one word.",
    "Example: write 5 tips for sleep.", "Summarize.\n> Write 5 tips for sleep.",
    # forms, languages and wordings of something else
    "Translate this from Spanish.", "How do I say hello in French?", "Explain the subjunctive in Spanish grammar.",
    "Write about verbs of motion in German.", "Write about life in English towns.",
    "Read the table below and tell me who won.", "Add a table of contents.", "What is JSON?",
    "Please write a JSON deserializer in ABAP.", "Convert this JSON to XML.", "Create a table in SQL.",
    "Write the title in all caps.", "Do not start with the word “introducing”.", 'Name animals that start with "d".',
    'Start each line with "Oh".', 'Start with "Dear [name]".', 'What does the word "cogent" mean?',
    'Generate a word association for the word "dog".',
    # wordings that are easily mistaken for a demand
    "Write a script for a 100-word commercial.", "Write a review of a 300-word article.",
    "Describe a story of 500 words.", "Rewrite a 500 word essay I found.", "Summarize a 500-word essay by Orwell.",
    "Analyze a 3-paragraph essay.", "Compare two paragraphs of text.", "Give me feedback on my 200-word essay.",
    "Explain why an essay should be at least 500 words.", "Explain how to write a 500-word essay.",
    "Tell me how to write an essay in 3 paragraphs.", "Explain how to lose weight in 5 steps.",
    "Create a rubric for an essay of at least 500 words.", "Write a prompt asking for a 500-word essay.",
    "Write a prompt that makes ChatGPT answer in Spanish.", "Create a quiz with 10 questions.",
    "Write a dialogue between two people.", "Name the 3 primary colors.", "List all 50 states.",
    "List 3 things you would do if you were rich.", "Design a 5-question survey.",
    "Find two numbers whose sum is 10.", "Write a table of values.", "Explain what a hash table is.",
    "Create a new table in my database.", "Create a dining table description.", "Explain how to build a table.",
    "Make a table out of wood.", "Build a coffee table.", "Describe how to put data in a table.",
    "Explain how to display results in a table in React.", "Describe how to export data as JSON.",
    "Explain how to return data in JSON format.", "Explain what is stored in JSON format.",
    "Write a story about a boy who speaks in Spanish.", "Talk in pirate.", "Write in Latin letters.",
    "Describe the word for love in Greek.", "Explain the word 'ciao' in Italian.", "Write a poem in French style.",
    "Respond in Chinese when I greet you.", "Describe the differences in Spanish, Italian.",
    "Describe tenses in English.", "Explain grammar in English.", "Explain idioms in Spanish.",
    "Describe verbs in German.", "Explain the articles in German.",
    "Translate the English sentences to German and explain.", 'Explain how to use the word "whom".',
    "Describe when people use the word 'ain't'.", 'Tell me why people use the word "like".',
    "Explain why you should avoid the word 'just'.", 'Suggest alternatives to using the word "very".',
    'Start a business with "Dear".', "End with a question.", "Tell me 10 things about the 5 words.",
    "Write two words per line.", "Explain the main idea in the first 100 words of Moby Dick.",
    "Find a book with at least 500 words.", "Write an outline for an essay with 5 paragraphs.",
    "Describe a city of over 200 characters.", "Write a story with at least 20 characters.",
    "Create a story with 25 characters.", "Write a novel using 30 characters from Greek myths.",
    "Describe 3 characters in one paragraph.", "Write the first three paragraphs of a novel.",
    "Write the opening paragraph.", "Answer the 3 questions.", "Generate 5 tweets, each under 280 characters.",
    "Use no more than two exclamation marks and 50 words.", "Suggest 3 books, 2 movies.",
    "Name 4 fruits and 3 vegetables.", "Give 2 advantages and 2 disadvantages of cars.",
    "List three pros and three cons of nuclear energy.", "List 3 pros and cons.", "", " \n", "words", "100 words",
]  # fmt: skip


def read_one(text):
    found = read_constraints(text)
    assert len(found) == 1, found
    return found[0]


def test_a_count_a_form_a_language_or_a_wording_is_read_with_its_place_and_certain_only_where_its_kind_binds():
    for text, (kind, *demanded) in COUNTED + OTHERS:
        found = read_one(text)
        if (text, (kind, *demanded)) in OTHERS:
            assert (found.kind, found.text, found.amount) == (kind, *demanded, None), text
        else:
            bound, amount, *more = demanded
            assert (found.kind, found.bound, found.amount) == (kind, bound, amount), text
            assert found.most == (more[0] if bound == "between" else None), text
            assert found.strict == ("strict" in more), text
        assert found.certain == binds(kind)
        later = read_one("Hello there.\n" + text)
        assert later.quote and later.quote == ("Hello there.\n" + text)[later.start : later.end], text
        assert later.quote == later.quote.strip()


def test_what_is_no_plain_demand_of_the_reply_is_not_read():
    assert {text: found for text in NOTHING if (found := read_constraints(text))} == {}


def test_several_words_to_use_are_a_constraint_each():
    found = read_constraints('Construct a sentence using the words "effervescence", "hesitant" and "integrity".')
    assert [one.text for one in found] == ["effervescence", "hesitant", "integrity"]
    assert {one.kind for one in found} == {"must_contain"}


def test_demands_of_different_kinds_in_different_sentences_stand_side_by_side():
    found = read_constraints("Answer in Spanish. Use at most 50 words. Do not use the word 'agua'.")
    assert [one.kind for one in found] == ["language", "words", "must_not_contain"]


def test_the_same_demand_said_twice_is_one():
    found = read_constraints("Explain gravity in at most 50 words. Use at most 50 words.")
    assert [(one.kind, one.amount, one.start) for one in found] == [("words", 50, 16)]


def test_of_a_long_text_only_the_head_is_read():
    material = "The river ran on and on. " * 80
    assert [one.kind for one in read_constraints("Summarize in at most 50 words.\n" + material)] == ["words"]
    assert read_constraints(material + "Summarize in at most 50 words.") == []


def test_the_source_is_handed_on():
    assert read_constraints("Always answer in Spanish.", "system_prompt")[0].source == "system_prompt"


READINGS = [(150, 0, True), (149, 0, False), (150, 1, False), (1000, 1, False), (0, 0, False)]


def test_a_kind_binds_from_150_findings_read_and_none_false():
    for read, false, bound in READINGS:
        readings = {"words": {"read": read, "false": false}}
        assert binds("words", readings) == bound
        assert not binds("items", readings), read


def test_there_are_counts_for_every_kind():
    assert set(load_readings()) == set(KINDS)
    assert all(0 <= counts["false"] <= counts["read"] for counts in load_readings().values())


PIECES = st.sampled_from([
    "at most ", "100", " words", "write ", "in ", "Spanish", '"', "'", "“", "”", "\n", ". ", "```", "the word ", "use ",
])  # fmt: skip


@settings(max_examples=60)
@given(st.one_of(st.text(max_size=300), st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=40).map("".join)))
def test_any_text_gives_constraints_whose_quotes_stand_in_it(text):
    for found in read_constraints(text):
        assert found.quote and text[found.start : found.end] == found.quote


HOSTILE = [
    "7", "at most ", '"', "'", "“", "“a” ", "`", "<", "a ", "write a ", "one hundred and ", "```", "\n", "> ",
    "following ", "please ", "Write in 100 words. ", "in the form of ", "1,000", "- ",
]  # fmt: skip


def test_hostile_text_is_read_in_linear_time():
    for piece in HOSTILE:
        with within(2):
            for size in (1_400, 19_000, 50_000):
                read_constraints((piece * size)[:size])
