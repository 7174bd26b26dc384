"""How the texts of a page are shown, rendered as Markdown or as they are: a reader's choice, kept in a cookie."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request, Response

_NAME = "texts"
_WAYS = ("rendered", "raw")
_YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class ShownTexts:
    """Whether texts are rendered, and the address of the same page with the other choice."""

    rendered: bool
    other: str


def texts_of(request: Request) -> ShownTexts:
    """Return the choice in the address, else the one in the cookie; without either, texts are rendered."""
    way = next(
        (each for each in (request.query_params.get(_NAME), request.cookies.get(_NAME)) if each in _WAYS), _WAYS[0]
    )
    rendered = way == "rendered"
    return ShownTexts(rendered, f"?{request.url.include_query_params(**{_NAME: _WAYS[rendered]}).query}")


def with_choice(request: Request, response: Response) -> Response:
    """Keep a choice that the address makes for the reader's next pages."""
    if (way := request.query_params.get(_NAME)) in _WAYS:
        secure = request.url.scheme == "https"
        response.set_cookie(_NAME, way, _YEAR, httponly=True, samesite="lax", secure=secure)
    return response
