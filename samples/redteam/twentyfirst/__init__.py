"""The twenty-first set: cases written blind."""
