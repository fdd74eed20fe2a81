"""An eleventh unseen set, by blind authors."""
