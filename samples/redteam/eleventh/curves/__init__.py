"""Training histories as loops, trackers and libraries keep them."""
