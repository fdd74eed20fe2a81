"""Incidents t07 to t12 of the twenty-first set, as the lots have them. SIMULATED."""

from __future__ import annotations
