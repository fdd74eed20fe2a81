"""Programs that run under the recorder."""
