"""A tenth unseen set, by blind authors."""
