"""The data models of adjudge, each defined once. JSON output and input, OpenAPI and stored rows are derived from them.

A case is what is to be judged. An opinion is one judge's parsed reply before any rule is applied. A verdict is the
result of applying the rules to opinions. A failure is a judgment that did not succeed; it never has a score.
"""

from ..protocols.compare.verdict import *
from ..protocols.dialogue.verdict import *
from ..protocols.review.verdict import *
from .cases import *
from .common import *
