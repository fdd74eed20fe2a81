"""Losses as people keep them, SIMULATED, by someone who had not seen the engine."""
