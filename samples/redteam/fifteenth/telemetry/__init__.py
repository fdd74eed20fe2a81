"""SIMULATED incidents of the fifteenth set."""
