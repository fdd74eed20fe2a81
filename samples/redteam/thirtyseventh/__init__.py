"""The thirty-seventh set: cases written blind."""
