"""What the files of a project tell each other."""
