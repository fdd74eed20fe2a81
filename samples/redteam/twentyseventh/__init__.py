"""The twenty-seventh set: cases written blind."""
