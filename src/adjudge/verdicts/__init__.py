"""The verdicts, under the name they had before they moved to `models`."""

from ..models import *  # noqa: F403
