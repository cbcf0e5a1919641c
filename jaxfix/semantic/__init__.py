"""The semantic model of one file, and what the files of a project tell each other."""
