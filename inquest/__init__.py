"""inquest: flight recorder and coroner for GPU training jobs."""

__version__ = "0.1.0"
