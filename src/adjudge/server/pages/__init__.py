"""The service's pages: server-rendered HTML built on the same functions as the API, each also available as JSON."""

from . import judge, label, label_cases, new_run, people, rubrics, run_changes, runs, verdict

# Fixed paths such as /runs/compare must be registered before /runs/{name}, which matches any name.
ROUTES = (judge, verdict, run_changes, new_run, runs, label, label_cases, rubrics, people)
