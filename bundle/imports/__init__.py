"""Bundles from what exists already: files of many kinds, told apart by their content.

`KINDS` is the one list of readers, most specific first; the last takes every text that nobody else claims.
"""
