"""Every paid reply, durable before anybody looks into it; and the verdicts made of them."""

from .base import Journal, Stored, call_key
from .opening import data_folder, default_place, masked, open_journal
from .replay import ReplayJournal

__all__ = ["Journal", "ReplayJournal", "Stored", "call_key", "data_folder", "default_place", "masked", "open_journal"]
