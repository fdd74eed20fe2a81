"""Logs by an author who has read none of the rules: real programs under real launchers, and programs that lie."""
