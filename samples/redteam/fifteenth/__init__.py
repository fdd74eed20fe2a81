"""The fifteenth unseen set: what was drawn by lot."""
