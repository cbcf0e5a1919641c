"""What `jaxfix upgrade` knows, finds, rewrites and leaves: the table of changes, and real repositories."""
