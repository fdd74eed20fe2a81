"""An eighth unseen set, by blind authors."""
