"""The thirty-eighth set: cases written blind."""
