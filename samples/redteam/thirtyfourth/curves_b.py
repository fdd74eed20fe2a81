"""Curves c07 to c12."""
