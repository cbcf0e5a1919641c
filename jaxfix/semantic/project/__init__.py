"""What the files of a project know of each other."""
