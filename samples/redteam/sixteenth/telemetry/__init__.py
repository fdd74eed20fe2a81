"""SIMULATED incidents with telemetry of the sixteenth set."""
