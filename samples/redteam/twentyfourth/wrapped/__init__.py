"""Programs that really run."""
