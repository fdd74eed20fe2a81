"""SIMULATED incidents of the fourteenth set."""
