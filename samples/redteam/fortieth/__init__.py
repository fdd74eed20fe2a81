"""The fortieth set: cases written blind."""
