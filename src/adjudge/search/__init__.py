"""Looking facts up: off unless a provider is named, every search journalled before it is read."""

from .opening import open_searcher

__all__ = ["open_searcher"]
