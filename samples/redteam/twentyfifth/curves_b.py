"""The second half."""
