"""The shapes that flow through adjudge, each defined once: JSON out and in, OpenAPI and stored rows come from them.

Cases are what is to be judged. An opinion is one judge's parsed reply before any rule was applied; a verdict is what
rules made of opinions; a failure is a judgment that did not come about, and never a number.
"""

from .cases import *
from .common import *
from .comparison import *
from .dialogue import *
from .review import *
