"""The word lists behind the features: English, lower case, and nothing but data.

A text in another language has none of these words, so they speak neither for nor against it.
"""

from __future__ import annotations

from ...facts.sentences import word_set

STOP_WORDS = word_set(
    "a about above after again against all also am an and any are aren't as at be because been before being below "
    "between both but by can can't could couldn't did didn't do does doesn't doing don't down during each few for "
    "from further get give given had has have having he her here hers him his how i i'm if in into is isn't it it's "
    "its just let's like make may me might more most must my need no nor not now of off on once one only or other "
    "our ours out over own please provide same she should so some such than that the their theirs them then there "
    "these they this those through to too tell under until up us use used using very want was we were what what's "
    "when where which while who whom why will with within without would write you you're your yours following "
    "create explain describe generate find list answer question task instruction response text sentence sentences "
    "words word"
)

CAUTIONS = word_set(
    "may might could perhaps possibly probably likely unlikely usually typically generally often sometimes depends "
    "depending however although though unless alternatively whereas limitation limitations limited drawback "
    "drawbacks downside downsides risk risks caveat caveats assume assuming assumption assumptions approximately "
    "roughly uncertain uncertainty tradeoff tradeoffs advantage advantages disadvantage disadvantages instead "
    "otherwise constraint constraints budget cost costs"
)
CAUTION_PHRASES = (
    "trade-off",
    "on the other hand",
    "in contrast",
    "pros and cons",
    "keep in mind",
    "be aware",
    "it depends",
)

REASONS = word_set("because therefore thus hence consequently since accordingly thereby implies means so")
REASON_PHRASES = (
    "as a result",
    "due to",
    "in order to",
    "which means",
    "this means",
    "that is why",
    "leads to",
    "so that",
)

EXAMPLE_PHRASES = ("for example", "for instance", "such as", "e.g.", "example:", "including")

FRESH = word_set(
    "surprisingly interestingly notably imagine consider analogy metaphor unlike rather distinction key crucial "
    "insight perspective unique creative contrary paradox underlying essentially ultimately"
)

# Words of a task that say what to do, not what it is about.
TASK_WORDS = word_set(
    "example examples sentence paragraph story essay summary summarize summarise rewrite edit output input given name "
    "identify classify categorize determine suggest discuss compare analyze outline design construct compose "
    "poem article email letter short long brief briefly detailed include including based would could please good best "
    "different using used way ways new type types thing things people help ensure make sure start end step steps"
)
HEDGES = word_set("may might could perhaps possibly probably likely generally often sometimes usually typically seems")
FIRST_PERSON = word_set("i i'm i've i'd i'll me my mine myself")
SECOND_PERSON = word_set("you your you're you'll yours yourself")
CONNECTIVES = word_set(
    "first second third finally next then also additionally furthermore moreover however therefore because although "
    "while overall meanwhile consequently specifically similarly"
)
