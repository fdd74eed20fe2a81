"""The twenty-third set: cases written blind."""
