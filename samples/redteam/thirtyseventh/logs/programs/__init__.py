"""Programs of the logs."""
