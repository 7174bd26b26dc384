"""Templates of reports: one environment a format, which makes safe all that a template prints.

HTML pages hold no script and ask for nothing. What a template itself writes is ours and stays as it is. The service's
pages are the same templates in another frame.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .escaping import clean, markdown, one_line, shorten, web_address
from .wording import LONG, number, words_of

_PERCENT = re.compile(r"(?<=\d) %(?!\w)")


@lru_cache
def environment(form: str, *packages: str, own_words: bool = True) -> Environment:
    """The templates of a format: looked for in these packages first, then among those of reports.

    `own_words`: all they print is ours, so that a line may be kept from ending between 29.0 and %.
    """

    def safe(value: object) -> object:
        # Here and not in the templates: nothing can be forgotten. Autoescaping leaves what is already Markup alone.
        if not isinstance(value, str) or isinstance(value, Markup):
            return value
        if form == "html":
            return _PERCENT.sub("\u00a0%", clean(value)) if own_words else clean(value)
        return Markup(markdown(value) if form == "markdown" else one_line(value))

    loaders = [PackageLoader(package) for package in packages]
    environment = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader(__package__), PackageLoader(__package__, ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=safe,
    )
    environment.globals["LONG"] = LONG
    environment.filters.update(number=number, shorten=shorten, web_address=web_address, words_of=words_of)
    return environment
