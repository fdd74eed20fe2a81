"""The twenty-second set: cases written blind."""
