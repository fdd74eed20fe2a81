"""The thirty-first set: cases written blind."""
