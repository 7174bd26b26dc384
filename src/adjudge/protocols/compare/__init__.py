"""A comparison: two answers to one task are scored on weighted criteria in both orders, and one wins, or neither."""

SUMMARY = "compare two answers to one task"
EXAMPLES = (
    "adjudge compare case.json",
    'adjudge compare --task "Name a prime above 10." --a "11 is prime." --b "12 is prime." --judge openai:gpt-5.1',
    "adjudge compare case.json --format html -o report.html",
)
PATH = "/api/evaluate"
GATES = {"win_rate": "share of the decided cases that A wins; a tie counts half"}
