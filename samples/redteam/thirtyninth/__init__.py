"""The thirty-ninth set: cases written blind."""
