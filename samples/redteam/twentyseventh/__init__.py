"""The twenty-sixth set: cases written blind."""
