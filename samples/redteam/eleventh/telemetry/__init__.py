"""Incidents as an operator hands them over."""
