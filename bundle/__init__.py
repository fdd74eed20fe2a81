"""The node directory, the bundle file and the tables in them."""
