"""Telemetry, accounting, kernel and rank logs of incidents by a blind author. SIMULATED."""
