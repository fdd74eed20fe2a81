"""The twenty-fourth set: cases written blind."""
