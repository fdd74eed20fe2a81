"""Incidents of small clusters."""
