"""Cases that leave text."""
