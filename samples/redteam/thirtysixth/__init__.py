"""The thirty-sixth set: cases written blind."""
