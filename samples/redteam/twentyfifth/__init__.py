"""The twenty-fifth set: cases written blind."""
