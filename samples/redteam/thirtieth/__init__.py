"""The thirtieth set: cases written blind."""
