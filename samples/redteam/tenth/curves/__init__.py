"""Loss curves as people keep them."""
