"""The fourteenth unseen set: what was drawn by lot."""
