"""A third unseen set, by a blind author: README.md."""
