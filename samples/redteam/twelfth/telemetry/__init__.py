"""Incidents as a cluster's own stores tell them, SIMULATED, often with one store missing."""
