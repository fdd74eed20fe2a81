"""The nineteenth unseen set: 52 cases drawn by lot, by three authors."""
