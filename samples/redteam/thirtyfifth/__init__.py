"""The thirty-fifth set: cases written blind."""
