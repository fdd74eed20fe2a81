"""SIMULATED curves of the fifteenth set."""
