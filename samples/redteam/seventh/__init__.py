"""A seventh unseen set, by blind authors."""
