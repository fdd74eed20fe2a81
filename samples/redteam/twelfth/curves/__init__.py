"""Histories of training, SIMULATED, as loops, trackers and libraries leave them."""
