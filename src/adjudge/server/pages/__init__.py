"""The service's pages: server-rendered HTML built on the same functions as the API, each also available as JSON."""

from . import (
    audit,
    home,
    judge,
    judged_again,
    label,
    label_cases,
    new_run,
    people,
    rubrics,
    run_changes,
    run_pages,
    runs,
    setup,
    tokens,
    verdict,
    verdict_list,
)

# Fixed paths such as /runs/compare must be registered before /runs/{name}, which matches any name, and what people send
# to /runs/{run_id}/label before /runs/{run_id}/{action}.
ROUTES = (
    home,
    judge,
    verdict_list,
    judged_again,
    verdict,
    run_changes,
    new_run,
    label,
    label_cases,
    run_pages,
    runs,
    rubrics,
    people,
    audit,
    setup,
    tokens,
)
