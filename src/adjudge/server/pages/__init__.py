"""The service's pages: server-rendered HTML over the same functions as the API, and a JSON twin for each."""

from . import annotators, judge, label, label_cases, people, rubrics, run_changes, runs, verdict

# Fixed names come before what might be a run's id.
ROUTES = (judge, verdict, run_changes, runs, label, label_cases, annotators, rubrics, people)
