"""The seventeenth unseen set, simulated."""
