"""The twenty-eighth set: cases written blind."""
