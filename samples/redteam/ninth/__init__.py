"""A ninth unseen set, by blind authors."""
