"""A task, a good and a poor answer to it, and what a judge may say of them."""

from __future__ import annotations

from adjudge.models.common import Label
from adjudge.protocols.compare.verdict import Impact

Said = tuple[str, Label, Impact, str, str]  # criterion, answer, impact, quote, rationale

TASK = """\
Our PostgreSQL table `orders` has 80 million rows and the dashboard query

    SELECT count(*) FROM orders WHERE customer_id = $1 AND created_at > now() - interval '7 days';

takes 9 seconds. How do I make it fast without downtime?"""

GOOD_ANSWER = """\
Add one composite index that matches the query, built without locking the table:

    CREATE INDEX CONCURRENTLY orders_customer_created
        ON orders (customer_id, created_at);

Put customer_id first because it is compared for equality, and created_at second because it is a range. \
With the columns the other way round, Postgres would read every order of the last week.

Then check it: EXPLAIN (ANALYZE, BUFFERS) should show an Index Only Scan. If "Heap Fetches" is high, run VACUUM orders \
so the visibility map is current.

Two things to know. CONCURRENTLY takes about twice as long and cannot run inside a transaction. If it fails it leaves \
an INVALID index behind: drop it and start again. Expect roughly 2.5 GB on disk, so check free space first."""

POOR_ANSWER = """\
Slow queries are a very common problem in databases! There are many ways to improve performance.

1. You should add an index on created_at, since this is the column with the range.
2. Consider caching the results in Redis.
3. You could also upgrade your server or use partitioning.

CREATE INDEX idx_created ON orders (created_at);

This will make your query much faster. Always remember to test your changes before going to production."""

JUSTIFICATIONS = {
    "task_understanding": (
        "Answers the question that was asked, including the condition that there be no downtime.",
        "Sees that the query is slow but passes over the condition that there be no downtime.",
    ),
    "correctness_reasoning": (
        "The column order is right and the reason given for it is the real one.",
        "An index on created_at alone still reads every order of the week, and the statement locks writes.",
    ),
    "depth_coverage_usefulness": (
        "Covers building, checking and what can go wrong; leaves out the count itself as a cost.",
        "Names several directions without following any of them.",
    ),
    "actionability_specificity": (
        "A statement to run, a plan to expect and what to do if it differs.",
        "One statement, and general advice that leaves the work to the reader.",
    ),
    "clarity_structure": (
        "Short paragraphs in the order one would work in.",
        "A clean list, opened and closed with filler.",
    ),
    "constraints_tradeoffs_uncertainty": (
        "Says what CONCURRENTLY costs and how a failure looks.",
        "No cost of any option is mentioned.",
    ),
    "insight_originality": (
        "The remark on the visibility map is what a practitioner would add.",
        "Nothing specific to this table or query.",
    ),
}

SAID: list[Said] = [
    ("task_understanding", "A", "favorable", "built without locking the table:", "Meets the condition."),
    (
        "task_understanding",
        "B",
        "unfavorable",
        "There are many ways to improve performance.",
        "Drifts off the question.",
    ),
    (
        "correctness_reasoning",
        "A",
        "favorable",
        "Put customer_id first because it is compared for equality, and created_at second because it is a range.",
        "Correct, and for the right reason.",
    ),
    (
        "correctness_reasoning",
        "B",
        "unfavorable",
        "add an index on created_at, since this is the column with the range.",
        "The wrong column alone; the filter on customer_id stays unindexed.",
    ),
    (
        "depth_coverage_usefulness",
        "A",
        "favorable",
        'If "Heap Fetches" is high, run VACUUM orders so the visibility map is current.',
        "Goes on to what happens when the first step is not enough.",
    ),
    (
        "depth_coverage_usefulness",
        "B",
        "unfavorable",
        "Consider caching the results in Redis.",
        "Named, not explained.",
    ),
    (
        "actionability_specificity",
        "A",
        "favorable",
        "CREATE INDEX CONCURRENTLY orders_customer_created\n        ON orders (customer_id, created_at);",
        "Can be pasted as it stands.",
    ),
    (
        "actionability_specificity",
        "B",
        "favorable",
        "CREATE INDEX idx_created ON orders (created_at);",
        "At least a statement that runs.",
    ),
    (
        "clarity_structure",
        "A",
        "favorable",
        "Then check it: EXPLAIN (ANALYZE, BUFFERS) should show an Index Only Scan.",
        "One step follows the other.",
    ),
    (
        "clarity_structure",
        "B",
        "unfavorable",
        "Slow queries are a very common problem in databases!",
        "Filler before the first useful word.",
    ),
    (
        "constraints_tradeoffs_uncertainty",
        "A",
        "favorable",
        "CONCURRENTLY takes about twice as long and cannot run inside a transaction.",
        "The cost is stated.",
    ),
    (
        "constraints_tradeoffs_uncertainty",
        "A",
        "unfavorable",
        "Expect roughly 2.5 GB on disk,",
        "Given without saying how it was estimated.",
    ),
    (
        "constraints_tradeoffs_uncertainty",
        "B",
        "unfavorable",
        "This will make your query much faster.",
        "A promise without a condition.",
    ),
    (
        "insight_originality",
        "A",
        "favorable",
        "run VACUUM orders so the visibility map is current.",
        "Few answers mention it.",
    ),
    (
        "insight_originality",
        "B",
        "unfavorable",
        "Always remember to test your changes before going to production.",
        "Fits any question.",
    ),
]
