"""The twenty-ninth set: cases written blind."""
