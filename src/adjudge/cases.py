"""The cases, under the name they had before they moved to `models`."""

from .models.cases import *  # noqa: F403
from .models.cases import MAX_TEXT_BYTES as MAX_TEXT_BYTES
