"""Curves of the ninth set, as people keep them: all SIMULATED."""
