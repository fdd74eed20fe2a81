"""SIMULATED incidents as an operator hands them over; see README.md. Nothing here was recorded on a GPU."""
