"""SIMULATED curves of the fourteenth set."""
