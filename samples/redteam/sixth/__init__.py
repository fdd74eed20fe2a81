"""A sixth unseen set, by blind authors."""
