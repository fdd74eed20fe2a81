"""Logs of real small programs that failed, or did not: what they print is real, the machine has no GPU."""
