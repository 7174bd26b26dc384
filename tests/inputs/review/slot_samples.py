"""The least a review needs, and the ways to write one down."""

import csv
import io
import json

from adjudge.protocols.review.reading import read_reviews
from adjudge.protocols.rubrics import shipped

RUBRIC = shipped("review")
BASE = {"prompt": "p", "response1": "a", "response2": "b"}


def read(value):
    (review,) = read_reviews(json.dumps(value).encode(), "r.json", RUBRIC)
    return review


def rows(*records, delimiter=","):
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, records[0], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(records)
    return file.getvalue().encode()
