"""Training curves in forms of trackers, tables and loops, by a blind author. SIMULATED."""
