"""The twentieth unseen set: 46 cases drawn by lot, by three authors."""
