"""SIMULATED curves of the sixteenth set."""
