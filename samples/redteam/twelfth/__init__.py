"""A twelfth unseen set, by blind authors."""
