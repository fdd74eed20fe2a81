"""Incident folders as operators send them: telemetry, accounting and logs of other programs. SIMULATED."""
