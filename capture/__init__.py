"""Observe a job and its node, never disturb it."""
