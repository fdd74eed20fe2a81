"""The sixteenth unseen set: what was drawn by lot."""
