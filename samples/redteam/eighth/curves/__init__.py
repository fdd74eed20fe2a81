"""Losses as people keep them."""
