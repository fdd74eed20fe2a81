"""The forty-first set: cases written blind."""
