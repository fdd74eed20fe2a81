"""A fourth unseen set, by two blind authors: README.md."""
