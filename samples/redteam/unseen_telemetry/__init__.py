"""Incidents by an author who had read neither the engine nor its tests. SIMULATED; the truth was committed first."""
