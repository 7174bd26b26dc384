"""What only reviews have in the service: drafts, decisions, and cards of the people whose ratings are reviewed."""

from pathlib import Path

from ...service import RunTab, Service
from . import annotator_pages, annotators, decisions, judging, pages, queue, queue_pages

SERVICE = Service(
    routers=tuple(module.router for module in (judging, decisions, annotators, pages, annotator_pages, queue_pages)),
    menu=(("/review", "Review", "reviewer"), ("/annotators", "Annotators", "viewer")),
    run_tabs=(
        RunTab(key="review", name="Review", role="reviewer", count=queue.progress_in_words, act=queue_pages.go_on),
    ),
    actions=decisions.ACTIONS,
    static=Path(__file__).parent / "static",
    page=pages.show_review,
    file=pages.review_file,
    waiting=queue_pages.where_to_review,
)
