"""One verdict, many views."""
