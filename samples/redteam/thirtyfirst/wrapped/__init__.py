"""Cases under the recorder."""
