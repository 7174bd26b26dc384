"""The procedures from case to verdict, each readable top to bottom; no provider, file format or database here."""
