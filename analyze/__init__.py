"""From evidence to a verdict, with the evidence attached."""
