"""Curves of losses as people keep them: SIMULATED."""
