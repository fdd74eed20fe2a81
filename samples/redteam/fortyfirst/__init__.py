"""The fortyfirst set: cases written blind."""
