"""The eighteenth set."""
