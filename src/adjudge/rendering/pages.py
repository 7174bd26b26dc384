"""Loads report templates. Each format has one environment, which escapes all values that a template prints.

HTML pages request nothing, and only a run's list has a script. A template's own text is trusted and not escaped. The
service's pages use the same templates in another frame.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from .escaping import clean, markdown, one_line, shorten, web_address
from .highlighting import marked
from .texts import as_it_is, as_markdown
from .wording import LONG, number, with_minus, words_of

_PERCENT = re.compile(r"(?<=\d) %(?!\w)")


@lru_cache
def environment(form: str, *packages: str, own_words: bool = True) -> Environment:
    """Return the environment of a format. It searches these packages for templates before those of reports.

    `own_words` means that templates print our own text, so that 29.0 and % can be joined by a no-break space; what
    others wrote is printed with the filter `theirs`, which changes no character that can be shown.
    """

    def safe(value: object) -> object:
        # Escaping here rather than in the templates forgets nothing. Autoescaping leaves Markup unchanged.
        if not isinstance(value, str) or isinstance(value, Markup):
            return value
        if form == "html":
            return _PERCENT.sub("\u00a0%", clean(value)) if own_words else clean(value)
        return Markup(markdown(value) if form == "markdown" else one_line(value))

    loaders = [PackageLoader(package) for package in packages]
    environment = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader(__package__)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=safe,
    )
    environment.globals["LONG"] = LONG
    environment.filters.update(number=number, with_minus=with_minus, words_of=words_of)
    environment.filters.update(shorten=shorten, web_address=web_address)
    environment.filters["theirs"] = lambda value: escape(clean(str(value))) if form == "html" else value
    environment.filters.update(as_it_is=as_it_is, as_markdown=as_markdown, in_one_piece=lambda text: marked(text, ()))
    return environment
