"""The thirty-third set: cases written blind."""
