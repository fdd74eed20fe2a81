"""The thirty-second set: cases written blind."""
