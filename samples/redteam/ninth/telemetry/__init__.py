"""Incidents of the ninth set, as a site keeps them: all SIMULATED."""
