"""What a browser sends for the form of a page, without a browser."""

from html.parser import HTMLParser


class _Fields(HTMLParser):
    def __init__(self):
        super().__init__()
        self.fields, self._name, self._text, self._select = {}, "", None, ""

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        name = given.get("name", "")
        if tag == "textarea":
            self._name, self._text = name, ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and ("selected" in given or self._select not in self.fields):
            self.fields[self._select] = given.get("value")
            self._name, self._text = self._select, ""
        elif tag == "input" and name and (given.get("type") != "checkbox" or "checked" in given):
            self.fields[name] = given.get("value", "")

    def handle_data(self, data):
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag):
        if tag == "select":
            self._select = ""
        if tag == "textarea" and self._text is not None:
            self.fields[self._name] = self._text.removeprefix("\n")
        if tag == "option" and self._text is not None and self.fields.get(self._name) is None:
            self.fields[self._name] = self._text
        if tag in ("textarea", "option"):
            self._text = None


def fields_in(page):
    """The fields of a page's form with their values, as a browser would send them without any change."""
    found = _Fields()
    found.feed(page)
    return found.fields
