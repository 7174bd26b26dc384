"""`GET /docs`: the API's documentation, from files of our own: it works without a network."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

router = APIRouter()

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>adjudge API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/vendor/swagger-ui/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>The API is described in <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/static/vendor/swagger-ui/swagger-ui-bundle.js"></script>
<script src="/static/docs.js"></script>
</body>
</html>
"""


@router.get("/docs", include_in_schema=False)
async def docs() -> HTMLResponse:
    """The page."""
    return HTMLResponse(_PAGE)
