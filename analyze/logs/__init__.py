"""Facts from logs: registry of patterns, reader, tracebacks, progress, attempts."""
