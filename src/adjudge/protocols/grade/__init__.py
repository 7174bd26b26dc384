"""A grading: one answer is held against a rubric of questions, claims, constraints and checks, and passes or not."""

SUMMARY = "grade one answer against a rubric"
EXAMPLES = (
    "adjudge grade case.json",
    "adjudge grade --task @task.txt --answer @answer.txt --context @source.txt --judge openai:gpt-5.1",
    "adjudge grade case.json --rubric checks.yaml --format html -o report.html",
)
GATES = {
    "pass_rate": "share of the decided cases that pass",
    "mean_score": "mean score, 0 to 100",
}
