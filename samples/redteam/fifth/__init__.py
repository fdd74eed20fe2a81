"""A fifth unseen set, by two blind authors: README.md."""
