"""The thirty-fourth set: cases written blind."""
